"""Tests whose names have the words of a question in other forms, or of few words all but one."""

from __future__ import annotations

import sqlite3
from itertools import combinations

from torchtalk.names.closest import numbered, quoted
from torchtalk.testing.words import ENDING, words_of
from torchtalk.tools import queries
from torchtalk.tools.finding_tests.name_scores import ALL_WORDS, short_name
from torchtalk.tools.finding_tests.of_one_word import files_called
from torchtalk.tools.finding_tests.scored import Scored

_SHORT = 4  # such words keep their endings
_TWO = 2
_OWN = 1.0
_MOST_AKIN = 200
# A word that so few tests have says more than that a file is called by the other.
_RARE = 10


def akin(
    conn: sqlite3.Connection, words: tuple[str, ...], *, some: bool
) -> tuple[dict[int, Scored], tuple[str, ...]]:
    """Tests that have the words in other forms; and what is to be said of that.

    Args:
        conn: an index.
        words: of the question.
        some: all but one of them will do where none has all.
    """
    stems = [ENDING.sub("", word) if len(word) > _SHORT else word for word in words]
    forms = [
        f"{quoted(stem)}{'*' if len(word) > _TWO else ''}"
        for word, stem in zip(words, stems, strict=True)
    ]
    numbers = _matching(conn, numbered(words)) if len(words) > 1 else []
    if numbers:
        why = f"named {' '.join(words)}, with a number"
        return {row["test_id"]: Scored(ALL_WORDS + short_name(row), [why]) for row in numbers}, ()
    for left_out in range(2 if some and len(words) > 1 else 1):
        ways = list(combinations(range(len(words)), len(words) - left_out))
        rows = {way: _begun(conn, [forms[n] for n in way]) for way in ways}
        if left_out and len(words) == _TWO:
            # Of one word alone other forms are mostly other things.
            rows = {way: _begun(conn, [quoted(words[n]) for n in way]) for way in ways}
        if left_out:
            # One that very many have says nothing; of two words alone the one that fewer have says more.
            rows = {way: own for way, own in rows.items() if len(own) <= _MOST_AKIN}
            told = [len(own) for own in rows.values() if own]
            if (
                len(words) == _TWO
                and min(told, default=0) > _RARE
                and (of_files := files_called(conn, words))
            ):
                scored = {
                    test: Scored(much, [f"stands in {path}"])
                    for test, (much, path) in of_files.items()
                }
                return scored, (
                    "no test is named so; these stand in files that are called by one of the words",
                )
            if len(words) == _TWO and told:
                rows = {way: own for way, own in rows.items() if len(own) == min(told)}
        found: dict[int, Scored] = {}
        for way, own in rows.items():
            why = f"named like {' '.join(words[n] for n in way)}"
            for row in own:
                # A test's own name says more than its class's, which all beside it share.
                is_own = _begins(row["name"], [stems[n] for n in way])
                score = ALL_WORDS / 2 + short_name(row) + (_OWN if is_own else 0.0)
                found.setdefault(row["test_id"], Scored()).add(score, why)
        if found:
            without = ", or all but one of them" if left_out else ""
            kept = {n for way, own in rows.items() if own for n in way}
            lost = [word for n, word in enumerate(words) if n not in kept]
            named = f"; none has {' or '.join(lost)} as well" if lost else ""
            return found, (
                f"no test is named so; these have words that begin alike{without}{named}",
            )
    return {}, ()


def _begun(conn: sqlite3.Connection, match: list[str]) -> list[sqlite3.Row]:
    return _matching(conn, " AND ".join(match))


def _matching(conn: sqlite3.Connection, match: str) -> list[sqlite3.Row]:
    rows: list[sqlite3.Row] = conn.execute(
        queries("find_similar_tests")["named_tests"], {"words": match}
    ).fetchall()
    return rows


def _begins(name: str, stems: list[str]) -> bool:
    """Whether each of some words stands in a name with whatever ending."""
    own = words_of(name, most=None)
    return all(any(word.startswith(stem) for word in own) for stem in stems)
