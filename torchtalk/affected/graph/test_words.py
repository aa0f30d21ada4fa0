"""The tests that have to do with operators, with the words that tell what each is about.

A common test calls many operators, and a change deep down leads to hundreds of these: what a test is called is read
once, however many of them lead to it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from torchtalk.affected.graph.aspects import Words
from torchtalk.sqlfile import listed


class TestWords:
    """Of one index.

    Args:
        rows: of a named statement about the graph.
    """

    __test__ = False  # it is no test of pytest's

    def __init__(self, rows: Callable[..., list[sqlite3.Row]]) -> None:
        self._rows = rows
        self._of_base: dict[str, list[int]] = {}
        self._known: dict[int, sqlite3.Row] = {}

    def of(self, base: str) -> list[sqlite3.Row]:
        """A row with id, path and words for each test that has to do with an operator, the most about it first.

        Args:
            base: the operator's name without namespace and overload.
        """
        known = self._known
        if base not in self._of_base:
            ids = [row["id"] for row in self._rows("operator_test_ids", base=base)]
            wanting = tuple(identity for identity in ids if identity not in known)
            if wanting:
                for row in self._rows("words_of_tests", tests=listed(wanting)):
                    known[row["id"]] = row
            self._of_base[base] = ids
        return [known[identity] for identity in self._of_base[base]]

    def about(self, base: str, words: Words) -> list[sqlite3.Row]:
        """A row as of the statement `operator_tests` for each of those that have an aspect's words.

        Args:
            base: the operator's name without namespace and overload.
            words: of the aspect.
        """
        fitting = tuple(row["id"] for row in self.of(base) if words.fit_row(row))
        if not fitting:
            return []
        return self._rows("operator_tests_among", base=base, tests=listed(fitting))
