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
from torchtalk.answers.calls import BindingLine, BindingsAnswer, CallLine, CallsAnswer
from torchtalk.names import resolve
from torchtalk.names.closest import closest, last_component
from torchtalk.tools import queries
from torchtalk.tools.cuda_kernels import cuda_kernels
from torchtalk.tools.spec import Parameter, Tool
from torchtalk.tools.trace import trace

_MOST = 60


def calls(conn: sqlite3.Connection, name: str, direction: str) -> CallsAnswer:
    """What a C++ function calls, or what calls it.

    Args:
        conn: an index.
        name: of the function, or of an operator, which stands for its kernels.
        direction: callers or callees.
    """
    sql = queries("classic")
    text = name.strip().removesuffix("()")
    at = {"name": text, "last": last_component(text)}
    rows = conn.execute(sql["functions"], at).fetchall() if text else []
    notes: tuple[str, ...] = ()
    if not rows:
        target = resolve(conn, text).target
        if target is not None and target.overloads:
            rows = conn.execute(sql["kernels"], {"names": json.dumps(target.overloads)}).fetchall()
            notes = (f"{target.name} is an operator: shown are its kernels' {direction}",)
    if not rows:
        finding = f"no C++ function in this index is called {name!r}"
        return CallsAnswer(name, finding, closest=closest(conn, text), direction=direction)
    ids = json.dumps([row["id"] for row in rows])
    found = conn.execute(sql[direction], {"ids": ids}).fetchall()
    if direction == "callers":
        served = [f"{row[0]} ({row[1]})" for row in conn.execute(sql["serves"], {"ids": ids})]
        if served:
            notes = (*notes, f"the dispatcher calls it for {', '.join(served)}")
    lines = tuple(
        CallLine(
            row["function"], Place(row["path"], row["line"]), Place(row["call_path"], row["call_line"]),
            row["kind"], row["origin"],
        )
        for row in found[:_MOST]
    )  # fmt: skip
    functions = tuple((row["name"], Place(row["path"], row["line"])) for row in rows)
    number = f"{len(functions)} definition{'s' * (len(functions) > 1)}"
    return CallsAnswer(
        name, f"{name}: {number}, {len(found)} {direction}", notes, (), direction, functions, lines,
        Page(len(found), 0, len(lines)),
    )  # fmt: skip


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
        (Parameter(argument, str, help_text),),
        run,
        ({argument: "softmax"},),
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
        "name", "a C++ function or an operator", functools.partial(calls, direction="callees"),
    ),
    _tool(
        "get_cpp_callers", "What calls a C++ function",
        "The functions that call a C++ function, each with its place and that of the call.",
        "name", "a C++ function or an operator", functools.partial(calls, direction="callers"),
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
