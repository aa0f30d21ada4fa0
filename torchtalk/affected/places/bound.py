"""Lines that bind C++ to Python: `m.def("_name", …)` in a function that binds hundreds, an entry of a method table.

The function that has them leads to nothing, since it runs where `torch` is imported. What they bind is called in
Python. The index has where a binding begins; where it ends its text tells.
"""

from __future__ import annotations

import functools
import re
import sqlite3
from collections.abc import Collection, Iterator
from itertools import zip_longest

from torchtalk.affected import queries
from torchtalk.affected.at_hand import AtHand
from torchtalk.affected.diff.diffs import Span
from torchtalk.affected.diff.quiet import says_nothing
from torchtalk.affected.graph.nodes import BOUND, Node, spread
from torchtalk.affected.places.changes import Seed
from torchtalk.affected.places.statements import Ends
from torchtalk.answers.base import Place

_WEIGHT = 0.9
_MOST = 40
# So many lines has the last one at most, where no text tells.
_LONG = 30
# What other bindings are called on.
_CHAINED = ("class", "enum")
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
        at_hand: its text.
    """

    def __init__(
        self, conn: sqlite3.Connection, file: sqlite3.Row, at_hand: AtHand | None = None
    ) -> None:
        self._conn = conn
        self._file = file
        self._at_hand = at_hand or AtHand(conn, file)

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

    @functools.cached_property
    def _lambdas(self) -> list[int]:
        """The lines that lambdas end in which are bound with no other binding behind them."""
        values = {"file": self._file["id"]}
        rows = self._conn.execute(queries("places")["bound_lambdas_end"], values)
        return [row["line"] for row in rows]

    @functools.cached_property
    def _ends(self) -> Ends | None:
        text = self._at_hand.text
        return None if text is None else Ends(text)

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
        """Of functions' bindings: what stands behind one and before the next is the function's own.

        Without a text one ends where the next begins, or a statement that registers an operator. A TORCH_LIBRARY block
        may have both: `m.class_<Work>("Work");`, `m.def("wait(Tensor x) -> Tensor")` (torch/library.h, class Library).
        """
        # What is inserted above a binding may begin it, where no text tells.
        last = span.last if self._ends is not None else max(span.first, span.last)
        for begin, end in bounds:
            if not begin <= span.first <= span.last + 1 <= end + 1:
                continue  # more than the function
            own = [row for row in self._rows if begin <= row["line"] <= end]
            lines = sorted({row["line"] for row in own})
            touched = {
                line
                for line, next_one in zip_longest(lines, lines[1:])
                if line <= last and self._behind(line, next_one, end + 1) > span.first
            }
            names = [row["python_name"] for row in own if row["line"] in touched]
            yield from names or self._chained(own, span)

    def _chained(self, own: list[sqlite3.Row], span: Span) -> Iterator[str]:
        """The class that what stands on lines is called on, but binds no name: `.def(py::pickle(…))`."""
        if self._ends is None:
            return
        before = (row for row in reversed(own) if row["line"] <= span.first)
        for row in (row for row in before if row["form"] in _CHAINED):
            last = self._ends.of_chain(row["line"])
            if last is not None and max(span.first, span.last) <= last:
                yield row["python_name"]
            return

    def _behind(self, line: int, next_one: int | None, end: int) -> int:
        """The line behind a binding.

        Args:
            line: that it begins in.
            next_one: that the next one of the function begins in.
            end: behind the function.
        """
        last = self._ends.of(line) if self._ends is not None else None
        if last is not None:
            return min(last + 1, end)
        behind = min(end, line + _LONG) if next_one is None else next_one
        others = (*self.registrations, *(one + 1 for one in self._lambdas))
        return min((other for other in others if line < other < behind), default=behind)

    def _in_tables(self, span: Span) -> Iterator[str]:
        for row in self._rows:
            if row["form"] in _TABLES and span.first <= row["line"] <= span.last:
                yield row["python_name"]
