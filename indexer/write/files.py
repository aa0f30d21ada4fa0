"""Source files, coverage and the meta table."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping

from indexer.facts.operators import Shortfall
from indexer.write.ids import SPACING


def write_file(
    conn: sqlite3.Connection, path: str, kind: str, size: int, sha: str, file_id: int | None = None
) -> int:
    """Insert one source file.

    Args:
        conn: the database being built.
        path: in the tree.
        kind: as `source_files` of schema.sql has it.
        size: in bytes.
        sha: git's hash of the content.
        file_id: the id that it had before, or is to have; None takes one behind all others.

    Returns:
        Its id.
    """
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
    """Insert what a layer did, or what it could not read.

    Args:
        conn: the database being built.
        file: that could not be read in whole; None for what is said of the layer.
        shortfalls: what is said.
    """
    conn.executemany(
        "INSERT INTO coverage (layer, file, status, detail) VALUES (?, ?, ?, ?)",
        ((s.layer, file, s.status, s.detail) for s in shortfalls),
    )


def write_meta(conn: sqlite3.Connection, values: Mapping[str, str | None]) -> None:
    """Insert or replace facts about the index itself.

    Args:
        conn: the database being built.
        values: by key.
    """
    conn.executemany("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", values.items())
