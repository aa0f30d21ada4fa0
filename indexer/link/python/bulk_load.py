"""Writing many rows into a table at once."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator


@contextlib.contextmanager
def without_index(conn: sqlite3.Connection, name: str) -> Iterator[None]:
    """Make an index anew behind a bulk load: that is several times faster than keeping it.

    Args:
        conn: the database.
        name: of the index; one that is not there is left so.
    """
    query = "SELECT sql FROM sqlite_master WHERE type = 'index' AND name = ?"
    row = conn.execute(query, (name,)).fetchone()
    if row is not None:
        conn.execute(f"DROP INDEX {name}")
    yield
    if row is not None:
        conn.execute(row[0])
