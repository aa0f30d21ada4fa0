"""An earlier set of tools: other names and one argument each, answered by the same code.

`torchtalk mcp-serve --tools classic` serves these in the place of the usual ones.
"""

from __future__ import annotations

import functools
import json
import sqlite3
from collections.abc import Callable
from typing import Any

from torchtalk.answers.base import Page, Place
from torchtalk.answers.bindings import BindingLine, BindingsAnswer
from torchtalk.answers.graph import NeighboursAnswer
from torchtalk.graph import nodes
from torchtalk.tools import queries
from torchtalk.tools.catalog import DEFAULT_EXCLUDE
from torchtalk.tools.cuda_kernels import cuda_kernels
from torchtalk.tools.spec import Tool, name_parameter
from torchtalk.tools.trace import trace
from torchtalk.tools.walks.neighbours import neighbours
from torchtalk.tools.walks.question import Seeds
from torchtalk.tools.walks.seeds import find

_MOST = 60


def calls(conn: sqlite3.Connection, name: str, direction: str) -> NeighboursAnswer:
    """What a C++ function calls, or what calls it; an operator stands for its kernels.

    Args:
        conn: an index.
        name: of the function or operator.
        direction: `calls` or `called_by`.
    """
    seeds = find(conn, name)
    operators = nodes.ids(seeds.nodes, nodes.OPERATOR)
    if operators and len(operators) == len(seeds.nodes):
        rows = conn.execute(queries("classic")["kernels"], {"operators": json.dumps(operators)})
        kernels = tuple(nodes.code(nodes.FUNCTION, row["id"]) for row in rows)
        if kernels:
            note = f"{seeds.what} is an operator: shown is what holds for its kernels"
            seeds = Seeds(kernels, seeds.what, (*seeds.notes, note))
    return neighbours(conn, name, direction, DEFAULT_EXCLUDE, "text", _MOST, 0, seeds)


def bindings(conn: sqlite3.Connection, query: str) -> BindingsAnswer:
    """What C++ gives to Python under a name.

    Args:
        conn: an index.
        query: a part of the Python or the C++ name.
    """
    text = query.strip()
    if not text:
        return BindingsAnswer(query, "give a name or a part of one")
    rows = conn.execute(queries("classic")["bindings"], {"text": text, "limit": _MOST}).fetchall()
    total = rows[0]["total"] if rows else 0
    found = tuple(
        BindingLine(
            row["python_name"], row["cpp_name"], row["kind"], Place(row["file"], row["line"])
        )
        for row in rows
    )
    what = f"{total} bindings fit {query!r}" if total else f"no binding fits {query!r}"
    return BindingsAnswer(query, what, bindings=found, page=Page(total, 0, len(found)))


def _tool(
    name: str, title: str, description: str, argument: str, help_text: str, run: Callable[..., Any]
) -> Tool:
    return Tool(
        name,
        title,
        description,
        (name_parameter(argument, help_text),),
        run,
        ({argument: "softmax"},),
        layers=("native", "python"),
    )


_NAME = "an operator, a Python API or a kernel, in any usual form"

TOOLS = (
    _tool(
        "get_binding_chain", "From Python to the kernels",
        "Follow a Python API or operator to its overloads, dispatch table, kernels and gradient, with file:line.",
        "name", _NAME, trace,
    ),
    _tool(
        "get_native_function", "An operator's declaration",
        "An operator's entries in native_functions.yaml and derivatives.yaml: schema, tags, formulas, file:line.",
        "name", _NAME, functools.partial(trace, focus="yaml"),
    ),
    _tool(
        "get_dispatch_implementations", "Kernels by dispatch key",
        "Every dispatch key of an operator's overloads with the kernel behind it and where it is defined.",
        "name", _NAME, functools.partial(trace, focus="dispatch"),
    ),
    _tool(
        "get_cpp_callees", "What a C++ function calls",
        "The functions and operators that a C++ function calls, each with its place and that of the call.",
        "name", "a C++ function or an operator", functools.partial(calls, direction="calls"),
    ),
    _tool(
        "get_cpp_callers", "What calls a C++ function",
        "The functions that call a C++ function, each with its place and that of the call.",
        "name", "a C++ function or an operator", functools.partial(calls, direction="called_by"),
    ),
    _tool(
        "get_cuda_kernels", "GPU kernels",
        "GPU kernels and where they are launched, by kernel, launching function, operator or file.",
        "name", "a kernel, function, operator or file, or a part of one", cuda_kernels,
    ),
    _tool(
        "search_bindings", "Search bindings",
        "Search the names that C++ gives to Python, with the function behind each and file:line.",
        "query", "a part of the Python or the C++ name", bindings,
    ),
)  # fmt: skip


@functools.cache
def classic_tools() -> dict[str, Tool]:
    """Every tool of the set by its name."""
    return {tool.name: tool for tool in TOOLS}
