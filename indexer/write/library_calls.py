"""Calls of vendors' libraries into their table."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from indexer.facts.library_calls import LibraryCall


def write_library_calls(
    conn: sqlite3.Connection, file_id: int, facts: Iterable[LibraryCall]
) -> None:
    """Insert the calls of one file; of the same in one line one.

    Args:
        conn: the database being built.
        file_id: of the file.
        facts: the calls.
    """
    conn.executemany(
        "INSERT OR IGNORE INTO library_calls (file_id, line, name, library) VALUES (?, ?, ?, ?)",
        ((file_id, *fact) for fact in facts),
    )
