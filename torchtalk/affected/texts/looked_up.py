"""Tests that run a method which is looked up by a part of its name: `next(…)` runs Dynamo's `call_next`.

`getattr(obj, f"call_{fn.__name__}")` is called by nobody who has the whole name. What follows the prefix is a name that
programs have, and so have the tests of the part of PyTorch that looks methods up so.
"""

from __future__ import annotations

import re
import sqlite3

from torchtalk.affected import queries
from torchtalk.affected.places.changes import Changes
from torchtalk.affected.sources import Sources
from torchtalk.affected.texts.mentions import Wanted, add_having

_MOST_SEEDS = 8
# How the index writes what begins so: see indexer/extract/python/getattr_attributes.py.
_ANY = "~"


def take_looked_up(conn: sqlite3.Connection, changes: Changes, sources: Sources) -> None:
    """Add the tests at home that have in their bodies the name by which a changed method is looked up.

    Args:
        conn: an index.
        changes: to be added to.
        sources: the tree.
    """
    sql = queries("texts")["looked_up"]
    wanted: dict[str, Wanted] = {}
    seeds = [seed for seed in changes.seeds.values() if seed.node.kind == "python"]
    for seed in seeds[:_MOST_SEEDS]:
        name = seed.node.name.rpartition(".")[2]
        for row in conn.execute(sql, {"function": seed.node.key}).fetchall():
            prefix = row["target"].rpartition(".")[2].rstrip(_ANY)
            rest = name.removeprefix(prefix)
            if prefix and rest != name:
                # A function of Python's own is called by its name alone, a method or an attribute behind a dot.
                form = re.compile(rf"(?<!def )(?<![\w.]){re.escape(rest)}\(|\.{re.escape(rest)}\b")
                how = f"has {rest}, for which {name} is looked up"
                wanted[rest] = Wanted(form, how, seed.place, seed.file)
    add_having(conn, wanted, changes, sources, at_home=True)
