"""The calls that files hold, kept for the link steps that resolve them, and for an update that does so again.

They stay packed: a million rows would take longer to insert than to resolve.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from indexer.facts.cpp import CallColumns, PackedCalls
from indexer.write.kept import kept_values, put_kept

WRITTEN = "calls"
"""In the table `kept`: those that a C++ file writes out."""

MADE = "made calls"
"""Those of the functions that a C++ file's macro uses make."""

PYTHON = "python calls"
"""Those of a Python file."""

_FIRST = 8  # bytes of the id of a file's first function


def keep_calls(
    conn: sqlite3.Connection, what: str, file_id: int, first: int, packed: bytes
) -> None:
    """Keep one file's calls.

    Args:
        conn: the database being built.
        what: one of this module's.
        file_id: of the file.
        first: id of the function that the calls number 0.
        packed: the calls.
    """
    put_kept(conn, what, [(file_id, first.to_bytes(_FIRST, "big") + packed)])


def kept_calls(
    conn: sqlite3.Connection, what: str, files: Collection[int] | None = None
) -> Iterator[tuple[int, int, bytes]]:
    """The calls of some files, or of all for None: the file, the id of its first function, the calls as packed.

    Args:
        conn: an index.
        what: `WRITTEN`, `MADE` or `PYTHON`.
        files: ids; None for all.
    """
    for file_id, data in kept_values(conn, what, files):
        yield file_id, int.from_bytes(data[:_FIRST], "big"), data[_FIRST:]


@contextmanager
def unpacking() -> Iterator[None]:
    """What is packed is unpacked.

    Raises:
        sqlite3.DatabaseError: it is damaged.
    """
    try:
        yield
    except ValueError as error:
        # SQLite checks how pages hang together, not what is on them.
        raise sqlite3.DatabaseError(f"what was kept of a file cannot be read: {error}") from error


def read_calls(
    conn: sqlite3.Connection, what: str, files: Collection[int] | None = None
) -> Iterator[tuple[int, int, CallColumns]]:
    """The same of C++ files, unpacked.

    Args:
        conn: an index.
        what: `WRITTEN` or `MADE`.
        files: ids; None for all.

    Raises:
        sqlite3.DatabaseError: what was kept is damaged.
    """
    for file_id, first, packed in kept_calls(conn, what, files):
        with unpacking():
            calls = PackedCalls(packed).unpacked()
        yield file_id, first, calls
