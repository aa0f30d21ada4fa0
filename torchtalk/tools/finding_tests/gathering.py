"""The entries and tests of one question, step by step: each looks where those before it found too little."""

from __future__ import annotations

import json
import re
import sqlite3
from dataclasses import replace

from torchtalk.affected.graph.backwards import Graph
from torchtalk.affected.graph.nodes import ITSELF
from torchtalk.affected.graph.upward import Above, operators_above
from torchtalk.affected.path_words import bare, is_plain, stem_of
from torchtalk.names.closest import last_component, quoted
from torchtalk.sqlfile import beside, listed
from torchtalk.testing.subject import Subject, understand
from torchtalk.testing.words import words_of
from torchtalk.tools import queries
from torchtalk.tools.finding_tests.direct import AT_HOME, direct_tests, is_kernel
from torchtalk.tools.finding_tests.documented import Documented, tests_of_documented
from torchtalk.tools.finding_tests.entries_among import entries_among, said_of_entries
from torchtalk.tools.finding_tests.instead import as_words, instead, like_words
from torchtalk.tools.finding_tests.of_methods import is_method
from torchtalk.tools.finding_tests.of_operators import of_what_runs, said_of
from torchtalk.tools.finding_tests.opinfo_entries import (
    Entry,
    callers_entries,
    entries_of,
    forward_entries,
)
from torchtalk.tools.finding_tests.other_tests import tests_of_module
from torchtalk.tools.finding_tests.phrase_tests import tests_with_all
from torchtalk.tools.finding_tests.scored import Scored
from torchtalk.tools.finding_tests.scoring import score_tests
from torchtalk.tools.finding_tests.wider import (
    HELPER,
    Reasons,
    farther,
    having_both,
    reached,
)

_BLANK = re.compile(r"\s")
_QUALIFIED = re.compile(r"\w(?:::|\.)\w")
# Of a module that so few tests use those with its name in theirs follow.
_queries = beside(__file__)
_FEW = 20
# Of tests that use it as often as each other those of its own file come first.
_AT_HOME = 0.75
_BY_WORDS = 0.4
_FOLLOWED = "affected follows its callers to tests"


class Gathering:
    """What is known so far of the tests for one question.

    Args:
        conn: an index.
        query: the question, as it was asked.
        subject: what it was understood as.
        entries: of the subject.
        most: so many tests are ranked of those that call the subject's operators.
        is_unknown: nothing is called as the question has it.
        loosely: some of a question's words will do, since nothing has all.

    Attributes:
        subject: whose tests these are; another one where what was asked for has none.
        entries: OpInfos and their like, the subject's own first.
        scored: the tests by id, each with its score and reasons.
        notes: how the question was taken, sentences for people.
        above: the operators that run a C++ function or stub, where its tests are theirs.
        direct: tests in C++ that call a function of C++ themselves, or are at home where it stands.
        whose: what is said of the tests behind their number.
        is_unknown: nothing is called as the question has it.
        is_wrong: the same of what is written like a name with its owner: `at::nothing`.
    """

    def __init__(
        self,
        conn: sqlite3.Connection,
        query: str,
        subject: Subject,
        entries: list[Entry],
        most: int,
        *,
        is_unknown: bool,
        loosely: bool = False,
    ) -> None:
        self.conn = conn
        self.query = query
        self.text = query.strip()
        self.subject = subject
        self.entries = entries
        self.is_unknown = is_unknown
        self.is_wrong = bool(
            is_unknown and _QUALIFIED.search(query) and not _BLANK.search(self.text)
        )
        self.scored: dict[int, Scored] = {}
        self.notes: tuple[str, ...] = ()
        self.above = Above((), ())
        self.direct: Reasons = {}
        self.whose = "of its own"
        self._most = most
        self._loosely = loosely
        self._documented = Documented({}, "")
        self._called = ""

    def gather(self) -> None:
        """Go through all steps, from what is surely meant to what only has its words."""
        if self._loosely:
            # Nothing has all of them, which is known.
            self._look_for_words()
            return
        self._take_end_of_name()
        self.notes = self.subject.notes
        itself = self.subject.functions
        of_members = self._of_members()
        self.direct = direct_tests(self.conn, self.subject)
        is_own = self.direct and not is_kernel(self.conn, self.subject.cpp)
        self._look_above(has_tests=bool(of_members or is_own))
        self._add_entries()
        if self.is_wrong and not self._has_any:
            self._add(having_both(self.conn, self.text))
        self.scored = of_members or self.scored or self._score(self.subject)
        self._take_direct()
        self._say_by_name()
        self._add_phrases()
        self._called = self.subject.text if self.subject.cpp else ""
        self._look_in_module()
        self._look_instead()
        self._look_for_words()
        self._take_documented()
        if self.scored and not (self.entries or self.subject.is_name):
            said = said_of_entries(entries_among(self.conn, self.subject.words, alone=False))
            self.notes = tuple(dict.fromkeys((*self.notes, *said)))
        self._prefer_homes()
        self._take_itself(itself)
        if self.is_wrong and self._has_any:
            self.notes = (f"nothing in the index is called {self.text}", *self.notes)

    @property
    def _has_any(self) -> bool:
        return bool(self.scored or self.entries)

    def _score(self, subject: Subject) -> dict[int, Scored]:
        return score_tests(self.conn, subject, self._most)

    def _take_end_of_name(self) -> None:
        """Entries of a name that nothing has are those of what has its end: so are the tests."""
        last = last_component(self.text)
        if not (self.is_unknown and self.entries) or last == self.text:
            return
        of_end = understand(self.conn, last, near=False)
        if of_end.bases:
            said = f"these are of {of_end.text}"
            self.subject = replace(of_end, notes=(said, *of_end.notes))
            self.entries = entries_of(self.conn, self.subject)

    def _of_members(self) -> dict[int, Scored]:
        """The tests of a class of C++, which has some of its own, or is known by what runs it."""
        if not self.subject.cpp_class:
            return {}
        found = self._score(self.subject)
        if any(one.score >= HELPER for one in found.values()):
            return found
        return _scored(reached(Graph(self.conn), self.subject))

    def _look_above(self, *, has_tests: bool) -> None:
        """Take the operators that run a C++ function or stub, where nothing tests this itself."""
        subject = self.subject
        if (subject.cpp or subject.stub) and not has_tests:
            is_class = bool(subject.cpp_class)
            self.above = operators_above(self.conn, subject.cpp, subject.stub, is_class=is_class)
        if self.entries or subject.bases or not (self.above.operators or self._is_symbol()):
            return
        if self._is_word():
            too = f"{subject.text} is called so; these are tests that have the word in their names"
            self.subject = as_words(subject, words_of(self.query))
            self.notes, self.above = (*self.notes, too), Above((), ())
            return
        if not self.above.operators:
            return
        operators = self.above.operators
        said = f"{subject.text} is run by {', '.join(operators)}, whose tests these are"
        self.notes = (*self.notes, said)
        self.subject = replace(subject, bases=_bases(operators), names=(), above=operators)
        self.entries = entries_of(self.conn, self.subject)

    def _is_symbol(self) -> bool:
        """Whether it is but a constant of C++: each of TorchScript's attributes is one (`attr::keepdims`)."""
        if not self.subject.cpp:
            return False
        of = {"functions": json.dumps(list(self.subject.cpp))}
        return self.conn.execute(_queries("gathering")["all_variables"], of).fetchone() is not None

    def _is_word(self) -> bool:
        """Whether it is one plain word that tests have in their names: `hooks` is more than a function of C++."""
        words = words_of(self.query)
        if not self.text.isidentifier() or len(words) != 1:
            return False
        of = {"words": quoted(words[0])}
        row = self.conn.execute(queries("find_similar_tests")["is_named"], of).fetchone()
        return row is not None

    def _say_by_name(self) -> None:
        """Say of a method that nothing is known to call it, where its name finds its tests."""
        subject = self.subject
        if (
            not self.scored
            or self.entries
            or not subject.functions
            or not is_method(self.conn, subject)
        ):
            return
        uses = f"uses {subject.text}"
        if not any(why.endswith(uses) for one in self.scored.values() for why in one.why):
            said = f"no call of {subject.text} is known: these have its name, in theirs or in their bodies"
            self.notes = (*self.notes, said)

    def _add_entries(self) -> None:
        """Take the entries of what calls an operator without any, and of what a module's `forward` calls."""
        if not self.entries and self.subject.bases:
            self.entries = callers_entries(self.conn, self.subject)
        if self.subject.classes:
            self.entries += forward_entries(self.conn, self.subject, self.entries)

    def _add_phrases(self) -> None:
        """Take what has all of a phrase; look up what documentation says where few tests do."""
        subject = self.subject
        if subject.is_name:
            return
        self._add(tests_with_all(self.conn, self.query))
        if subject.words and len(self.scored) < _FEW:
            self._documented = tests_of_documented(self.conn, subject.words)

    def _look_in_module(self) -> None:
        """Take the tests that use a module of Python, which may be called like an entry."""
        subject = self.subject
        is_known = bool(subject.bases or subject.functions or subject.classes)
        has_tests = bool(self.scored or (self.entries and is_known))
        if not subject.is_name or "::" in subject.text or has_tests:
            return
        self.scored, said = tests_of_module(self.conn, subject)
        if self.scored:
            self.notes = (*self.notes, said)
        if 0 < len(self.scored) < _FEW:
            # What is bound in C++, or is run by a part of it, nobody calls by a name of the module.
            of_words = as_words(subject, words_of(last_component(subject.text)))
            for test, one in self._score(of_words).items():
                self.scored.setdefault(test, Scored(one.score * _BY_WORDS, one.why))

    def _look_instead(self) -> None:
        """Take the tests of what calls a thing, stands beside it or has its words, where it has none itself."""
        if not self.subject.is_name or self._has_any:
            return
        itself, called = self.subject, self._called
        if itself.native and (both := having_both(self.conn, itself.text)):
            self._add(both)
            return
        self.subject, said = instead(self.conn, itself)
        if self.above.operators:
            self.notes = self.notes[:-1]
        # Words of a function's name tell less of its tests than what calls it, or stands beside it.
        is_function = "::" in called and not self.subject.is_name
        if not called and _is_of_python(itself):
            # Of a method's class the tests tell more, where it has some.
            called = itself.text
            is_function = not (self.subject.is_name and self._has_own(self.subject))
        reasons, by = farther(self.conn, itself) if is_function else ({}, "")
        uses = "is known to use" if _is_of_python(itself) else "calls"
        operator = said_of(self.conn, itself)
        if operator and not called:
            reasons, by = self._of_what_runs(itself), "by its callers"
        if reasons:
            by_words, self.subject, self.whose = self.subject, replace(itself, bases=()), by
            said = f"no test {uses} {called or operator}: {_FOLLOWED}"
            if operator and not called and not by_words.is_name:
                # Tests have a private operator's words in their names, too: `test_fused_adam` for `_fused_adam_`.
                self.scored = self._score(by_words)
                self.whose = f"{by} or with its words" if self.scored else by
            self._add(reasons)
        else:
            self.scored = self._score(self.subject)
            self.entries = entries_of(self.conn, self.subject)
            if called and not self._has_any:
                said = f"no test {uses} {called} or is named like it: {_FOLLOWED}"
            if operator and not self.subject.is_name:
                said = f"no test is known to run {operator}; these have its words"
                if not self._has_any:
                    said = f"no test is known to run {operator}, or is named like it"
                self.notes = (*self.notes, said)
                return
        if self._has_any or called:
            self.notes = (*self.notes, said)

    def _has_own(self, subject: Subject) -> bool:
        return bool(entries_of(self.conn, subject) or self._score(subject))

    def _of_what_runs(self, itself: Subject) -> Reasons:
        """The tests by what runs an operator, where operators that call it have none, or only its words are known."""
        if self.subject.is_name and self._has_own(self.subject):
            return {}
        return of_what_runs(self.conn, itself)

    def _look_for_words(self) -> None:
        """Take tests with words like those of a question that means nothing else."""
        subject = self.subject
        if not subject.words or subject.is_name or self._has_any or self._called:
            return
        self.scored, said = like_words(self.conn, self.query, subject, loosely=self._loosely)
        if self.scored and self._loosely:
            self.whose = "with most of them"
        if self.scored or not self._documented.tests:
            self.notes = (*self.notes, *said)

    def _take_documented(self) -> None:
        self._add(self._documented.tests)
        if self._documented.tests:
            self.notes = (*self.notes, self._documented.said)

    def _take_itself(self, functions: tuple[int, ...]) -> None:
        """Have a test that is asked for by its full name before those that are called like it."""
        of = {"functions": listed(functions)}
        rows = self.conn.execute(_queries("gathering")["itself"], of) if functions else ()
        for row in rows:
            one = self.scored.setdefault(row["id"], Scored())
            if not any(why.startswith(ITSELF) for why in one.why):
                one.score = max(other.score for other in self.scored.values()) + 1.0
                one.why.insert(0, ITSELF)

    def _take_direct(self) -> None:
        """Take the tests that call a function of C++ themselves, or are at home where it stands, and say the latter."""
        for test, (score, reason) in self.direct.items():
            one = self.scored.setdefault(test, Scored())
            if reason in one.why:
                one.score = max(one.score, score)
            else:
                one.add(score, reason)
        if any(reason.startswith(AT_HOME) for _, reason in self.direct.values()):
            self.whose = "of the file that is called like its own"
            said = f"no test is known to call {self.subject.text}: that file's are about what stands with it"
            self.notes = (*self.notes, said)

    def _prefer_homes(self) -> None:
        """Have tests of a file that is called like that of the function or class before others that use it as often."""
        of = {
            "functions": listed(self.subject.functions), "classes": listed(self.subject.classes),
            "tests": listed(tuple(test for test, one in self.scored.items() if one.uses)),
        }  # fmt: skip
        if of["tests"] == "[]" or not (self.subject.functions or self.subject.classes):
            return
        paths = [row["path"] for row in self.conn.execute(_queries("gathering")["homes"], of)]
        homes = {tuple(map(bare, stem_of(path))): path for path in paths if _is_home(path)}
        for row in self.conn.execute(_queries("gathering")["files"], of):
            home = homes.get(tuple(map(bare, stem_of(row["path"]))))
            for test in row["ids"].split(",") if home else ():
                self.scored[int(test)].add(_AT_HOME, f"its file is called like {home}")

    def _add(self, reasons: Reasons) -> None:
        for test, (score, why) in reasons.items():
            self.scored.setdefault(test, Scored()).add(score, why)


def _is_home(path: str) -> bool:
    """Whether a file's name says what it is about: utils.py's does not, and of torch/cuda/ that is a word of others."""
    return any(word == "cuda" or not is_plain(word) for word in stem_of(path))


def _is_of_python(subject: Subject) -> bool:
    """Whether it is a function or a class of Python, and runs no operator."""
    return bool(subject.functions or subject.classes) and not subject.operators


def _scored(reasons: Reasons) -> dict[int, Scored]:
    return {test: Scored(score, [why]) for test, (score, why) in reasons.items()}


def _bases(operators: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name.partition("::")[2] for name in operators))
