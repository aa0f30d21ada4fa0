"""What is read of a whole index once, for all questions that it is asked: how many files have each name, for one.

It is the same for all connections to one file, which is only ever replaced, and goes with the last of them.
"""

from __future__ import annotations

import os
import sqlite3
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")
Identity = tuple[int, int, int]


class _Kept(dict[Callable[..., Any], Any]):
    """What was read of one file, by what read it."""


_of_files: weakref.WeakValueDictionary[Identity, _Kept] = weakref.WeakValueDictionary()


class Connection(sqlite3.Connection):
    """A connection to an index that nobody writes to.

    Attributes:
        kept: what was read of it; None until it is known which file it is.
    """

    kept: _Kept | None = None


def identity(path: Path) -> Identity | None:
    """What tells one file from the next at the same path; None where there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_mtime_ns


def keep(conn: Connection, of: Identity | None) -> None:
    """Let a connection keep what is read, and have what others to the same file have read.

    Args:
        conn: the connection.
        of: its file; None where that may have been replaced while it was opened.
    """
    conn.kept = _Kept() if of is None else _of_files.setdefault(of, _Kept())


def once(conn: sqlite3.Connection, read: Callable[[sqlite3.Connection], T]) -> T:
    """What `read` gives for an index, which it is asked once.

    Args:
        conn: the index; what another connection than `torchtalk.db.connect` gives tells is read anew.
        read: a function of a module, whose results nobody changes.
    """
    kept = conn.kept if isinstance(conn, Connection) else None
    if kept is None:
        return read(conn)
    if read not in kept:
        kept[read] = read(conn)
    found: T = kept[read]
    return found


def is_read(conn: sqlite3.Connection, read: Callable[[sqlite3.Connection], object]) -> bool:
    """Whether `once` has what `read` gives for an index.

    Args:
        conn: the index.
        read: as for `once`.
    """
    kept = conn.kept if isinstance(conn, Connection) else None
    return kept is not None and read in kept
