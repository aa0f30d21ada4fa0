"""Which of the variants of an OpInfo is about something, by its name: `bicubic` of interpolate for upsample_bicubic2d.

`OpInfo('nn.functional.interpolate', variant_test_name='bicubic', ...)` runs one mode of its function, which runs
another operator in each (torch/testing/_internal/common_methods_invocations.py). The variant's words are in the
operator's name, with another ending at times: `reflect` for reflection_pad1d.
"""

from __future__ import annotations

import functools
import re
import sqlite3
from enum import Enum
from typing import NamedTuple

from torchtalk.affected import queries
from torchtalk.kept import once
from torchtalk.testing.words import ENDING, words_of

# Of shorter words other words begin so: `sum`, `inf`.
_LONG = 5
_LEAST = 3
_SEVERAL = 2


class Fit(Enum):
    """How a variant, or a test by its name, has to do with a name."""

    OWN = "the name has the words of this one"
    OPEN = "nothing tells"
    OTHER = "the name has the words of another one"


class _Modes(NamedTuple):
    """The variants of one OpInfo that differ by a word: with each its words, and what finds any of them in a text."""

    stems: dict[str, frozenset[str]]
    form: re.Pattern[str]

    def said(self, text: str) -> frozenset[str]:
        """The variants' words that a text has."""
        return frozenset(match[0] for match in self.form.finditer(" ".join(words_of(text, None))))

    def own(self, text: str) -> frozenset[str]:
        """The words of the variant that a text is about; empty where it has those of none."""
        said = self.said(text)
        best = max(self.stems.values(), key=lambda stems: self._order(stems, said))
        return best & said

    @staticmethod
    def _order(stems: frozenset[str], said: frozenset[str]) -> tuple[int, int]:
        return len(stems & said), -len(stems - said)

    def fit(self, variant: str, text: str) -> Fit:
        """How one of them has to do with a text."""
        stems, said = self.stems.get(variant, frozenset()), self.said(text)
        best = max(self._order(few, said) for few in self.stems.values())
        if not best[0] or not stems:
            return Fit.OPEN
        if self._order(stems, said) == best:
            return Fit.OWN
        # nearest-exact has the word of upsample_nearest2d as well.
        return Fit.OPEN if stems & said else Fit.OTHER


class Variants:
    """Compares variants of OpInfos with names.

    Args:
        conn: an index.
    """

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn = conn
        self._of_operator: dict[str, tuple[_Modes, ...]] = {}

    def of_entry(self, name: str, variant: str, text: str) -> Fit:
        """How an entry has to do with a name.

        Args:
            name: of the OpInfo, without its variant.
            variant: its own, or empty.
            text: the name of an operator or a function.
        """
        modes = self._modes.get(name)
        return modes.fit(variant, text) if modes else Fit.OPEN

    def of_full_name(self, name: str, text: str) -> Fit:
        """The same of an entry by its name with the variant: `nn.functional.pad.reflect`.

        Args:
            name: of the OpInfo and its variant.
            text: the name of an operator or a function.
        """
        base, _, variant = name.rpartition(".")
        return self.of_entry(base, variant, text)

    def of_test(self, base: str, text: str) -> Fit:
        """How a test that may call an operator, or another one of several, has to do with it by its name.

        Args:
            base: the operator's name without its namespace.
            text: the words of the test's name.
        """
        if base not in self._of_operator:
            rows = self._conn.execute(queries("graph")["operator_entries"], {"base": base})
            known = (self._modes.get(name) for name in {row["name"] for row in rows})
            self._of_operator[base] = tuple(modes for modes in known if modes and modes.own(base))
        for modes in self._of_operator[base]:
            if said := modes.said(text):
                return Fit.OTHER if said.isdisjoint(modes.own(base)) else Fit.OWN
        return Fit.OPEN

    @functools.cached_property
    def _modes(self) -> dict[str, _Modes]:
        return once(self._conn, _modes)


def _modes(conn: sqlite3.Connection) -> dict[str, _Modes]:
    """By the names of OpInfos with several variants that have names."""
    variants: dict[str, dict[str, frozenset[str]]] = {}
    for row in conn.execute(queries("graph")["entry_variants"]):
        stems = frozenset(map(_stem, words_of(row["variant"], None)))
        variants.setdefault(row["name"], {})[row["variant"]] = stems
    found = {}
    for name, of in variants.items():
        # What all have tells none from another: `polygamma` of polygamma_n_0, polygamma_n_1.
        shared = frozenset.intersection(*of.values())
        telling = {
            variant: frozenset(stem for stem in stems - shared if len(stem) >= _LEAST)
            for variant, stems in of.items()
        }
        words = sorted(frozenset().union(*telling.values()), key=lambda stem: (-len(stem), stem))
        if len(of) >= _SEVERAL and words:
            form = "|".join(word if len(word) >= _LONG else rf"\b{word}(?![a-z])" for word in words)
            found[name] = _Modes(telling, re.compile(form))
    return found


def _stem(word: str) -> str:
    stem = ENDING.sub("", word)
    return stem if len(stem) >= _LONG else word
