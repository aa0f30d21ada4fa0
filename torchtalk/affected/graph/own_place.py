"""Edges from a function of Python to what it is itself: a test, or a method of a class and of its heirs."""

from __future__ import annotations

from collections.abc import Iterator

from torchtalk.affected.graph.by_decorators import Rows, registered_for
from torchtalk.affected.graph.entry_classes import fields_of
from torchtalk.affected.graph.nodes import ITSELF, Edge, Node, spread
from torchtalk.affected.graph.overrides import HAS_METHOD, INHERITS

_MODULE_METHODS = ("forward", "__init__", "__call__", "step")
_HEIR = 0.95


def standing_in(rows: Rows, node: Node, is_called: bool) -> Iterator[Edge]:
    """To the test that a function is, to the class that has it, and to what its decorators register it for.

    Args:
        rows: gives those of a statement of the graph.
        node: of the function.
        is_called: tests or other functions call it.
    """
    for at, row in enumerate(rows("python_own", id=node.key)):
        if not at:  # the others are more tests that run it
            yield from registered_for(rows, node, row)
        if row["test_id"] is not None:
            # Other tests of its class do not run it.
            yield Edge(Node("test", row["test_id"], ""), 1.0, ITSELF)
        elif row["class_id"] is not None:
            if is_called and rows("class_own_tests", id=row["class_id"]):
                # A helper of tests runs for those that call it on `self`, not for all of their class.
                continue
            last = row["name"].rpartition(".")[2]
            weight = 0.9 if last in _MODULE_METHODS else 0.5
            yield Edge(Node("class", row["class_id"], row["class_name"]), weight, HAS_METHOD)
            made = list(fields_of(rows, row["class_id"], row["class_name"], last))
            if made:
                # Entries of its heirs are among these.
                yield from made
                continue
            # They run it as the class does that has it, which may be there for them alone: _BatchNorm.
            heirs = rows("heirs", id=row["class_id"], method=f".{last}")
            each = weight * _HEIR * spread(len(heirs))
            for heir in heirs:
                yield Edge(Node("class", heir["id"], heir["name"]), each, INHERITS)
