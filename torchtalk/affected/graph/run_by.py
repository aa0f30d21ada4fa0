"""The operators that run another one, where an aspect of this one has no tests of its own.

Tests call softmax, not _softmax, which it runs, and conv2d, not convolution. The formula of reflection_pad2d_backward
is checked with the second derivative of pad, whose entry test/test_ops_gradients.py runs over.
"""

from __future__ import annotations

import functools
import re
import sqlite3
from collections.abc import Callable, Iterator

from torchtalk.affected.graph import aspects
from torchtalk.affected.graph.generic_tests import GenericTests
from torchtalk.affected.graph.nodes import Edge, aspect, operator, parts, spread
from torchtalk.affected.graph.test_words import TestWords
from torchtalk.testing.words import words_of

_RUN_BY = 0.8
# Of an operator that has some tests of the aspect.
_BESIDES = 0.7
_SIZE = re.compile(r"(?:\d+d?)+$")
_LEAST = 3
_PLAIN = frozenset(("backward", "forward", "copy", "sparse", "dense", "tensor"))

Rows = Callable[..., list[sqlite3.Row]]


class RunBy:
    """Looks for operators that run another.

    Args:
        rows: asks a statement for its rows.
        cached: the same, of what several ask for.
        generic: the generic tests of entries.
        tests: what tests have to do with operators.
    """

    def __init__(self, rows: Rows, cached: Rows, generic: GenericTests, tests: TestWords) -> None:
        self._rows = rows
        self._cached = cached
        self._generic = generic
        self._tests = tests

    def edges(
        self, namespace: str, base: str, of: str, words: aspects.Words, *, is_besides: bool
    ) -> Iterator[Edge]:
        """The edges to the same aspect of what runs an operator.

        Args:
            namespace: of the operator.
            base: its name.
            of: the aspect.
            words: of the aspect.
            is_besides: it has tests of the aspect, though none of an entry: then only those that are called like it.
        """
        above = self._names("operators_above", namespace, base)
        if of == aspects.GRADIENT and not any(
            self.has_about(name, of, words, is_generic=True) for name in above
        ):
            # pad's kernel calls that of _pad_enum, which calls reflection_pad2d.
            above |= self._names("operators_farther_above", namespace, base)
        if is_besides:
            above = {name: None for name in above if not _words(name).isdisjoint(_words(base))}
        each = _RUN_BY * spread(len(above)) * (_BESIDES if is_besides else 1.0)
        for name in above:
            yield Edge(aspect(operator(name), of), each, "runs it")

    def _names(self, statement: str, namespace: str, base: str) -> dict[str, None]:
        rows = self._rows(statement, namespace=namespace, base=base)
        return {str(row["name"]): None for row in rows}

    def has_about(
        self, name: str, of: str, words: aspects.Words, *, is_generic: bool = False
    ) -> bool:
        """Whether an operator of aten has tests with an aspect's words.

        Args:
            name: with its namespace.
            of: the aspect.
            words: of the aspect.
            is_generic: only those of its entries are looked for.
        """
        base = parts(operator(name))[1]
        if not is_generic and any(map(words.fit_row, self._tests.of(base))):
            return True
        return any(
            self._generic.has(row["id"], of, words.fit_row)
            for row in self._cached("operator_entries", base=base)
        )


@functools.lru_cache(maxsize=4_096)
def _words(name: str) -> frozenset[str]:
    """What an operator is called, without dimensions: `reflection` and `pad` of reflection_pad2d."""
    last = name.rpartition("::")[2]
    words = (_SIZE.sub("", word) for word in words_of(last, None))
    return frozenset(word for word in words if len(word) >= _LEAST and word not in _PLAIN)
