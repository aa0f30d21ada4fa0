"""A destructor that is asked for: it runs where an object ends, which no call names, so who makes one stands for it."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace

from torchtalk.counted import counted
from torchtalk.graph import nodes
from torchtalk.tools.walks.question import Seeds


def with_constructors(conn: sqlite3.Connection, seeds: Seeds) -> Seeds:
    """The same, with the constructors of the class where only destructors are meant that nothing is seen to call.

    Args:
        conn: an index.
        seeds: what is asked for.
    """
    functions = nodes.ids(seeds.nodes, nodes.FUNCTION)
    if not functions or len(functions) < len(seeds.nodes):
        return seeds
    rows = conn.execute(nodes.sql()["constructors"], {"ids": json.dumps(functions)}).fetchall()
    if {row["destructor"] for row in rows} != set(functions):
        return seeds
    more = dict.fromkeys(nodes.code(nodes.FUNCTION, row["id"]) for row in rows)
    note = (
        "a destructor runs where an object ends, which no call names: who makes one, by its class's "
        f"{counted(len(more), 'constructor')}, stands for that"
    )
    return replace(seeds, nodes=(*seeds.nodes, *more), notes=(*seeds.notes, note))
