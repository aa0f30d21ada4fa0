"""Whether the tree that an index was made from has changed since."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from indexer.scan.hashes import Hashes
    from indexer.scan.stamps import Stamps


@dataclass(frozen=True)
class TreeState:
    """How a tree compares with its index.

    Args:
        state: `unchanged`, `changed`, or `absent` where the tree is not on this machine.
        changed: how many files were added, removed or edited.
        examples: some of them, as `edited: path`.
        seconds_ago: when that was found, in whole seconds.
    """

    state: str
    changed: int = 0
    examples: tuple[str, ...] = ()
    seconds_ago: int = 0


@dataclass
class LastLook:
    """The last comparison of a tree with its index: kept by who compares again and again.

    Args:
        root: of the tree.
        hashes: of its files.
        stamps: of its folders and files.
        index: what tells the index from one that replaces it; None where nothing does.
        state: that was found.
    """

    root: str = ""
    hashes: Hashes | None = None
    stamps: Stamps | None = None
    index: object = None
    state: TreeState | None = None

    def found_again(self, index: object, database: Path) -> TreeState | None:
        """What another look would find, as far as that can be told without one.

        Args:
            index: what tells the present one from others.
            database: its file; what was seen of the tree when it was made is kept beside it.
        """
        if index is not None and index != self.index:
            from indexer.scan.statfile import read_stamps

            self.stamps, self.index = read_stamps(database), index
            self.state = TreeState("unchanged")
        if self.stamps is None or index is None:
            return None
        return self.state if self.stamps.are_the_same() else None


def tree_state(
    conn: sqlite3.Connection,
    examples: int = 5,
    last: LastLook | None = None,
    only_if_kept: bool = False,
) -> TreeState:
    """Compare the tree with the index, reading only files that were touched since they were last seen.

    Args:
        conn: an index; its `meta` names the tree.
        examples: how many changed files to name.
        last: what the last comparison saw, if the caller keeps it; it is brought up to date.
        only_if_kept: a tree of whose files nothing was kept, so that all would be read, counts as absent.
    """
    from indexer.scan.statfile import stat_path

    database = _file(conn)
    index = _identity(database)
    again = None if last is None else last.found_again(index, Path(database))
    if only_if_kept and not stat_path(Path(database)).is_file():
        return TreeState("absent")
    return again or _compared(conn, database, index, examples, last)


def _compared(
    conn: sqlite3.Connection, database: str, index: object, examples: int, last: LastLook | None
) -> TreeState:
    from indexer.scan.files import list_files
    from indexer.scan.hashes import Hashes
    from indexer.scan.stamps import Stamps
    from indexer.scan.statfile import stat_path
    from indexer.scan.tree import NotAPyTorchTree, open_tree
    from indexer.update.changes import find_changes

    row = conn.execute("SELECT value FROM meta WHERE key = 'source_root'").fetchone()
    try:
        tree = open_tree(Path(row[0]))
    except (NotAPyTorchTree, TypeError):
        return TreeState("absent")
    root = str(tree.root)
    known = last.hashes if last is not None and last.root == root else None
    kept = stat_path(Path(database)) if database else None
    hashes = Hashes(tree, kept) if known is None else known.again()
    stamps = Stamps()
    changes = find_changes(conn, list_files(tree, stamps), hashes)
    found = [f"{how}: {path}" for how, paths in changes.paths().items() for path in paths]
    state = TreeState("changed" if found else "unchanged", len(found), tuple(found[:examples]))
    if last is not None:
        last.root, last.hashes, last.stamps = root, hashes, stamps
        last.index, last.state = index, state
    return state


KEPT = 10.0
"""Seconds for which a comparison is told again, at least."""

_SHARE = 5
"""One that took long is told again for so many times as long: on a busy machine it takes seconds."""


class Comparisons:
    """Tells the last comparison again while it is fresh, with its age: for who is asked again and again.

    Args:
        clock: of seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()  # who comes meanwhile waits for the comparison under way
        self._of: object = None
        self._state = TreeState("absent")
        self._begun = self._until = 0.0
        self._last = LastLook()

    def state(self, conn: sqlite3.Connection) -> TreeState:
        """How the tree of the index `conn` compares with it, or did some seconds ago."""
        with self._lock:
            now = self._clock()
            of = _identity(_file(conn))
            if of is not None and of == self._of and now < self._until:
                return replace(self._state, seconds_ago=int(now - self._begun))
            self._state = tree_state(conn, last=self._last)
            end = self._clock()
            self._of, self._begun = of, now
            self._until = end + max(KEPT, _SHARE * (end - now))
            return self._state


def _file(conn: sqlite3.Connection) -> str:
    """The path of a database; empty of one in memory."""
    return str(conn.execute("PRAGMA database_list").fetchone()[2])


def _identity(database: str) -> object:
    """What tells an index from the one that replaces it; None of one that is no file."""
    try:
        status = os.stat(database)
    except OSError:
        return None
    return database, status.st_dev, status.st_ino, status.st_mtime_ns
