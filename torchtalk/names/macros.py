"""Macros of C++, which are no functions and have names all the same."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from torchtalk.sqlfile import statements

_SQL = Path(__file__).parent / "names.sql"


def macro_places(conn: sqlite3.Connection, name: str) -> tuple[str, ...]:
    """Where a macro of a name is defined; nothing for what is none.

    Args:
        conn: an index.
        name: with or without its arguments.
    """
    bare = name.partition("(")[0].strip()
    rows = conn.execute(statements(_SQL)["macro"], {"name": bare})
    return tuple(f"{row['path']}:{row['line']}" for row in rows)
