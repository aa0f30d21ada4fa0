"""The operators that a C++ function or stub is run by: a change's way to its tests, as far as the first of them."""

from __future__ import annotations

import heapq
import sqlite3
from typing import NamedTuple

from torchtalk.affected.graph import aspects
from torchtalk.affected.graph.backwards import OVERLOAD, OVERLOADED, Graph
from torchtalk.affected.graph.nodes import Node, operator

_MOST_NODES = 200
_MOST = 12
# Operators that are reached much more weakly than the first run it among many other things.
_MUCH_LESS = 0.3
_FAINT = 0.02


class Above(NamedTuple):
    """The nearest operators above C++ code.

    Args:
        operators: as `aten::add`, the nearest first.
        aspects: of which aspects of them it is; none where it is of one as a whole.
    """

    operators: tuple[str, ...]
    aspects: tuple[str, ...]


def operators_above(
    conn: sqlite3.Connection, functions: tuple[int, ...], stub: str = "", *, is_class: bool = False
) -> Above:
    """Find the nearest operators above C++ code.

    Args:
        conn: an index.
        functions: ids of C++ functions: all overloads of one, so that who calls one or another of these calls it.
        stub: qualified name of a DispatchStub, or nothing.
        is_class: the functions are a class's: where very much uses one or another of them, the operators that are met
            first are met by chance.
    """
    graph = Graph(conn)
    seeds = [Node("cpp", identity, "") for identity in functions]
    seeds += [Node("stub", stub, stub)] if stub else []
    asked = frozenset(seeds)
    heap = [(-1.0, at, node) for at, node in enumerate(seeds)]
    number = len(heap)
    found: dict[str, float] = {}
    of: dict[str, None] = {}
    done: set[Node] = set()
    while heap and len(done) < _MOST_NODES and len(found) < _MOST:
        negative, _, node = heapq.heappop(heap)
        if node in done or -negative < _MUCH_LESS * max(found.values(), default=0.0):
            continue
        done.add(node)
        if node.kind in ("operator", "aspect"):
            name, _, aspect = str(node.key).partition("\t")
            found.setdefault(operator(name).name, -negative)
            of[aspect] = None
            continue
        for edge in graph.dependents(node):
            weight = -negative * edge.weight
            if node in asked and edge.why == OVERLOADED:
                weight /= OVERLOAD
            if edge.node.kind in ("cpp", "stub", "operator", "aspect") and weight > _FAINT:
                number += 1
                heapq.heappush(heap, (-weight, number, edge.node))
    if is_class and len(done) >= _MOST_NODES:
        return Above((), ())
    is_whole = "" in of or any(map(aspects.is_compiled, of))
    return Above(tuple(found), () if is_whole else tuple(of))
