"""Edges from a function to what it is registered for: in Python by its decorators, in C++ by the macro that makes it.

Of decorators see `torchtalk.affected.graph.registered`. `REGISTER_OPERATOR_FUNCTOR(aten::abs, aten_abs, [](Node* n) …)`
(torch/csrc/jit/runtime/static/ops.h) makes a function that Static Runtime runs for abs.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from torchtalk.affected import queries
from torchtalk.affected.graph import aspects, registered
from torchtalk.affected.graph.nodes import Edge, Node, aspect, operator, spread
from torchtalk.kept import once
from torchtalk.sqlfile import listed

_EXPORT = 0.9
_CALLED = 0.8
_RULE = 0.9
_HIGHER = 0.95

_IN_CPP = 0.9
# Whose folders are many: jit, runtime, static.
_INNERMOST = 2
_FOR_OPERATOR = re.compile(r"\w+\(\s*(?P<name>[a-z]\w*::\w+)\s*,")

Rows = Callable[..., list[sqlite3.Row]]
"""Gives the rows of a statement, by its name and parameters."""


def registered_for(rows: Rows, node: Node, row: sqlite3.Row) -> Iterator[Edge]:
    """To what its decorators register a function of Python for.

    Args:
        rows: gives those of a statement of the graph.
        node: of the function.
        row: what is known of it: name, decorators, path, module_id.
    """
    decorators = row["decorators"] or ""
    exported = aspects.exported(decorators)
    for of in exported:
        weight = _EXPORT * spread(len(exported))
        yield Edge(aspect(operator(of), aspects.ONNX), weight, "is its export to ONNX")
    if exported:
        namesakes = rows("tests_called", names=listed(_names_of_tests(row["name"], exported)))
        words = aspects.Words(aspects.ONNX)
        about = [test for test in namesakes if words.fit_row(test)]
        for test in about:
            yield Edge(
                Node("test", test["id"], ""), _CALLED * spread(len(about)), "is named after it"
            )
    operators = registered.operators(decorators)
    part = registered.part_of(row["path"]) if operators else ()
    for of in operators:
        weight = _RULE * spread(len(operators))
        why = f"is its function of {' '.join(part)}"
        yield Edge(aspect(operator(of), aspects.in_part(part)), weight, why)
    for higher in registered.higher_order(decorators):
        values = {"module": row["module_id"], "id": node.key, **higher._asdict()}
        for called in rows("higher_order", **values):
            target = Node("python", called["id"], called["name"])
            yield Edge(target, _HIGHER, "is its implementation")


def users_of(rows: Rows, node: Node) -> list[sqlite3.Row]:
    """The functions of Python that call one, or stand over it.

    Of what decorators register for operators nobody runs more than the one that is asked for, which the operators'
    tests do: where a table is looked up that has hundreds of such is no user of any.

    Args:
        rows: gives those of a statement of the graph.
        node: of the function.
    """
    users = rows("python_callers", id=node.key)
    if any(row["is_looked_up"] for row in users):
        decorators = rows("python_own", id=node.key)[0]["decorators"] or ""
        if aspects.exported(decorators) or registered.operators(decorators):
            users = [row for row in users if not row["is_looked_up"]]
    return users


def made_for(conn: sqlite3.Connection, rows: Rows, node: Node) -> Iterator[Edge]:
    """From what a macro makes of code of its own in C++ to the operator that it is given before that.

    Args:
        conn: an index.
        rows: gives those of a statement of the graph.
        node: of the function.
    """
    for row in rows("cpp_made", id=node.key):
        made = once(conn, _made).get((row["file_id"], row["line"], row["macro"]))
        if made is not None:
            part = registered.part_of(made.path)[-_INNERMOST:]
            of = aspect(operator(made.name), aspects.in_part(part, is_node=True))
            yield Edge(of, _IN_CPP, f"is its function of {' '.join(part)}")


class _Made(NamedTuple):
    """What a macro is given first, the name of an operator, and the path of the file where it is used."""

    name: str
    path: str


def _made(conn: sqlite3.Connection) -> dict[tuple[int, int, str], _Made]:
    """The uses of macros that are for an operator, by file, line and macro."""
    found: dict[tuple[int, int, str], _Made] = {}
    for row in conn.execute(queries("graph")["uses_with_names"]):
        match = _FOR_OPERATOR.match(row["text"])
        if match is not None:
            found[row["file_id"], row["line"], row["name"]] = _Made(match["name"], row["path"])
    return found


def _names_of_tests(function: str, operators: Iterable[str]) -> tuple[str, ...]:
    """What tests of a symbolic function are called: after it or after the operator, as `test_quantized_conv3d` is.

    Tests do not call `quantized::conv3d`, which a quantized module runs, and `aten::numel` is a method alone.
    """
    names = [function, *(of.removeprefix("aten::").replace("::", "_") for of in operators)]
    return tuple(f"test_{name.strip('_')}" for name in dict.fromkeys(names))
