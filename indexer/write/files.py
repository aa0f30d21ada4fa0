"""Source files, coverage and the meta table."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping

from indexer.facts.operators import Shortfall
from indexer.write.ids import SPACING


def write_file(
    conn: sqlite3.Connection, path: str, kind: str, size: int, sha: str, file_id: int | None = None
) -> int:
    """Insert one source file and return its id: the one given, or one behind all others."""
    if file_id is None:
        last = conn.execute("SELECT coalesce(max(id), 0) FROM source_files").fetchone()[0]
        file_id = int(last) + SPACING
    conn.execute(
        "INSERT INTO source_files (id, path, kind, size, sha) VALUES (?, ?, ?, ?, ?)",
        (file_id, path, kind, size, sha),
    )
    return file_id


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
