"""Tests that pass a parameter whose default a diff changes, or that is there no more: they are rather about it.

The index has who calls a function, and not with which arguments. The tests' files are read for the keyword.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable
from dataclasses import replace

from torchtalk.affected import queries
from torchtalk.affected.diffs import FileChange
from torchtalk.affected.nodes import Node
from torchtalk.affected.search import Found
from torchtalk.affected.sources import Sources, around

_MOST = 4
_MORE = 1.5
_GIVEN = re.compile(
    r"(?<![\w.])(?P<name>[A-Za-z_]\w*)\s*(?P<type>:\s*[^=,]+?)?\s*=\s*(?P<value>[^,=]+?)\s*(?=,|\)|$)"
)
_HEAD = re.compile(r".*(?:,|\)|\):|->.*:?)\s*(?:#.*)?$")
# The head of a function, where what stands in it alone is no argument of a call.
_BEGUN = re.compile(r"\s*(?:(?:async\s+)?def\s|- func:)")
_WORD = re.compile(r"\w+")
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
        if not self.names or sources.root is None:
            return
        forms = {name: re.compile(rf"(?<![\w.]){re.escape(name)}\s*=(?!=)") for name in self.names}
        rows = conn.execute(queries("places")["files_of_tests"]).fetchall()
        for source in sources.holding(rows, [f"{name}=" for name in self.names]):
            for name, form in forms.items():
                for match in form.finditer(source.text):
                    node = around(conn, source, source.text.rfind("\n", 0, match.start()) + 1)
                    if node is not None:
                        self._passing.setdefault(node._replace(name=""), name)

    def nearer(self, found: Found) -> Found:
        """A test that counts more where it, or the helper that it calls, passes one of them."""
        if not self._passing:
            return found
        names = (self._passing.get(node._replace(name="")) for node, _ in found.path[1:][-2:])
        name = next((name for name in names if name), None)
        if name is None:
            return found
        return replace(found, weight=min(found.weight * _MORE, (1 + found.weight) / 2), passes=name)


def _changed(files: Iterable[FileChange]) -> list[str]:
    """The names with one value before and another, or none, after, on lines that look like those of a head."""
    found: dict[str, None] = {}
    for change in files:
        for span in change.old if _FILES.search(change.path) else ():
            before, after = (
                {
                    match["name"]: match["value"]
                    for text in side if _HEAD.match(text) for match in _GIVEN.finditer(text)
                }
                for side in (span.removed, span.added)
            )  # fmt: skip
            gone = {
                match["name"]
                for text in span.removed if _HEAD.match(text) for match in _GIVEN.finditer(text)
                if span.added and (match["type"] or _BEGUN.match(text))
            } - {name for text in span.added for name in _WORD.findall(text)}  # fmt: skip
            found.update(
                dict.fromkeys(
                    name for name, value in before.items()
                    if name in gone or after.get(name, value) != value
                )
            )  # fmt: skip
    return list(found)
