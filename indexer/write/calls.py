"""The calls that C++ files hold, kept for the link step that resolves them, and for an update that does so again.

They stay packed: a million rows would take longer to insert than to resolve.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterator

from indexer.facts.cpp import CallColumns, PackedCalls

WRITTEN = "written calls"
"""In the table `kept`: those that a file writes out."""

MADE = "made calls"
"""Those of the functions that a file's macro uses make."""

_FIRST = 8  # bytes of the id of a file's first function


def write_calls(
    conn: sqlite3.Connection, what: str, file_id: int, first: int, calls: PackedCalls
) -> None:
    """Keep one file's calls.

    Args:
        conn: the database being built.
        what: `WRITTEN` or `MADE`.
        file_id: of the file.
        first: id of the function that the calls number 0.
        calls: of the file.
    """
    conn.execute(
        "INSERT OR REPLACE INTO kept VALUES (?, ?, ?)",
        (what, file_id, first.to_bytes(_FIRST, "big") + calls.data),
    )


def read_calls(
    conn: sqlite3.Connection, what: str, files: Collection[int] | None = None
) -> Iterator[tuple[int, int, CallColumns]]:
    """The calls of some files, or of all for None: the file, the id of its first function, the calls.

    Raises:
        sqlite3.DatabaseError: what was kept is damaged.
    """
    chosen = None if files is None else json.dumps(sorted(files))
    for file_id, data in conn.execute(
        "SELECT file_id, data FROM kept WHERE what = :what"
        " AND (:files IS NULL OR file_id IN (SELECT value FROM json_each(:files))) ORDER BY file_id",
        {"what": what, "files": chosen},
    ):
        try:
            calls = PackedCalls(data[_FIRST:]).unpacked()
        except ValueError as error:
            raise sqlite3.DatabaseError(
                f"what was kept of a file cannot be read: {error}"
            ) from error
        yield file_id, int.from_bytes(data[:_FIRST], "big"), calls


def call_sizes(conn: sqlite3.Connection, what: str) -> list[tuple[int, int]]:
    """The files that calls are kept of, in their order, and how much that is."""
    return conn.execute(
        "SELECT file_id, length(data) FROM kept WHERE what = ? ORDER BY file_id", (what,)
    ).fetchall()
