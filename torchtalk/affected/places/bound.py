"""Lines that bind C++ to Python: `m.def("_name", …)` in a function that binds hundreds, an entry of a method table.

The function that has them leads to nothing, since it runs where `torch` is imported. What they bind is called in
Python.
"""

from __future__ import annotations

import functools
import re
import sqlite3
from collections.abc import Collection, Iterator

from torchtalk.affected import queries
from torchtalk.affected.diff.diffs import Span
from torchtalk.affected.diff.quiet import says_nothing
from torchtalk.affected.graph.nodes import BOUND, Node, spread
from torchtalk.affected.places.changes import Seed
from torchtalk.answers.base import Place

_WEIGHT = 0.9
_MOST = 40
# So many lines has the last one at most.
_LONG = 30
_TABLES = ("method_table", "getset", "member")
# A binding begins so: inserted between two it is neither's.
_BEGINS = re.compile(
    r"\s*(?:(?:\w+\s*)?\.\s*(?:def\w*|value|attr|add_\w+)\s*\(|\{\s*\"|(?:pybind11|py|shared_ptr_class_)\b)"
)


class Bound:
    """What a file of C++ binds.

    Args:
        conn: an index.
        file: its row.
    """

    def __init__(self, conn: sqlite3.Connection, file: sqlite3.Row) -> None:
        self._conn = conn
        self._file = file

    @functools.cached_property
    def _rows(self) -> list[sqlite3.Row]:
        values = {"file": self._file["id"]}
        return self._conn.execute(queries("places")["bound_in"], values).fetchall()

    @functools.cached_property
    def registrations(self) -> list[int]:
        """The lines on which statements begin that register something for an operator."""
        values = {"file": self._file["id"]}
        rows = self._conn.execute(queries("places")["registering_lines"], values)
        return [row["line"] for row in rows]

    def on(self, functions: Collection[sqlite3.Row], span: Span) -> Iterator[Seed]:
        """The names of Python that are bound on lines.

        Args:
            functions: those that the lines stand in, with their first and last lines.
            span: the lines.
        """
        if span.last < span.first:
            kind = self._file["kind"]
            first = next((text for text in span.added if not says_nothing(text, kind)), "")
            if not first or _BEGINS.match(first):
                return
        bounds = [(row["line"], row["end_line"]) for row in functions]
        names = self._in_functions(bounds, span) if bounds else self._in_tables(span)
        found: dict[Node, None] = {}
        for name in dict.fromkeys(names):
            of = {"name": name}
            named = self._conn.execute(queries("places")["native_named"], of).fetchone()
            found[Node("native", *named) if named is not None else Node(BOUND, name, name)] = None
        for node in list(found)[:_MOST]:
            place = Place(self._file["path"], span.first)
            yield Seed(node, _WEIGHT * spread(len(found)), place, span.lines)

    def _in_functions(self, bounds: list[tuple[int, int]], span: Span) -> Iterator[str]:
        """Of functions' bindings: each ends where the next begins, or a statement that registers an operator.

        A TORCH_LIBRARY block may have both: `m.class_<Work>("Work");`, `m.def("wait(Tensor x) -> Tensor")`
        (torch/library.h, class Library).
        """
        for begin, end in bounds:
            if not begin <= span.first <= span.last + 1 <= end + 1:
                continue  # more than the function
            own = [row for row in self._rows if begin <= row["line"] <= end]
            lines = sorted({row["line"] for row in own})
            ends = [*lines[1:], min(end + 1, lines[-1] + _LONG)] if lines else []
            ends = [
                min((other for other in self.registrations if line < other < after), default=after)
                for line, after in zip(lines, ends, strict=True)
            ]
            touched = {
                line
                for line, after in zip(lines, ends, strict=True)
                if line <= max(span.first, span.last) and after > span.first
            }
            yield from (row["python_name"] for row in own if row["line"] in touched)

    def _in_tables(self, span: Span) -> Iterator[str]:
        for row in self._rows:
            if row["form"] in _TABLES and span.first <= row["line"] <= span.last:
                yield row["python_name"]
