"""From C++ to the names that Python has for it, and from those to who uses them on values of which nothing is known."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterator
from typing import Any

from torchtalk.affected.graph.bodies import Bodies
from torchtalk.affected.graph.nodes import BOUND, Edge, Node, spread

_BOUND_TO = 0.9
_BY_LAMBDA = 0.8
_OF_CLASS = 0.5

Rows = Callable[..., list[sqlite3.Row]]


def names_of(rows: Rows, node: Node) -> Iterator[Edge]:
    """From a function to what it, or a lambda that calls it, is bound as.

    Args:
        rows: gives those of a statement of the graph.
        node: of the function.
    """
    for weight, why, used, unused in (
        (_BOUND_TO, "is bound to it", "cpp_bindings", "cpp_bound"),
        (
            _BY_LAMBDA,
            "is bound to a lambda that calls it",
            "cpp_bound_lambdas",
            "cpp_lambdas_unused",
        ),
    ):
        found = [Node("native", row["id"], row["name"]) for row in rows(used, id=node.key)]
        # Of these no Python code is known that uses them, but their names may be in the bodies of tests.
        found += [Node(BOUND, row["name"], row["name"]) for row in rows(unused, id=node.key)]
        for name in found:
            yield Edge(name, weight * spread(len(found)), why)


def users_of_name(rows: Rows, bodies: Bodies, node: Node) -> Iterator[Edge]:
    """Who has it in a body, and the class that it is bound in, with what derives from that: these may use this of it.

    Args:
        rows: gives those of a statement of the graph.
        bodies: looks for names in them.
        node: of what is bound, and not known to be used.
    """
    yield from bodies.having(node)
    owner = node.name.rpartition(".")[0]
    for kind, statement, why in (
        ("native", "native_named", "has it"),
        ("class", "native_heirs", "inherits it"),
    ):
        found = rows(statement, name=owner)
        for row in found:
            yield Edge(Node(kind, row["id"], row["name"]), _OF_CLASS * spread(len(found)), why)


def users_of_method(
    rows: Rows, bodies: Bodies, node: Node, known: Collection[Any]
) -> Iterator[Edge]:
    """Who has the name of a class's method in a body, where that of few values is known to be called.

    `store.set_timeout(…)` of a test is c10d's where nothing tells what `store` is; of what a module has
    (`torch._C._functorch.maybe_get_bdim`) every use is known.

    Args:
        rows: gives those of a statement of the graph.
        bodies: looks for names in them.
        node: of what is bound and used.
        known: to use it.
    """
    owner = node.name.rpartition(".")[0]
    if rows("is_bound_class", name=owner):
        yield from bodies.having(Node(BOUND, node.name, node.name), known)
