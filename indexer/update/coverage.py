"""Rows of coverage: which step they come from, and their numbers as in a full build."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable

from indexer.scan.files import SourceFile, Unreadable

_READ_BEFORE = {"files": 0, "python": 1, "tests": 2}
"""What is said of a Python file before its registrations, which a full build reads first."""

LAYERS_STEP = 100
"""What is said of each layer in the end."""


def last(conn: sqlite3.Connection) -> int:
    """The id of the last row of `coverage` in the database `conn`; 0 where it has none."""
    return int(conn.execute("SELECT coalesce(max(id), 0) FROM coverage").fetchone()[0])


def belongs_to(conn: sqlite3.Connection, after: int, step: int) -> None:
    """Note that the rows behind one come from a step.

    Args:
        conn: an index.
        after: the last row's id before the step ran.
        step: its number.
    """
    conn.execute("UPDATE coverage SET step = ? WHERE id > ?", (step, after))


def forget(conn: sqlite3.Connection, step: int, files: Collection[str] | None = None) -> None:
    """Remove what a step said, of all files or of some.

    Args:
        conn: an index.
        step: its number.
        files: paths; None for all.
    """
    chosen = None if files is None else json.dumps(sorted(files))
    conn.execute(
        "DELETE FROM coverage WHERE step = :step"
        " AND (:files IS NULL OR file IN (SELECT value FROM json_each(:files)))",
        {"step": step, "files": chosen},
    )


def forget_unread(conn: sqlite3.Connection, paths: Collection[str], *, are_kept: bool) -> None:
    """Remove what is said of files that could not be read.

    Args:
        conn: the database that is brought up to date.
        paths: of files.
        are_kept: it is of all others that it is removed.
    """
    conn.execute(
        "DELETE FROM coverage WHERE step = 0 AND layer = 'files' AND status = 'failed'"
        f" AND file {'NOT ' if are_kept else ''}IN (SELECT value FROM json_each(?))",
        (json.dumps(sorted(paths)),),
    )


def number_again(conn: sqlite3.Connection, listed: Iterable[SourceFile | Unreadable]) -> None:
    """Put all rows in the order of a full build, and say anew what was passed over.

    Args:
        conn: the database that is brought up to date.
        listed: what the tree has, in its order.
    """
    conn.execute("DELETE FROM coverage WHERE step = 0 AND layer = 'files' AND status = 'skipped'")
    listed = list(listed)
    forget_unread(conn, {entry.path for entry in listed}, are_kept=True)
    order: dict[str | None, int] = {}
    passed = []
    for entry in listed:
        order[entry.path] = len(order)
        if isinstance(entry, Unreadable):
            passed.append(("files", entry.path, "skipped", entry.reason, 0))
    rows = conn.execute("SELECT id, layer, file, status, detail, step FROM coverage").fetchall()
    # What a step says is in its own order already; what reading says is in that of the files.
    # But step 15 may have run for some of the files.
    by_file = (0, 15)
    rows.sort(
        key=lambda row: (
            row[5],
            order.get(row[2], 0) if row[5] in by_file else 0,
            _READ_BEFORE.get(row[1], len(_READ_BEFORE)) if row[5] == 0 else 0,
            row[0],
        )
    )
    conn.execute("DELETE FROM coverage")
    conn.executemany(
        "INSERT INTO coverage (id, layer, file, status, detail, step) VALUES (?, ?, ?, ?, ?, ?)",
        ((n, *row) for n, row in enumerate([*passed, *(row[1:] for row in rows)], 1)),
    )
