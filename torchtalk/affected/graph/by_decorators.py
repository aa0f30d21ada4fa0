"""Edges from a function of Python to what its decorators register it for (`torchtalk.affected.graph.registered`)."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator

from torchtalk.affected.graph import aspects, registered
from torchtalk.affected.graph.nodes import Edge, Node, aspect, operator, spread

_EXPORT = 0.9
_RULE = 0.9
_HIGHER = 0.95

Rows = Callable[..., list[sqlite3.Row]]
"""Gives the rows of a statement, by its name and parameters."""


def registered_for(rows: Rows, node: Node, row: sqlite3.Row) -> Iterator[Edge]:
    """To what its decorators register a function of Python for.

    Args:
        rows: gives those of a statement of the graph.
        node: of the function.
        row: what is known of it: decorators, path, module_id.
    """
    decorators = row["decorators"] or ""
    exported = aspects.exported(decorators)
    for of in exported:
        weight = _EXPORT * spread(len(exported))
        yield Edge(aspect(operator(of), aspects.ONNX), weight, "is its export to ONNX")
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
