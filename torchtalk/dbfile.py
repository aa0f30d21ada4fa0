"""What marks a file as torchtalk's, shared by the writer and the readers."""

from __future__ import annotations

import sqlite3

APPLICATION_ID = 0x74746B31
"""`ttk1`, in the header of every file (PRAGMA application_id)."""

SCHEMA_VERSION = 1
"""Version of schema.sql (PRAGMA user_version); one migration leads to each."""

SQLITE_FLOOR = (3, 37, 0)
"""STRICT tables need this version."""


class SqliteTooOld(RuntimeError):
    """The SQLite that this Python is linked with lacks what torchtalk needs."""


def check_sqlite() -> None:
    """Raise `SqliteTooOld` unless SQLite has STRICT tables and FTS5."""
    if sqlite3.sqlite_version_info < SQLITE_FLOOR:
        floor = ".".join(map(str, SQLITE_FLOOR))
        raise SqliteTooOld(
            f"torchtalk needs SQLite {floor} or newer; this Python has {sqlite3.sqlite_version}. "
            "Use a Python that is linked with a newer one."
        )
