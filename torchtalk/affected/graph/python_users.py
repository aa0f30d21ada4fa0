"""Edges from a function of Python to the functions that call it, name it, or are decorated with it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator

from torchtalk.affected.graph.nodes import MAY_CALL, SEVERAL, Edge, Node, one_of, share, spread

_CALLER = 0.8
# What names more things than this, and calls none of them, is a list that is about none (`get_ignored_functions`).
_TABLE = 100


def using(users: Iterable[sqlite3.Row]) -> Iterator[Edge]:
    """To each of a function's users.

    Args:
        users: rows of the statement `python_callers`.
    """
    callers: list[sqlite3.Row] = []
    wrapped: list[sqlite3.Row] = []
    for row in users:
        (wrapped if row["is_decorated"] else callers).append(row)
    each = _CALLER * spread(len(callers))
    for row in callers:
        why = "calls it" if row["among"] <= SEVERAL else MAY_CALL
        weight = each * one_of(row["among"])
        if (row["named"] or 0) > _TABLE:
            why, weight = "names it", weight * share(row["named"])
        yield Edge(Node("python", row["id"], row["name"]), weight, why)
    for row in wrapped:
        # Of what is over hundreds, as what registers them, no test of one of these is a test.
        weight = _CALLER * min(1.0, SEVERAL / len(wrapped))
        yield Edge(Node("python", row["id"], row["name"]), weight, "is decorated with it")
