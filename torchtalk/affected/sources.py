"""The texts of the tree's files, where it is on this machine: what no table has is looked for there, in bounded time.

The index has no texts. The tree is the one that it was made from, or else the one that commands would take.
"""

from __future__ import annotations

import errno
import functools
import hashlib
import os
import re
import sqlite3
import stat
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from torchtalk.affected import queries
from torchtalk.affected.graph.nodes import Node, entry
from torchtalk.counted import counted

MOST_SECONDS = 0.4
"""For so long files are read for one question, as `worked` counts; whoever asks is told what was left."""

ALWAYS = 100
"""So many files are read whatever it takes, for each of the first texts that are looked for."""

_IN_ALL = 2_000
_FILES_A_LOOK = 16
"""What the clock takes is as much as a small file does."""

_OF_WAITING = 1 / 5
_FLAGS = os.O_RDONLY | os.O_NONBLOCK
_MAX_BYTES = 5_000_000
_BREAK = re.compile(r"\n")
_INDENT = re.compile(r"[ \t]*")
# What it begins with is a text, which is found many times sooner than a line with it.
_DEFINITION = re.compile(r"def[ \t]+(\w+)")
_BEFORE = re.compile(r"([ \t]*)(?:async[ \t]+)?")


@dataclass(frozen=True, eq=False)
class Source:
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
    _nodes: dict[int, tuple[Node, int] | None] = field(default_factory=dict, repr=False)

    def around(self, conn: sqlite3.Connection, begin: int) -> Node | None:
        """The test, or the helper of tests, whose body a line of Python stands in.

        Args:
            conn: an index.
            begin: where in the text the line begins.
        """
        indent = len(_INDENT.match(self.text, begin)[0])  # type: ignore[index]
        starts, definitions = self._definitions
        line = self._line(begin)
        # A common keyword stands in a file a thousand times, below a thousand definitions.
        for at in range(bisect_left(starts, begin) - 1, -1, -1):
            depth, name = definitions[at]
            if depth >= indent:
                continue
            indent = depth
            if at not in self._nodes:
                self._nodes[at] = self._node(conn, name, starts[at])
            if (known := self._nodes[at]) is not None:
                node, end = known
                # What is below its end is of the module: a table that no function has.
                return node if line <= end or not self.is_indexed else None
        return None

    def entry(self, conn: sqlite3.Connection, begin: int) -> Node | None:
        """The OpInfo, or its like, that a line of Python stands in.

        Args:
            conn: an index.
            begin: where in the text the line begins.
        """
        if not self.is_indexed:
            return None
        line = self._line(begin)
        of = {"file": self.id, "first": line, "last": line}
        rows = conn.execute(queries("places")["opinfos_at"], of).fetchall()
        return entry(rows[-1]) if rows else None

    def docs(self, conn: sqlite3.Connection) -> tuple[tuple[int, int], ...]:
        """First and last line of each docstring, 1-based; none where the index, `conn`, read another text than this."""
        if not self.is_indexed:
            return ()
        rows = conn.execute(queries("places")["docstrings_of_file"], {"file": self.id})
        return tuple((row["line"], row["end_line"]) for row in rows)

    def is_within(self, begin: int, lines: Iterable[tuple[int, int]]) -> bool:
        """Whether a line is among some.

        Args:
            begin: where in the text it begins.
            lines: first and last of each.
        """
        line = self._line(begin) if lines else 0
        return any(first <= line <= last for first, last in lines)

    def _line(self, begin: int) -> int:
        """The number of the line that begins somewhere."""
        return bisect_left(self._breaks, begin) + 1

    @functools.cached_property
    def _breaks(self) -> list[int]:
        return [match.start() for match in _BREAK.finditer(self.text)]

    @functools.cached_property
    def _definitions(self) -> tuple[list[int], list[tuple[int, str]]]:
        """Where the lines of functions begin, and how deep each stands and what it is called."""
        starts, found = [], []
        for match in _DEFINITION.finditer(self.text):
            first = self.text.rfind("\n", 0, match.start()) + 1
            before = _BEFORE.fullmatch(self.text, first, match.start())
            if before is not None:
                starts.append(first)
                found.append((len(before[1]), match[1]))
        return starts, found

    def _node(self, conn: sqlite3.Connection, name: str, begin: int) -> tuple[Node, int] | None:
        """What a definition is in the index, and the line that it ends at."""
        of = {"file": self.id, "name": name, "line": self._line(begin)}
        row = conn.execute(queries("places")["test_of_name"], of).fetchone()
        if row is not None:
            return Node("test", row["id"], ""), row["end_line"]
        row = conn.execute(queries("places")["function_of_name"], of).fetchone()
        return None if row is None else (Node("python", row["id"], row["name"]), row["end_line"])


def worked() -> float:
    """Seconds of work, to which waiting counts little: what is found should not tell how busy the machine is."""
    return time.thread_time() + _OF_WAITING * time.monotonic()


class Sources:
    """Reads files of a tree.

    Args:
        conn: an index.
        clock: of seconds.
    """

    def __init__(self, conn: sqlite3.Connection, clock: Callable[[], float] = worked) -> None:
        self._conn = conn
        self._clock = clock
        self._left = MOST_SECONDS
        self._always = _IN_ALL
        root = _root(conn)
        self.root = root.resolve() if root is not None else None
        self._below = f"{self.root}{os.sep}".replace(2 * os.sep, os.sep)
        self._folders: dict[str, str] = {}
        self._of_cpp: dict[str, list[sqlite3.Row]] = {}
        self.is_wanted = False
        """Whether anything was looked for."""

        self._missed: set[str] = set()

    @property
    def shortfall(self) -> str:
        """What could not be searched, to be said with an answer; empty where nothing was left out."""
        if self.is_wanted and self.root is None:
            return "texts of files were not searched: the tree that was indexed is not here"
        if self._missed:
            return f"texts of {counted(len(self._missed), 'file')} of the tree were not searched, for want of time"
        return ""

    def of_cpp(self, path: str) -> list[sqlite3.Row]:
        """The files of C++, those first that stand in the same folder of the tree as one does.

        Args:
            path: of the one.
        """
        first, slash, _ = path.partition("/")
        folder = f"{first}/" if slash else ""
        if folder not in self._of_cpp:
            rows = self._conn.execute(queries("places")["cpp_files"], {"folder": folder})
            self._of_cpp[folder] = rows.fetchall()
        return self._of_cpp[folder]

    def read(self, file: sqlite3.Row) -> Source | None:
        """One file; None where it is not there.

        Args:
            file: with its id, path and sha.
        """
        self.is_wanted = True
        data = self._bytes(file["path"])
        return None if data is None else _source(file, data)

    def holding(self, rows: Iterable[sqlite3.Row], texts: Iterable[str]) -> Iterator[Source]:
        """The files that have one of some texts, as long as there is time.

        Args:
            rows: files with id, path and sha, those first that are most likely to have one.
            texts: looked for as they are.
        """
        wanted = [text.encode() for text in texts]
        self.is_wanted = self.is_wanted or bool(wanted)
        began = self._clock()
        always = min(ALWAYS, self._always)
        is_over = False
        for at, row in enumerate(rows if wanted and self.root is not None else ()):
            self._always -= at < always
            if at >= always and not is_over and (at - always) % _FILES_A_LOOK == 0:
                is_over = self._clock() - began > self._left
            if is_over:
                self._missed.add(row["path"])
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
            file = self._opened(path)
        except (OSError, ValueError):
            return None
        if file is None:
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

    def _opened(self, path: str) -> int | None:
        """A file of the tree; None where a link leads out of it."""
        folder, _, name = path.rpartition("/")
        real = self._folders.get(folder)
        if real is None:
            # Most of the time that many files take would be spent on the links that their folders are not.
            real = self._folders[folder] = os.path.realpath(self._below + folder)
        if f"{real}{os.sep}".startswith(self._below):
            try:
                return os.open(f"{real}{os.sep}{name}", _FLAGS | os.O_NOFOLLOW)
            except OSError as error:
                if error.errno != errno.ELOOP:
                    raise
        real = os.path.realpath(self._below + path)
        return os.open(real, _FLAGS) if real.startswith(self._below) else None


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
