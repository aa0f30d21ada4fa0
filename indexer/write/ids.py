"""Ids that depend on the file alone, so that an edit of one file moves no other file's rows.

Files are numbered in their order, `SPACING` apart; what a file holds is numbered from `STRIDE` times its number.
Between two files there is room for others and for files that grow; `NoRoom` says that there is none left.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection

SPACING = 512
"""Between the ids of two neighbouring files of a full build: so many can come between them."""

STRIDE = 16
"""Times its number, a file's rows begin. Together both leave room for 8,192 rows from one file to the next,
and keep the ids of PyTorch's 9,000 files below 2**27, in four bytes of a record."""

MADE = 1 << 30
"""Functions that macros make as a whole are numbered from here: behind all that files write out."""

_FAR = 1 << 40


class NoRoom(Exception):
    """The ids between two files are used up; only a full build can number them anew."""


def made_offset(conn: sqlite3.Connection) -> int:
    """What is added to the ids of functions that macros make as a whole, in the database `conn`."""
    last = conn.execute("SELECT coalesce(max(id), 0) FROM source_files").fetchone()[0]
    return MADE if (last + SPACING) * STRIDE < MADE else _FAR


def ceiling(conn: sqlite3.Connection, file_id: int) -> int:
    """The first id in the database `conn` that belongs to the file behind that with the id `file_id`."""
    row = conn.execute("SELECT min(id) FROM source_files WHERE id > ?", (file_id,)).fetchone()
    if row[0] is not None:
        return int(row[0]) * STRIDE
    return MADE if (file_id + SPACING) * STRIDE < MADE else _FAR


def first_id(
    conn: sqlite3.Connection, table: str, file_id: int, count: int, offset: int = 0
) -> int:
    """The id that the next of `count` rows of a file gets in a table.

    Args:
        conn: the database being built.
        table: one whose rows belong to files.
        file_id: of the file.
        count: how many rows there will be.
        offset: added to every id of the table.

    Raises:
        NoRoom: so many do not fit before those of the next file.
    """
    end = ceiling(conn, file_id) + offset
    row = conn.execute(f"SELECT max(id) FROM {table} WHERE id < ?", (end,)).fetchone()
    start = file_id * STRIDE + offset
    if row[0] is not None:
        start = max(start, int(row[0]) + 1)
    if start + count > end:
        raise NoRoom
    return start


def between(
    before: int | None, after: int | None, count: int, gone: Collection[int] = ()
) -> list[int]:
    """Ids for files that are inserted between two others.

    Args:
        before: id of the file before them, or None.
        after: id of the file behind them, or None.
        count: how many.
        gone: ids of files that are taken out, which none of them gets: it would be taken for what was there.

    Raises:
        NoRoom: there are not so many.
    """
    start = before or 0
    old = {n for n in gone if start < n and (after is None or n < after)} if count else set()
    places = range(1, count + len(old) + 1)
    if after is None:
        found = [start + SPACING * n for n in places]
    else:
        found = [start + (after - start) * n // (len(places) + 1) for n in places]
        if count and (found[0] == start or len(set(found)) < len(places)):
            raise NoRoom
    return [n for n in found if n not in old][:count]
