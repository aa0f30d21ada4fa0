"""How the words of a question may be written in code: `cuda graphs` is cudagraphs, `dataloader` is DataLoader."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator
from typing import NamedTuple

from torchtalk.names.closest import quoted
from torchtalk.tools import queries

# Shorter words are not taken apart, nor is an `s` taken from their end.
_LONG = 7
_SHORT = 4
_PIECE = 3
_MOST_WORDS = 4


class Reading(NamedTuple):
    """One way to read words.

    Args:
        groups: of each word its forms, of which one will do.
        is_phrase: they have to follow one another.
    """

    groups: tuple[tuple[str, ...], ...]
    is_phrase: bool = False

    @property
    def match(self) -> str:
        """As the index of tests' words takes it."""
        groups = [" OR ".join(map(quoted, forms)) for forms in self.groups]
        if self.is_phrase:
            return " + ".join(groups)
        return " AND ".join(f"({group})" for group in groups)

    @property
    def text(self) -> str:
        """For people: the words as they were asked for, or as they are taken here."""
        return " ".join(forms[0] for forms in self.groups)

    def fits(self, words: Collection[str]) -> bool:
        """Whether a name has all of them.

        Args:
            words: of the name.
        """
        return all(any(form in words for form in forms) for forms in self.groups)


def plain(words: tuple[str, ...]) -> Reading:
    """The words as they are."""
    return Reading(tuple((word,) for word in words))


def readings(conn: sqlite3.Connection, words: tuple[str, ...]) -> tuple[Reading, ...]:
    """All ways to read words, as they are first.

    Args:
        conn: an index.
        words: in lower case.
    """
    if not words:
        return ()
    return (
        Reading(tuple(map(forms, words))),
        *(_together(words) if len(words) <= _MOST_WORDS else ()),
        *(_taken_apart(conn, words[0]) if len(words) == 1 else ()),
    )


def _together(words: tuple[str, ...]) -> Iterator[Reading]:
    """Two that follow one another as one."""
    for at in range(len(words) - 1):
        one = tuple(words[at] + form for form in forms(words[at + 1]))
        yield Reading((*map(forms, words[:at]), one, *map(forms, words[at + 2 :])))


def _taken_apart(conn: sqlite3.Connection, word: str) -> Iterator[Reading]:
    """One as two, where some test is called so."""
    if len(word) < _LONG:
        return
    sql = queries("find_similar_tests")["is_named"]
    for at in range(_PIECE, len(word) - _PIECE + 1):
        for form in forms(word[at:]):
            reading = Reading(((word[:at],), (form,)), is_phrase=True)
            if conn.execute(sql, {"words": reading.match}).fetchone():
                yield reading


def forms(word: str) -> tuple[str, ...]:
    """A word, and the same in the singular or plural.

    Args:
        word: in lower case.
    """
    if len(word) < _SHORT or word.isdigit():
        return (word,)
    return (
        (word, word[:-1]) if word.endswith("s") and not word.endswith("ss") else (word, word + "s")
    )
