"""Source files, coverage and the meta table."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping

from indexer.facts.operators import Shortfall


def write_file(conn: sqlite3.Connection, path: str, kind: str, size: int, sha: str) -> int:
    """Insert one source file and return its id."""
    cursor = conn.execute(
        "INSERT INTO source_files (path, kind, size, sha) VALUES (?, ?, ?, ?)",
        (path, kind, size, sha),
    )
    return int(cursor.lastrowid or 0)


def write_coverage(
    conn: sqlite3.Connection, file: str | None, shortfalls: Iterable[Shortfall]
) -> None:
    """Insert what a layer did, or what it could not read."""
    conn.executemany(
        "INSERT INTO coverage (layer, file, status, detail) VALUES (?, ?, ?, ?)",
        ((s.layer, file, s.status, s.detail) for s in shortfalls),
    )


def write_meta(conn: sqlite3.Connection, values: Mapping[str, str | None]) -> None:
    """Insert or replace facts about the index itself."""
    conn.executemany("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", values.items())
