"""The texts of the tree's files, where it is on this machine: what no table has is looked for there, in bounded time.

The index has no texts. The tree is the one that it was made from, or else the one that commands would take.
"""

from __future__ import annotations

import hashlib
import os
import re
import sqlite3
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from torchtalk.affected import queries
from torchtalk.affected.nodes import Node

MOST_SECONDS = 0.4
"""For so long files are read for one question; whoever asks is told what was left."""

ALWAYS = 100
"""So many files are read whatever it takes."""

_MAX_BYTES = 5_000_000
_DEFINITION = re.compile(r"([ \t]*)(?:async\s+)?def\s+(\w+)")


class Source(NamedTuple):
    """A file that has one of the texts that were looked for.

    Args:
        id: of the file in the index.
        path: in the tree.
        text: its content.
        is_indexed: it is the one that the index read, so that lines are those of the index.
    """

    id: int
    path: str
    text: str
    is_indexed: bool


class Sources:
    """Reads files of a tree.

    Args:
        conn: an index.
        clock: of seconds.
    """

    def __init__(
        self, conn: sqlite3.Connection, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._conn = conn
        self._clock = clock
        self._left = MOST_SECONDS
        root = _root(conn)
        self.root = root.resolve() if root is not None else None
        self.missed = 0
        """How many files there was no time for."""

    def read(self, file: sqlite3.Row) -> Source | None:
        """One file; None where it is not there.

        Args:
            file: with its id, path and sha.
        """
        data = self._bytes(file["path"])
        return None if data is None else _source(file, data)

    def holding(self, rows: Iterable[sqlite3.Row], texts: Iterable[str]) -> Iterator[Source]:
        """The files that have one of some texts, as long as there is time.

        Args:
            rows: files with id, path and sha, those first that are most likely to have one.
            texts: looked for as they are.
        """
        wanted = [text.encode() for text in texts]
        began = self._clock()
        for at, row in enumerate(rows if wanted and self.root is not None else ()):
            if at >= ALWAYS and self._clock() - began > self._left:
                self.missed += 1
                continue
            data = self._bytes(row["path"])
            if data is not None and any(text in data for text in wanted):
                yield _source(row, data)
        self._left = max(0.0, self._left - (self._clock() - began))

    def _bytes(self, path: str) -> bytes | None:
        # An index of elsewhere may have paths that lead out of the tree, and a tree links that do, and what is no file.
        if self.root is None or path.startswith("/") or ".." in path.split("/"):
            return None
        try:
            real = (self.root / path).resolve()
            if not real.is_relative_to(self.root):
                return None
            file = os.open(real, os.O_RDONLY | os.O_NONBLOCK)
        except (
            OSError,
            ValueError,
            RuntimeError,
        ):  # RuntimeError: links in a circle, up to Python 3.12
            return None
        try:
            if not stat.S_ISREG(os.fstat(file).st_mode):
                return None
            data = os.read(file, _MAX_BYTES + 1)
        except OSError:
            return None
        finally:
            os.close(file)
        return data if len(data) <= _MAX_BYTES else None


def around(conn: sqlite3.Connection, source: Source, begin: int) -> Node | None:
    """The test, or the helper of tests, whose body a line of Python stands in.

    Args:
        conn: an index.
        source: a file.
        begin: where in its text the line begins.
    """
    text = source.text
    line = text[begin : text.find("\n", begin)]
    indent = len(line) - len(line.lstrip())
    at = begin
    while (at := text.rfind("def ", 0, at)) >= 0:
        first = text.rfind("\n", 0, at) + 1
        match = _DEFINITION.match(text, first)
        if match is None or len(match[1]) >= indent:
            continue
        indent = len(match[1])
        number = text.count("\n", 0, first) + 1
        of = {"file": source.id, "name": match[2], "line": number}
        row = conn.execute(queries("places")["test_of_name"], of).fetchone()
        if row is not None:
            return Node("test", row["id"], "")
        row = conn.execute(queries("places")["function_of_name"], of).fetchone()
        if row is not None:
            return Node("python", row["id"], row["name"])
    return None


def _source(row: sqlite3.Row, data: bytes) -> Source:
    sha = hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
    return Source(row["id"], row["path"], data.decode("utf-8", "replace"), sha == row["sha"])


def _root(conn: sqlite3.Connection) -> Path | None:
    """The folder of the tree, or None where there is none."""
    from torchtalk.config import NoSource, SettingsError, find_tree

    row = conn.execute(queries("places")["source_root"]).fetchone()
    if row is not None and row["root"] and Path(row["root"]).is_dir():
        return Path(row["root"])
    try:
        return find_tree().root
    except (NoSource, SettingsError):
        return None
