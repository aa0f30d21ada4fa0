"""Tests of a concept by what docstrings call so: `gradient clipping` is what `clip_grad_norm_` says that it does.

No test has `learning` and `rate` in its name that is about schedulers: those use `StepLR`, whose docstring begins
"Decays the learning rate".
"""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from torchtalk.counted import few
from torchtalk.sqlfile import listed
from torchtalk.testing.words import ENDING, words_of
from torchtalk.tools import queries
from torchtalk.tools.finding_tests.wider import Reasons

# Of one word docstrings say too much, and of so many hardly one says all.
_LEAST, _MOST = 2, 4
# What so many docstrings say is no concept.
_MOST_THINGS = 40
# What so many tests use (`torch.rand`, of random numbers) each of them is hardly about.
_MOST_USERS = 200
_USES = 3.5
_BEGUN = 4  # shorter words have no endings
_DOUBLED = 2


class Documented(NamedTuple):
    """What stands under a concept.

    Args:
        tests: those that use it, with how much and why.
        said: what is to be said of them.
    """

    tests: Reasons
    said: str


def tests_of_documented(conn: sqlite3.Connection, words: tuple[str, ...]) -> Documented:
    """The tests that use public classes and functions of Python whose docstrings and names have all of some words.

    Args:
        conn: an index.
        words: of a question, in lower case.
    """
    stems = [_stem(word) for word in words]
    if not _LEAST <= len(stems) <= _MOST:
        return Documented({}, "")
    sql = queries("find_similar_tests")
    rows = conn.execute(sql["documented"], {"stem": max(stems, key=len)}).fetchall()
    of = [row for row in rows if _has_all(stems, f"{row['name']} {row['doc']}")]
    if not 0 < len(of) <= _MOST_THINGS:
        return Documented({}, "")
    names: dict[int, str] = {}
    counts: dict[int, int] = {}
    for row in of:
        one = listed((row["id"],))
        kinds = {"functions": listed(()), "classes": listed(()), row["kind"]: one}
        users = conn.execute(sql["function_tests"], kinds).fetchall()
        for test in users if len(users) <= _MOST_USERS else ():
            names.setdefault(test["test_id"], row["name"])
            counts[test["test_id"]] = counts.get(test["test_id"], 0) + test["uses"]
    tests = {
        test: (_USES + min(counts[test], 5) / 5, f"uses {name}") for test, name in names.items()
    }
    used = tuple(dict.fromkeys(row["name"] for row in of if row["name"] in names.values()))
    return Documented(tests, f"their docstrings have these words: {few(used, 8)}" if used else "")


def _has_all(stems: list[str], text: str) -> bool:
    has = {_stem(word) for word in words_of(text, None)}
    return has.issuperset(stems)


def _stem(word: str) -> str:
    """A word without its ending: of clipping and clip the same."""
    if len(word) <= _BEGUN:
        return word
    bare = ENDING.sub("", word)
    is_doubled = bare != word and len(bare) > _DOUBLED and bare[-1] == bare[-_DOUBLED]
    return bare[:-1] if is_doubled and bare[-1] not in "ls" else bare
