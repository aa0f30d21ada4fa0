"""Edges to the generic tests of an entry: all that run over a list that it is in, or those about an aspect or a field.

Of a thousand entries most are in the same lists (PyTorch 2.6.0: 141 sets of lists), and a change deep down leads to
hundreds of them: what runs over the lists is read once for each set, and looked through once for each aspect.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from torchtalk.affected.graph import aspects
from torchtalk.affected.graph.nodes import Edge, Node

Fits = Callable[[sqlite3.Row], bool]
_Lists = tuple[tuple[int, int], ...]


class _File(NamedTuple):
    """The generic tests of a file.

    Args:
        path: its.
        names: theirs.
        is_certain: the entry is certainly in the list of one of them.
        has_others: there are tests in it that are not about what is asked for.
    """

    path: str
    names: tuple[str, ...]
    is_certain: bool
    has_others: bool


class GenericTests:
    """Finds the generic tests of entries.

    Args:
        rows: of a named statement about the graph.
    """

    def __init__(self, rows: Callable[..., list[sqlite3.Row]]) -> None:
        self._rows = rows
        self._lists: dict[int, _Lists] = {}
        self._tests: dict[_Lists, list[sqlite3.Row]] = {}
        self._files: dict[tuple[_Lists, str], list[_File]] = {}

    def rows(self, identity: int) -> list[sqlite3.Row]:
        """A row for each generic test of an entry.

        Args:
            identity: of the entry.
        """
        lists = self._lists_of(identity)
        if lists not in self._tests:
            self._tests[lists] = self._rows("entry_tests", id=identity)
        return self._tests[lists]

    def edges(self, of: Node, identity: int, about: str, fit: Fits) -> Iterator[Edge]:
        """One edge for each file of those that are about an aspect.

        Args:
            of: the entry.
            identity: its.
            about: the aspect's name.
            fit: whether the test of a row is about it.
        """
        return _edges(of, self._about(identity, about, fit), about)

    def has(self, identity: int, about: str, fit: Fits) -> bool:
        """Whether an entry has tests that are about an aspect.

        Args:
            identity: of the entry.
            about: the aspect's name.
            fit: whether the test of a row is about it.
        """
        return bool(self._about(identity, about, fit))

    def _about(self, identity: int, about: str, fit: Fits) -> list[_File]:
        key = (self._lists_of(identity), about)
        if key not in self._files:
            self._files[key] = _files(self.rows(identity), fit)
        return self._files[key]

    def _lists_of(self, identity: int) -> _Lists:
        if identity not in self._lists:
            rows = self._rows("entry_lists", id=identity)
            self._lists[identity] = tuple((row["list_id"], row["is_certain"]) for row in rows)
        return self._lists[identity]


def generic(
    of: Node, rows: list[sqlite3.Row], about: str = "", fit: Fits | None = None
) -> Iterator[Edge]:
    """One edge for each file of the generic tests for an entry, or of those that are about a field.

    Args:
        of: the entry.
        rows: a row for each generic test.
        about: the field's name; empty for all of them.
        fit: whether the test of a row is about it.
    """
    return _edges(of, _files(rows, fit), about)


def _files(rows: list[sqlite3.Row], fit: Fits | None) -> list[_File]:
    files: dict[str, list[str]] = {}
    sure: set[str] = set()
    others: set[str] = set()
    for row in rows:
        if fit is not None and not fit(row):
            others.add(row["path"])
            continue
        files.setdefault(row["path"], []).append(row["name"])
        if row["is_certain"]:
            sure.add(row["path"])
    return [
        _File(path, tuple(names), path in sure, path in others) for path, names in files.items()
    ]


def _edges(of: Node, files: Iterable[_File], about: str) -> Iterator[Edge]:
    for file in files:
        key = f"{of.name}\t{file.path}" + (f"\t{about}" if file.has_others else "")
        run = "run over" if file.is_certain else "may run over"
        why = (
            f"tests about {aspects.said(about)} {run} OpInfo {of.name}"
            if about
            else f"its tests {run} this entry"
        )
        # What an aspect's tests ask of an entry is mostly that it has the aspect (`op.supports_sparse`).
        weight = 0.85 if file.is_certain else 0.7 if about else 0.4
        yield Edge(Node("generic", key, file.path), weight, why, file.names)
