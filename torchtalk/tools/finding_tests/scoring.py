"""How much tests are about what was asked for: by what they use, and by the words of their names."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from torchtalk.names.closest import last_component
from torchtalk.sqlfile import listed
from torchtalk.testing.bodies import in_any_way
from torchtalk.testing.subject import Subject
from torchtalk.testing.words import words_of
from torchtalk.tools import queries
from torchtalk.tools.finding_tests.name_scores import (
    ALL_WORDS,
    OWN_NAME,
    named_so,
    score_apart,
    score_name,
    score_words,
)
from torchtalk.tools.finding_tests.of_methods import tells
from torchtalk.tools.finding_tests.readings import forms
from torchtalk.tools.finding_tests.scored import Scored
from torchtalk.tools.finding_tests.wider import FEW, Reasons, having, of_holder, wider

# How a test has to do with an operator, as it is said.
_HOW = {
    "n": "named after {}",
    "c": "calls {}",
    "m": "calls .{}()",
    "h": "a helper of it calls {}",
    "o": "may call {}",
    "ho": "a helper of it may call {}",
}
# So many tests are ranked: common operators have thousands that call them among others.
MOST_RANKED = 500
_USES = 4.0
_CALLS_CPP = 4.0
_BY_HELPER = 3.0
_BODY = 2.0
_TWO = 2


def score_tests(conn: sqlite3.Connection, subject: Subject, most: int) -> dict[int, Scored]:
    """Find the tests of a subject.

    Args:
        conn: an index.
        subject: what was asked for.
        most: so many of those that call its operators.

    Returns:
        The tests by id, with their scores and reasons.
    """
    scoring = _Scoring(conn, subject)
    scoring.score_uses(most)
    if not subject.is_name or subject.classes or subject.cpp_class:
        scoring.score_names()
    return scoring.found


class _Scoring:
    """The tests of a subject, as they are found.

    Args:
        conn: an index.
        subject: what was asked for.
    """

    def __init__(self, conn: sqlite3.Connection, subject: Subject) -> None:
        self.conn = conn
        self.subject = subject
        self.found: dict[int, Scored] = {}
        self._sql = queries("find_similar_tests")

    def score_uses(self, most: int) -> None:
        """Find the tests that call the subject, in each of the ways in which something is called.

        Args:
            most: so many of those that call its operators.
        """
        subject = self.subject
        if subject.bases:
            # A test may have a row for each of them.
            _score_operators(self.conn, subject, self.found, most * len(subject.bases))
        for name in subject.others:
            self._score_other(name)
        if subject.functions or subject.classes:
            self._score_python()
        if subject.native:
            self._score_native()
        if subject.cpp:
            self._score_cpp()
        if subject.bare and not subject.bases:
            # What C++ defines Python calls on a value, and a method on what no call tells.
            self._add_new(having(self.conn, subject.bare) if tells(subject.bare) else {})
            is_class = subject.classes or subject.cpp_class
            for test in named_so(self.conn, subject.words) if not is_class else ():
                self._add(test, ALL_WORDS, f"named {' '.join(subject.words)}")
        if subject.cpp_class:
            self._add_new(of_holder(self.conn, subject))

    def score_names(self) -> None:
        """Find the tests that have the subject's words in their names or bodies."""
        subject = self.subject
        words = subject.words if not subject.is_name else _own_words(subject)
        if subject.cpp_class:
            words = words_of(last_component(subject.cpp_class))
            if len(words) < _TWO:
                # One word is that of many other things.
                return
        if subject.is_name:
            score_name(self.conn, words, self._add)
        else:
            score_words(self.conn, words, self._add)
        self._score_bodies()
        if not subject.is_name and len(self.found) < FEW:
            score_apart(self.conn, words, self.found)

    def _add(self, test_id: int, score: float, why: str) -> None:
        self.found.setdefault(test_id, Scored()).add(score, why)

    def _add_new(self, more: Reasons) -> None:
        """Take in the tests that are not known yet."""
        for test in more.keys() - self.found.keys():
            self.found[test] = Scored(more[test][0], [more[test][1]])

    def _add_wider(self) -> None:
        """Where few tests use what has the name, take those that are about what stands around it."""
        if len(self.found) < FEW:
            self._add_new(wider(self.conn, self.subject))

    def _score_other(self, name: str) -> None:
        """Tests that call an operator of another namespace than aten."""
        namespace, _, base = name.partition("::")
        of = {"namespace": namespace, "base": base}
        for row in self.conn.execute(self._sql["native_operator_tests"], of):
            self._add(row["test_id"], uses_score(row["uses"]), f"calls {row['name']}")
            # Some only find it in a graph that they look at; one that is called so (test_qlinear) is about it.
            if base in row["test"]:
                own = OWN_NAME + len(base) / len(row["test"])
                self._add(row["test_id"], own, f"has {base} in its name")
        for function in self.conn.execute(self._sql["functions_of_operator"], of).fetchall():
            called = {"functions": listed((function["id"],)), "classes": "[]"}
            for row in self.conn.execute(self._sql["function_tests"], called):
                self._add(row["test_id"], uses_score(row["uses"]), f"uses {function['name']}")

    def _score_python(self) -> None:
        """Tests that use functions and classes of Python, or a function that only passes them on."""
        functions, classes = self.subject.functions, self.subject.classes
        wrappers = self.conn.execute(self._sql["wrappers"], {"functions": listed(functions)})
        functions = (*functions, *(row["id"] for row in wrappers))
        of = {"functions": listed(functions), "classes": listed(classes)}
        for row in self.conn.execute(self._sql["function_tests"], of):
            self._add(row["test_id"], uses_score(row["uses"]), f"uses {self.subject.text}")
        self._add_wider()

    def _score_native(self) -> None:
        """Tests that call what C++ binds, or are called like it."""
        subject = self.subject
        for row in self.conn.execute(self._sql["native_tests"], {"name": subject.native}):
            self._add(row["test_id"], uses_score(row["uses"]), f"calls {subject.text}")
        # Where nothing calls it bodies are asked as well.
        own_words = words_of(last_component(subject.text)) if self.found else ()
        for test in named_so(self.conn, own_words):
            # One word in a name is that of other things, too: `tensor`.
            if len(own_words) >= _TWO or test in self.found:
                self._add(test, ALL_WORDS, f"named {' '.join(own_words)}")
        # What it has is read, and not called: `ReduceOp.AVG`.
        if len(self.found) < FEW and tells(last := last_component(subject.text)):
            self._add_new(having(self.conn, last))
        self._add_wider()

    def _score_cpp(self) -> None:
        """Tests in C++ that call functions, or where these are few, something that calls them."""
        functions, text = {"functions": listed(self.subject.cpp)}, self.subject.text
        for row in self.conn.execute(self._sql["gtest_callers"], functions):
            self._add(row["test_id"], _CALLS_CPP, f"calls {text}")
        if len(self.found) < FEW:
            helped = self.conn.execute(self._sql["gtests_by_helpers"], functions)
            self._add_new(
                {
                    row["test_id"]: (_BY_HELPER, f"calls {row['helper']}, which calls {text}")
                    for row in helped
                }
            )

    def _score_bodies(self) -> None:
        """Tests whose bodies have the words as one identifier; of several such names the first counts."""
        has: set[int] = set()
        for name in _joined(self.subject):
            of = {"names": in_any_way(name)}
            rows = self.conn.execute(self._sql["body_tests"], of).fetchall()
            for row in rows:
                if row["test_id"] not in has:
                    self._add(row["test_id"], _BODY, f"its body has {name}")
            has.update(row["test_id"] for row in rows)


def uses_score(uses: int) -> float:
    """What it counts that a test uses something so often: many uses say more than one, but not in proportion."""
    return _USES + min(uses, 5) / 5


def _own_words(subject: Subject) -> tuple[str, ...]:
    """The words of a name's last part, or where that is one word, with those before it: `data loader`, `nn lstm`."""
    words = words_of(last_component(subject.text))
    return words if len(words) >= _TWO else subject.words[-3:]


def _score_operators(
    conn: sqlite3.Connection, subject: Subject, found: dict[int, Scored], most: int
) -> None:
    rows = conn.execute(
        queries("find_similar_tests")["operator_tests"],
        {"bases": listed(subject.bases), "limit": most},
    )
    for row in rows:
        scored = found.setdefault(row["test_id"], Scored())
        scored.score += row["weight"] / 1000
        scored.why += [_HOW[how].format(row["base"]) for how in _ways(row["how"])]


def _ways(letters: str) -> Iterable[str]:
    """How a test has to do with an operator: of what a helper calls it may be one of several that runs."""
    return (*letters.removesuffix("ho"), "ho") if letters.endswith("ho") else letters


def total_tests(conn: sqlite3.Connection, subject: Subject, found: dict[int, Scored]) -> int:
    """How many tests there are, those included that are too little about it to be ranked.

    Args:
        conn: an index.
        subject: what is asked about.
        found: the tests that were ranked.
    """
    sql = queries("find_similar_tests")
    if len(found) < MOST_RANKED or not subject.bases:
        return len(found)
    if len(subject.bases) == 1 and not (subject.functions or subject.classes or subject.cpp):
        row = conn.execute(sql["operator_total"], {"base": subject.bases[0]}).fetchone()
        return int(row[0])
    ids = conn.execute(sql["operator_test_ids"], {"bases": listed(subject.bases)})
    return len(found.keys() | {row[0] for row in ids})


def _joined(subject: Subject) -> tuple[str, ...]:
    """The words as one identifier: `channels last` is `channels_last` in code."""
    if subject.is_name:
        return ()
    *first, last = subject.words or ("",)
    names = [joint.join((*first, form)) for form in forms(last) for joint in ("_", "")]
    return tuple(dict.fromkeys(name for name in names if name))
