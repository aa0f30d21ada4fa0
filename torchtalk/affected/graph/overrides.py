"""What runs a method of Python because it overrides another: who calls that one, and not who uses its class.

`Distribution.variance` is run as Dirichlet's by what calls it on any distribution (torch/distributions/), and not by a
test that makes a Distribution, or one of another class derived from it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Container, Iterable, Iterator

from torchtalk.affected.graph.by_decorators import Rows
from torchtalk.affected.graph.nodes import Edge, Node
from torchtalk.graph.overridden import by_name
from torchtalk.sqlfile import listed

OVERRIDDEN = "overridden"
"""The kind of a method that another one stands for, which is what changed."""

HAS_METHOD = "has this method"
INHERITS = "inherits it"
MAY_RUN = "may run it"
# Who has the class in hand may have one that is derived from it: as an annotation, or to make a class of its own.
_OF_CLASS = 0.25


def method(node: Node) -> Node:
    """The same method as what is itself called.

    Args:
        node: of a method that is overridden.
    """
    return node._replace(kind="python")


def only_named(rows: Rows, conn: sqlite3.Connection, node: Node) -> frozenset[tuple[str, object]]:
    """Who calls a method of `super()` or of a class alone, as kinds and keys of nodes: that runs no other one.

    Args:
        rows: gives those of a statement of the graph.
        conn: an index.
        node: of the method.
    """
    if not isinstance(node.key, int):
        return frozenset()
    callers = by_name(conn, (node.key,)).get(node.key, ())
    tests = rows("tests_of_functions", functions=listed(tuple(callers))) if callers else []
    found: set[tuple[str, object]] = {("python", caller) for caller in callers}
    return frozenset(found.union(("test", row["id"]) for row in tests))


def by_override(
    node: Node, edges: Iterable[Edge], others: Container[tuple[str, object]] = ()
) -> Iterator[Edge]:
    """What depends on one that overrides a method, of what depends on the method.

    Args:
        node: of the method that is overridden.
        edges: to what depends on it.
        others: kinds and keys of nodes that run none that overrides it.
    """
    owner = node.name.rpartition(".")[0]
    for edge in edges:
        if (edge.node.kind, edge.node.key) in others:
            continue
        if edge.why == HAS_METHOD:
            yield edge._replace(weight=edge.weight * _OF_CLASS)
        elif edge.node.kind == "python" and edge.node.name.rpartition(".")[0] == owner:
            # What its class calls on itself is run of the derived one: `stddev` has `self.variance`.
            yield edge._replace(node=edge.node._replace(kind=OVERRIDDEN))
        elif edge.why != INHERITS and edge.node.kind != "opinfo":
            yield edge
