"""What to look for where nothing tests what has a name, or nothing has it: what calls it, its class, its words."""

from __future__ import annotations

import re
import sqlite3
from dataclasses import replace

from torchtalk.affected.places.variables import is_bound_type
from torchtalk.names.closest import last_component
from torchtalk.sqlfile import listed
from torchtalk.testing.subject import Subject, understand
from torchtalk.testing.words import the_words, words_of
from torchtalk.tools import queries
from torchtalk.tools.finding_tests.akin import akin
from torchtalk.tools.finding_tests.most_words import with_most_words
from torchtalk.tools.finding_tests.other_tests import tests_expecting, tests_with_text
from torchtalk.tools.finding_tests.scored import Scored

_BLANK = re.compile(r"\s")
# So an error's message is written, which people seldom write otherwise: with a capital, a mark or a number.
_MESSAGE = re.compile(r"^[A-Z][a-z]+\s[a-z]|[\"'`(){}\[\]%<>=]|[:;,.](?:\s|$)|(?<!\S)\d")
# So many words are no name any more, but what an error says; it may be what fewer do.
_SENTENCE = 5
_PHRASE = 3
_TWO = 2
# With so few tests that expect a part of some words, others may be meant.
_FEW = 5
_BEHIND = 0.9


def as_words(subject: Subject, words: tuple[str, ...]) -> Subject:
    """The `subject` with its `words` alone, where what has the name has no tests."""
    return replace(
        subject, text=the_words(words), words=words, is_name=False, cpp=(), stub="", bases=()
    )


def instead(conn: sqlite3.Connection, subject: Subject) -> tuple[Subject, str]:
    """What to look for where nothing tests what has a name: operators that call it, its class, or its words.

    Args:
        conn: an index.
        subject: what has the name.

    Returns:
        The other subject, and a sentence that says so.
    """
    of = {"bases": listed(subject.bases)}
    rows = conn.execute(queries("find_similar_tests")["calling_operators"], of).fetchall()
    bases = tuple(row["base"] for row in rows)
    if bases:
        said = ", ".join(f"aten::{base}" for base in bases)
        note = f"no test of {subject.text} itself; these are of what calls it: {said}"
        return replace(subject, text=said, bases=bases, names=(), cpp=()), note
    owner = subject.text.rpartition(".")[0]
    # To find out that a module is no class takes longer than all else.
    is_class = owner.rpartition(".")[2].lstrip("_")[:1].isupper()
    is_method = bool(subject.functions) and is_class and not owner.startswith("test.")
    of_owner = understand(conn, owner, near=False) if is_method else subject
    if of_owner.classes:
        note = f"no test is known to call {subject.text} itself; these are of its class"
        return of_owner, note
    words = words_of(subject.text.rpartition("::")[2].rpartition(".")[2])
    note = f"no test is known to use {subject.text}; these have its words"
    if is_bound_type(conn, subject.text):
        note += f", and affected {subject.text} reads the texts for who names this type"
    return as_words(subject, words), note


def _add_words(conn: sqlite3.Connection, query: str, scored: dict[int, Scored]) -> tuple[str, ...]:
    """Add the tests with most of some words behind a few that expect a part of them as a text.

    `out of memory allocator snapshot` is no message, though a test expects `out of memory`.
    """
    others = {
        test: one for test, one in with_most_words(conn, query).tests.items() if test not in scored
    }
    least = min(one.score for one in scored.values())
    best = max((one.score for one in others.values()), default=1.0)
    for test, one in others.items():
        scored[test] = Scored(least * _BEHIND * one.score / best, one.why)
    return ("behind them stand tests with most of the words",) if others else ()


def like_words(
    conn: sqlite3.Connection, query: str, subject: Subject, *, loosely: bool
) -> tuple[dict[int, Scored], tuple[str, ...]]:
    """Tests with words like those of a query that has no other meaning, or with its text.

    Args:
        conn: an index.
        query: as it was asked.
        subject: what it was understood as: words alone.
        loosely: some of the words will do, where no test has all.

    Returns:
        The tests by id, and what is said of them, a sentence each.
    """
    # Of a name that nothing has only its end tells what was meant.
    is_one = not _BLANK.search(query.strip())
    words = words_of(last_component(query)) if is_one else ()
    if not loosely or is_one:
        scored, notes = akin(conn, words or subject.words, some=is_one)
        if scored or len(query.split()) < _PHRASE:
            return scored, notes
        scored, notes = tests_expecting(conn, query)
        if 0 < len(scored) < _FEW and not _MESSAGE.search(query.strip()):
            notes += _add_words(conn, query, scored)
        return scored, notes
    if len(subject.words) <= _TWO:
        return akin(conn, subject.words, some=True)
    scored, notes = with_most_words(conn, query).told()
    # What a test has of an error's message it has in other ways as well; to read the tree's files takes long.
    if len(query.split()) >= _SENTENCE and _MESSAGE.search(query.strip()):
        of_text, said = tests_with_text(conn, query)
        return (of_text, said) if of_text else (scored, notes or said)
    return scored, notes
