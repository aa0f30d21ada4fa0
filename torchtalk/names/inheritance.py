"""What a Python class inherits from, in the order in which Python looks for a name."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import NamedTuple

from indexer.mro import linearized
from torchtalk.sqlfile import statements

_SQL = Path(__file__).parent / "names.sql"


class Ancestor(NamedTuple):
    """A class of the order.

    Args:
        class_id: of `python_classes`; None where the tree has no such class.
        name: in full.
        distance: how many steps of inheritance lead to it; 0 for the class itself.
    """

    class_id: int | None
    name: str
    distance: int


def ancestors(conn: sqlite3.Connection, class_id: int) -> list[Ancestor]:
    """A class and all that it inherits from, as its `__mro__` has them.

    Args:
        conn: an index.
        class_id: of `python_classes`.
    """
    found: dict[int | str, Ancestor] = {}
    bases: dict[int | str, list[int | str]] = {}
    for row in conn.execute(statements(_SQL)["ancestors"], {"id": class_id}):
        key = row["id"] if row["id"] is not None else row["name"]
        found.setdefault(key, Ancestor(row["id"], row["name"], row["distance"]))
        if row["derived_id"] is not None:
            above = bases.setdefault(row["derived_id"], [])
            if key not in above:
                above.append(key)
    orders: dict[int | str, list[int | str]] = {}

    def order_of(key: int | str) -> list[int | str]:
        known = orders.get(key)
        if known is None:
            orders[key] = [key]  # what a class that derives from itself gets
            known = orders[key] = linearized(key, bases.get(key, ()), order_of)
        return known

    return [found[key] for key in order_of(class_id) if key in found]
