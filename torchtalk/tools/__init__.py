"""One module for each question, beside the SQL it asks."""

from __future__ import annotations

import functools

from torchtalk.sqlfile import beside
from torchtalk.tools.catalog import TOOLS
from torchtalk.tools.spec import Tool

queries = beside(__file__)
"""The named statements of a tool's `.sql` file."""


@functools.cache
def all_tools() -> dict[str, Tool]:
    """Every tool by its name, in the order in which they are listed."""
    return {tool.name: tool for tool in TOOLS}
