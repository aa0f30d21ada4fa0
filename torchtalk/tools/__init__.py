"""One module for each question, beside the SQL it asks."""

from __future__ import annotations

import functools
import importlib

from torchtalk.sqlfile import beside
from torchtalk.tools.spec import Tool

queries = beside(__file__)
"""The named statements of a tool's `.sql` file."""

_NAMES = (
    "get_status",
    "trace",
    "search",
    "calls",
    "called_by",
    "impact",
    "cuda_kernels",
    "trace_module",
    "list_modules",
    "find_similar_tests",
    "list_test_utils",
    "test_file_info",
    "affected",
    "compile_path",
    "compile_options",
    "sql",
)


@functools.cache
def all_tools() -> dict[str, Tool]:
    """Every tool by its name, in the order in which they are listed."""
    return {name: importlib.import_module(f"torchtalk.tools.{name}").TOOL for name in _NAMES}
