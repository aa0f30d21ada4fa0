"""Tests that have most of a sentence's words: `deadlock in dataloader with pin_memory` is about test_dataloader.py's.

No test has all words of what people say of a bug. One that few tests have says more than one that many have, and in a
test's name it says more than in its file's, or in its body.
"""

from __future__ import annotations

import bisect
import math
import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from torchtalk.affected.path_words import folders_of, is_plain, stem_of
from torchtalk.names.closest import quoted
from torchtalk.names.questions import is_asking
from torchtalk.sqlfile import beside, listed
from torchtalk.testing.bodies import in_any_way
from torchtalk.testing.words import ENDING, words_of_phrase
from torchtalk.tools.finding_tests.entries_among import entries_among, said_of_entries
from torchtalk.tools.finding_tests.name_scores import short_name
from torchtalk.tools.finding_tests.readings import forms
from torchtalk.tools.finding_tests.scored import Scored

_queries = beside(__file__)
# How much a word says by where a test has it, and how that is said.
_NAMED, _NAMED_LIKE, _IN_PATH, _IN_BODY = 1.0, 0.8, 0.7, 0.5
_SAID = (
    (frozenset((_NAMED, _NAMED_LIKE)), "named like"),
    (frozenset((_IN_PATH,)), "its file is called like"),
    (frozenset((_IN_BODY,)), "its body has"),
)
_FEWEST = 2
_MOST_WORDS = 10
# Shorter words keep their endings, and stand in very many bodies.
_SHORT = 4
# What counts so much less than the best is about something else.
_SHARE = 0.6
# Of a part of PyTorch that has more tests none is meant for its file alone.
_MOST_OF_FILES = 1_000
_MOST_SHOWN = 200
# A name decides between tests that have the same words.
_SHORT_NAME = 0.01
# A part of what was asked for may be anything.
_WEAK = 0.5
_JOINED = re.compile(r"[A-Za-z]\w*_\w*[A-Za-z]")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")


class MostWords(NamedTuple):
    """What is found for a sentence.

    Args:
        tests: those that have most of its words.
        lost: the words that none of them has.
        share: how much the best of them has of what all the words say, of 1.
        entries: names of OpInfos that its words have.
    """

    tests: dict[int, Scored]
    lost: tuple[str, ...] = ()
    share: float = 0.0
    entries: tuple[str, ...] = ()

    def told(self) -> tuple[dict[int, Scored], tuple[str, ...]]:
        """The tests, and what is said of them, a sentence each."""
        if not self.tests:
            return {}, ()
        lost = f"; none has {' or '.join(self.lost)} as well" if self.lost else ""
        notes = [
            f"no test has all of these words: first come those that have most, and what few tests have{lost}"
        ]
        if self.share < _WEAK:
            notes.append(
                "they have little of it: an operator, function, class or file would tell more"
            )
        return self.tests, (*notes, *said_of_entries(self.entries))


def with_most_words(conn: sqlite3.Connection, text: str) -> MostWords:
    """Find the tests that have most of the words of a text.

    Args:
        conn: an index.
        text: a sentence, or some words.

    Returns:
        The tests; none where the text has not two words that tests have.
    """
    # `as` of as_strided is a part of its name.
    of_names = {word for name in _JOINED.findall(text) for word in words_of_phrase(name)}
    words = tuple(
        word for word in words_of_phrase(text) if word in of_names or not is_asking(word)
    )[:_MOST_WORDS]
    if len(words) < _FEWEST:
        return MostWords({})
    having = _Having(conn, words)
    having.look_in_names()
    having.look_in_bodies(text)
    having.look_in_paths()
    return having.best()


class _Having:
    """Which tests have which words, and how much that says.

    Args:
        conn: an index.
        words: that are looked for, each once.
    """

    def __init__(self, conn: sqlite3.Connection, words: tuple[str, ...]) -> None:
        self._conn = conn
        self._sql = _queries("most_words")
        self._places = {word: at for at, word in enumerate(words)}
        self._stems = [ENDING.sub("", word) if len(word) > _SHORT else word for word in words]
        # By word and test: how much it counts there.
        self._counts: list[dict[int, float]] = [{} for _ in words]

    def look_in_names(self) -> None:
        """Take the words of tests' and classes' names."""
        for word, at in self._places.items():
            self._take(at, self._ids("named_ids", " OR ".join(map(quoted, forms(word)))), _NAMED)
            if len(self._stems[at]) >= _SHORT:
                self._take(at, self._ids("named_ids", f"{quoted(self._stems[at])}*"), _NAMED_LIKE)

    def look_in_bodies(self, text: str) -> None:
        """Take the names that tests call or take from something.

        Args:
            text: where the words stand: `pin_memory` is one name.
        """
        words = [*self._places]
        names = {word: [at] for word, at in self._places.items() if len(word) >= _SHORT}
        joined = [f"{one}_{two}" for one, two in zip(words, words[1:], strict=False)]
        for name in (*joined, *_IDENTIFIER.findall(text)):
            parts = words_of_phrase(name)
            if len(parts) > 1 and self._places.keys() >= set(parts):
                names[name] = [self._places[word] for word in parts]
        for name, within in names.items():
            ids = self._ids("body_ids", in_any_way(name))
            for at in within:
                self._take(at, ids, _IN_BODY)

    def look_in_paths(self) -> None:
        """Take the words of the names of files and folders."""
        of_word: dict[int, list[range]] = defaultdict(list)
        for path, first, last in self._conn.execute(self._sql["files_of_tests"]):
            lower = path.lower()
            if not any(stem in lower for stem in self._stems):
                continue
            own = {*stem_of(path), *folders_of(path)}
            for word, at in self._places.items():
                if not is_plain(word) and _is_among(word, self._stems[at], own):
                    of_word[at].append(range(first, last + 1))
        known = sorted(set().union(*self._counts))
        for at, spans in of_word.items():
            is_few = sum(map(len, spans)) <= _MOST_OF_FILES
            for span in spans:
                begin, end = (bisect.bisect_left(known, one) for one in (span.start, span.stop))
                self._take(at, span if is_few else known[begin:end], _IN_PATH)

    def best(self) -> MostWords:
        """The tests that have most, and with what."""
        (total,) = self._conn.execute(self._sql["number_of_tests"]).fetchone()
        worth = [math.log(1 + total / len(own)) if own else 0.0 for own in self._counts]
        scores: dict[int, float] = defaultdict(float)
        for own, much in zip(self._counts, worth, strict=True):
            for test, count in own.items():
                scores[test] += count * much
        highest = max(scores.values(), default=0.0)
        kept = [
            test
            for test, score in scores.items()
            if score >= _SHARE * highest and self._number(test) >= _FEWEST
        ]
        kept = sorted(kept, key=lambda test: (-round(scores[test], 6), test))[:_MOST_SHOWN]
        tests = {test: Scored(scores[test], [*self._reasons(test)]) for test in kept}
        for row in self._conn.execute(self._sql["names_of"], {"tests": listed(tuple(kept))}):
            tests[row["id"]].score += _SHORT_NAME * short_name(row)
        has = {
            word
            for word, at in self._places.items()
            if not self._counts[at].keys().isdisjoint(tests)
        }
        lost = tuple(word for word in self._places if word not in has)
        entries = entries_among(self._conn, tuple(self._places))
        return MostWords(tests, lost, highest / (sum(worth) or 1.0), entries)

    def _take(self, at: int, ids: Iterable[int], count: float) -> None:
        own = self._counts[at]
        for test in ids:
            if own.get(test, 0.0) < count:
                own[test] = count

    def _ids(self, sql: str, match: str) -> list[int]:
        return [row[0] for row in self._conn.execute(self._sql[sql], {"match": match})]

    def _number(self, test: int) -> int:
        return sum(test in own for own in self._counts)

    def _reasons(self, test: int) -> Iterator[str]:
        for counts, said in _SAID:
            has = [
                word for word, at in self._places.items() if self._counts[at].get(test) in counts
            ]
            if has:
                yield f"{said} {' '.join(has)}"


def _is_among(word: str, stem: str, words: Iterable[str]) -> bool:
    """Whether a word is among those of a path, with whatever ending."""
    return word in words or (len(stem) >= _SHORT and any(one.startswith(stem) for one in words))
