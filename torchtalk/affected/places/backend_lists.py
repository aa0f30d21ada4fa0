"""Lines of a backend's own YAML file (ts_native_functions.yaml): operators that it has kernels for."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from torchtalk.affected.places.changes import Seed
from torchtalk.affected.places.library import registered_for
from torchtalk.answers.base import Place
from torchtalk.sqlfile import beside

_queries = beside(__file__)


def listed_at(conn: sqlite3.Connection, path: str, at: dict[str, int]) -> Iterator[Seed]:
    """What operators are for a backend, where lines of its file list them.

    Args:
        conn: an index.
        path: of the file.
        at: its id and the first and last line.
    """
    for row in conn.execute(_queries("backend_lists")["listed_at"], at).fetchall():
        yield from registered_for(row["name"], row["backend"], Place(path, row["line"]), 1)
