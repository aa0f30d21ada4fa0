"""Answers as compact text for a model or a terminal, and as JSON."""

from torchtalk.render import (
    text_affected,
    text_bindings,
    text_compile_options,
    text_compile_path,
    text_cuda_kernels,
    text_diff,
    text_graph,
    text_module,
    text_search,
    text_sql,
    text_status,
    text_tests,
    text_trace,
)
from torchtalk.render.json import to_json
from torchtalk.render.text import to_text

__all__ = [
    "text_affected",
    "text_bindings",
    "text_compile_options",
    "text_compile_path",
    "text_cuda_kernels",
    "text_diff",
    "text_graph",
    "text_module",
    "text_search",
    "text_sql",
    "text_status",
    "text_tests",
    "text_trace",
    "to_json",
    "to_text",
]
