"""Tests that pass a parameter whose default a diff changes, or that is there no more: they are rather about it.

The index has who calls a function, and not with which arguments. The tests' files are read for the keyword.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from torchtalk.affected import queries
from torchtalk.affected.diff.diffs import FileChange
from torchtalk.affected.graph.nodes import Node
from torchtalk.affected.graph.search import Found
from torchtalk.affected.sources import Sources

_MOST = 4
_MORE = 1.5
# What may be long is bounded, or ends where the next may begin: a line of a diff may have any length.
_GIVEN = re.compile(
    r"(?<![\w.])(?P<name>[A-Za-z_]\w*)[ \t]*(?P<type>:[^=,\[\]]{0,80}(?:\[[^=\]]{0,120}\]+[^=,\[\]]{0,40})?)?"
    r"=[ \t]*(?P<value>[^,=\s][^,=)]*)(?=,|\)|$)"
)
_WORD = re.compile(r"\w+")
_COMMA = re.compile(r",\s*(?:#.*)?$")
_BRACKET = re.compile(r"[()\[\]{}]")
_DEF = re.compile(r"(?:\bdef\s+\w+|^- func: \S+)\s*\Z")
_NEAR = 200
_FILES = re.compile(r"\.py$|native_functions\.yaml$")


class Keywords:
    """The parameters with another default, and the tests that name them.

    Args:
        conn: an index.
        files: what a diff changes.
        sources: the tree.
    """

    def __init__(
        self, conn: sqlite3.Connection, files: Iterable[FileChange], sources: Sources
    ) -> None:
        self.names = _changed(files)[:_MOST]
        self._passing: dict[Node, str] = {}
        if not self.names:
            return
        # A name that comes first is found many times sooner than what looks back before it.
        forms = {name: re.compile(rf"{name}(?<![\w.]{name})\s*=(?!=)") for name in self.names}
        rows = conn.execute(queries("places")["files_of_tests"]).fetchall()
        for source in sources.holding(rows, [f"{name}=" for name in self.names]):
            for name, form in forms.items():
                for match in form.finditer(source.text):
                    node = source.around(conn, source.text.rfind("\n", 0, match.start()) + 1)
                    if node is not None:
                        self._passing.setdefault(node._replace(name=""), name)

    def nearer(self, found: Found) -> Found:
        """The test `found`, which counts more where it, or the helper that it calls, passes one of the keywords."""
        if not self._passing:
            return found
        names = (self._passing.get(node._replace(name="")) for node, _ in found.path[1:][-2:])
        name = next((name for name in names if name), None)
        if name is None:
            return found
        return found._replace(weight=min(found.weight * _MORE, (1 + found.weight) / 2), passes=name)


class _Given(NamedTuple):
    """A parameter with its default; whether it surely is one, and no argument of a call."""

    name: str
    value: str
    is_sure: bool


def _changed(files: Iterable[FileChange]) -> list[str]:
    """The parameters that have one value before and another, or are there no more, after."""
    found: dict[str, None] = {}
    for change in files:
        for span in change.old if _FILES.search(change.path) else ():
            after = {given.name: given.value for given in _defaults(span.above, span.added)}
            words = {word for text in span.added for word in _WORD.findall(text)}
            for name, value, is_sure in _defaults(span.above, span.removed):
                is_gone = bool(span.added) and is_sure and name not in words
                if is_gone or after.get(name, value) != value:
                    found[name] = None
    return list(found)


def _defaults(above: tuple[str, ...], lines: tuple[str, ...]) -> Iterator[_Given]:
    """The parameters of functions' heads among some lines, with their values; what is given in calls is none."""
    heads: list[bool] = []  # whether each open bracket is that of a head
    for line in above:
        _follow(_BRACKET.finditer(line), len(line), heads)
    for line in lines:
        closing = sum(1 if sign in ")]}" else -1 for sign in _BRACKET.findall(line))
        # Where the bracket stands above what is known, the line is one of several.
        is_part = closing > 0 or _COMMA.search(line) is not None
        brackets = _BRACKET.finditer(line)
        for match in _GIVEN.finditer(line):
            brackets = _follow(brackets, match.start(), heads)
            if heads[-1] if heads else is_part:
                is_sure = bool(heads) or match["type"] is not None
                yield _Given(match["name"], match["value"].rstrip(), is_sure)
        _follow(brackets, len(line), heads)


def _follow(
    brackets: Iterator[re.Match[str]], end: int, heads: list[bool]
) -> Iterator[re.Match[str]]:
    """Open and close the brackets of a line up to an offset, and give the others."""
    for match in brackets:
        if match.start() >= end:
            return chain((match,), brackets)
        if match[0] in "([{":
            line, at = match.string, match.start()
            is_head = line[at - 1 : at].isidentifier() and _DEF.search(line, max(0, at - _NEAR), at)
            heads.append(bool(is_head))
        elif heads:
            heads.pop()
    return iter(())
