"""How much tests are about words, by their names and by those of their files."""

from __future__ import annotations

import functools
import re
import sqlite3
from collections.abc import Callable
from itertools import combinations

from torchtalk.names.closest import numbered, quoted
from torchtalk.sqlfile import listed
from torchtalk.testing.words import words_of
from torchtalk.tools import queries
from torchtalk.tools.finding_tests.readings import Reading, plain, readings
from torchtalk.tools.finding_tests.scored import Scored

ALL_WORDS = 5.0
OWN_NAME = 2.5
_SCATTERED = 1.5
# That a file is called so says of each of its tests less than a name of its own.
_PATH = 3.0
_GTEST = 0.4
_TWO = 2
_MOST_APART = 4
_SEPARATORS = re.compile(r"[_/.\-]+")
# What joins words to a phrase; an operator's name may have one, too.
_LITTLE = frozenset(
    "a an and are at by does for from in is of on or over test tests that the to when which with".split()
)


Add = Callable[[int, float, str], None]
"""Takes in a test by its id, with how much it is about what was asked for, and why."""


def named_so(conn: sqlite3.Connection, words: tuple[str, ...]) -> frozenset[int]:
    """Ids of the tests that have `words`, in lower case, in their names, in the same order; `conn` is an index."""
    return frozenset(row["test_id"] for row in _in_order(conn, words))


def score_name(conn: sqlite3.Connection, words: tuple[str, ...], add: Add) -> None:
    """Find the tests that have the words of a thing's name in theirs.

    Args:
        conn: an index.
        words: of the name, in lower case.
        add: takes in a test by its id, how much it is about the thing, and why.
    """
    in_order = _in_order(conn, words)
    together = {row["test_id"] for row in in_order}
    for row in {row["test_id"]: row for row in (*_named(conn, plain(words)), *in_order)}.values():
        short = short_name(row)
        if row["test_id"] in together:
            own = OWN_NAME if set(words) <= set(words_of(row["name"], most=None)) else 0.0
            add(row["test_id"], ALL_WORDS + own + short, f"named {' '.join(words)}")
        else:
            # The words of what has a name, apart or in another order, are mostly those of something else.
            add(row["test_id"], _SCATTERED + short, f"has {', '.join(words)} in its name")


def score_words(conn: sqlite3.Connection, words: tuple[str, ...], add: Add) -> None:
    """Find the tests that have words in their names or their files' paths, in any way to read them.

    Args:
        conn: an index.
        words: that are asked for, in lower case.
        add: takes in a test by its id, how much it is about them, and why.
    """
    named: set[int] = set()
    ways = readings(conn, words)
    for reading in ways:
        for row in _named(conn, reading):
            if row["test_id"] in named:
                continue
            named.add(row["test_id"])
            # A short name that has the words is more about them than a long one, and a name than its class's.
            own = OWN_NAME if reading.fits(words_of(row["name"], most=None)) else 0.0
            add(row["test_id"], ALL_WORDS + own + short_name(row), f"named {reading.text}")
    for row in _in_files(conn, ways):
        add(row["test_id"], _PATH, f"stands in {row['path']}")


def _in_files(conn: sqlite3.Connection, ways: tuple[Reading, ...]) -> list[sqlite3.Row]:
    """Tests of files whose paths have the words, by one of the ways to read them."""
    sql = queries("find_similar_tests")
    files = []
    # To look at few paths takes less time than all else: of each way those that have its longest word.
    begun = tuple(sorted({max(map(_beginning, way.groups), key=len) for way in ways}, key=len))
    # What has one of them in it has that one as well.
    begun = tuple(one for at, one in enumerate(begun) if not any(few in one for few in begun[:at]))
    for identity, words in _paths(conn, begun) if ways else ():
        if any(way.fits(words) for way in ways):
            files.append(identity)
    rows: list[sqlite3.Row] = conn.execute(
        sql["file_tests"], {"files": listed(tuple(files))}
    ).fetchall()
    return rows


def _paths(conn: sqlite3.Connection, having: tuple[str, ...]) -> list[tuple[int, frozenset[str]]]:
    """The files of tests with one of some texts in their paths, with the paths' words."""
    rows = conn.execute(queries("find_similar_tests")["test_files"], {"having": listed(having)})
    return [(identity, _words_of_path(path)) for identity, path in rows]


@functools.lru_cache(maxsize=8_192)
def _words_of_path(path: str) -> frozenset[str]:
    # Its ending is no word: C++ files are not all about cpp.
    return frozenset(_SEPARATORS.split(path.rpartition(".")[0].lower()))


def _beginning(words: tuple[str, ...]) -> str:
    """What all forms of a word begin with."""
    first, last = min(words, default=""), max(words, default="")
    same = (at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other)
    return first[: next(same, len(first))]


def short_name(row: sqlite3.Row) -> float:
    """More for a short name; of two that are as good the Python test comes before the C++ one, which few build.

    Args:
        row: of the statement `named_tests`: the name's length in characters, and the test's kind.

    Returns:
        A score of at most 1.
    """
    return 10 / (10 + int(row["length"])) - (_GTEST if row["kind"] == "gtest" else 0.0)


def score_apart(conn: sqlite3.Connection, words: tuple[str, ...], found: dict[int, Scored]) -> None:
    """Find the tests that have some words in their path and the others in their name; little words need not be there.

    Args:
        conn: an index.
        words: that are asked for, in lower case; too many of them, or one alone, are not looked for.
        found: the tests that are known, which stay as they are; grows.
    """
    told = tuple(word for word in words if word not in _LITTLE)
    if not _TWO <= len(told) <= _MOST_APART:
        return
    known = set(found)
    if told != words:
        for row in _named(conn, plain(told)):
            if row["test_id"] not in known:
                score = ALL_WORDS + short_name(row)
                found.setdefault(row["test_id"], Scored()).add(score, f"named {' '.join(told)}")
        known = set(found)
    sql = queries("find_similar_tests")["named_tests_in"]
    paths = _paths(conn, told)
    for number in range(len(told) - 1, 0, -1):
        for own in combinations(told, number):
            rest = tuple(word for word in told if word not in own)
            files = tuple(identity for identity, words in paths if words.issuperset(rest))
            match = " AND ".join(quoted(word) for word in own)
            of = {"words": match, "files": listed(files)}
            for row in conn.execute(sql, of) if files else ():
                if row["test_id"] not in known:
                    known.add(row["test_id"])
                    score = ALL_WORDS - len(rest) / len(told) + short_name(row)
                    why = f"named {' '.join(own)}, in {row['path']}"
                    found.setdefault(row["test_id"], Scored()).add(score, why)


def _named(conn: sqlite3.Connection, reading: Reading) -> list[sqlite3.Row]:
    """Tests whose name has the words."""
    return _matching(conn, reading.match) if reading.groups else []


def _in_order(conn: sqlite3.Connection, words: tuple[str, ...]) -> list[sqlite3.Row]:
    """Tests whose name has the words one behind the other, and perhaps a number."""
    return _matching(conn, numbered(words)) if words else []


def _matching(conn: sqlite3.Connection, match: str) -> list[sqlite3.Row]:
    rows: list[sqlite3.Row] = conn.execute(
        queries("find_similar_tests")["named_tests"], {"words": match}
    ).fetchall()
    return rows
