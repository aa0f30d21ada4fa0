"""A class of Python that nobody names stands for its methods: `Resize.apply(x)` runs `forward` and makes no object."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

from torchtalk.counted import few
from torchtalk.graph import nodes
from torchtalk.tools.walks import queries
from torchtalk.tools.walks.question import Seeds

_MOST_NAMED = 6


def with_methods(conn: sqlite3.Connection, seeds: Seeds) -> Seeds:
    """The same, with those methods of a class that others use where nothing uses the class.

    Args:
        conn: an index.
        seeds: what is meant.
    """
    if len(seeds.nodes) != 1 or seeds.nodes[0] & 15 != nodes.CLASS:
        return seeds
    rows = conn.execute(
        queries("class_methods")["used"],
        {"id": seeds.nodes[0] >> 4, "node": seeds.nodes[0]},
    ).fetchall()
    if not rows:
        return seeds
    names = few([row["name"].rpartition(".")[2] for row in rows], _MOST_NAMED)
    note = (
        f"nothing is known to use the class itself; its methods that are used stand for it: {names}"
    )
    methods = (nodes.code(nodes.PYTHON, row["id"]) for row in rows)
    return replace(seeds, nodes=(*seeds.nodes, *methods), notes=(*seeds.notes, note), is_class=True)
