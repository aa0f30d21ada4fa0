"""The operators that a C++ function or stub is run by: a change's way to its tests, as far as the first of them."""

from __future__ import annotations

import heapq
import sqlite3

from torchtalk.affected.graph import Graph
from torchtalk.affected.nodes import Node, operator

_MOST_NODES = 200
_MOST = 5
# Operators that are reached much more weakly than the first run it among many other things.
_MUCH_LESS = 0.3
_FAINT = 0.02


def operators_above(
    conn: sqlite3.Connection, functions: tuple[int, ...], stub: str = ""
) -> tuple[str, ...]:
    """Find the nearest operators above C++ code, as `aten::add`, the nearest first.

    Args:
        conn: an index.
        functions: ids of C++ functions.
        stub: qualified name of a DispatchStub, or nothing.
    """
    graph = Graph(conn)
    seeds = [Node("cpp", identity, "") for identity in functions]
    seeds += [Node("stub", stub, stub)] if stub else []
    heap = [(-1.0, at, node) for at, node in enumerate(seeds)]
    number = len(heap)
    found: dict[str, float] = {}
    done: set[Node] = set()
    while heap and len(done) < _MOST_NODES and len(found) < _MOST:
        negative, _, node = heapq.heappop(heap)
        if node in done or -negative < _MUCH_LESS * max(found.values(), default=0.0):
            continue
        done.add(node)
        if node.kind in ("operator", "aspect"):
            found.setdefault(operator(str(node.key).partition("\t")[0]).name, -negative)
            continue
        for edge in graph.dependents(node):
            weight = -negative * edge.weight
            if edge.node.kind in ("cpp", "stub", "operator", "aspect") and weight > _FAINT:
                number += 1
                heapq.heappush(heap, (-weight, number, edge.node))
    return tuple(found)
