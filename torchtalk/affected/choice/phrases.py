"""Tests that have the whole name of what changed in theirs: TestPatternMatcher.test_mm_plus_mm for `mm_plus_mm`."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Collection, Iterable

from torchtalk.affected import queries
from torchtalk.names.closest import numbered
from torchtalk.sqlfile import listed

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_LEAST = 2
# One word alone says so much where it is long, and few tests have it: Reducer, ReducerTest.
_LONG = 7
_MOST_NAMES = 8
_MOST_TESTS = 20


def phrase_of(name: str, common: Collection[str]) -> tuple[str, ...]:
    """The words of a name in their order, without those of many names at its ends.

    Args:
        name: of a function or class.
        common: words that tell nothing.
    """
    words = [word.lower() for word in _WORD.findall(name)]
    while words and words[-1] in common:
        words.pop()
    while words and words[0] in common:
        words.pop(0)
    return tuple(words)


def having_words(
    conn: sqlite3.Connection, phrases: Iterable[tuple[str, ...]], files: Collection[str]
) -> dict[int, str]:
    """The tests of some files that have all words of a name, one behind the other or in one.

    Args:
        conn: an index.
        phrases: the words of the names.
        files: paths.

    Returns:
        By the id of the test, the words.
    """
    found: dict[int, str] = {}
    wanted = [
        phrase for phrase in dict.fromkeys(phrases)
        if len(phrase) >= _LEAST or any(len(word) >= _LONG for word in phrase)
    ][:_MOST_NAMES]  # fmt: skip
    for phrase in wanted if files else ():
        # One word may stand for two, as in test_defaultdict.
        words = f'{numbered(phrase)} OR "{"".join(phrase)}"'
        of = {"words": words, "files": listed(tuple(files)), "limit": _MOST_TESTS + 1}
        rows = conn.execute(queries("places")["tests_with"], of).fetchall()
        if len(phrase) < _LEAST and len(rows) > _MOST_TESTS:
            continue
        for row in rows[:_MOST_TESTS]:
            found.setdefault(row["id"], " ".join(phrase))
    return found
