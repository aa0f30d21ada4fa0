"""find_similar_tests: the tests of an operator, API, module, C++ function or concept."""

from __future__ import annotations

import re
import sqlite3
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

from torchtalk.affected.upward import operators_above
from torchtalk.answers.base import Page, Place
from torchtalk.answers.tests import SimilarTestsAnswer, TestHit
from torchtalk.counted import counted
from torchtalk.names.closest import last_component, quoted
from torchtalk.sqlfile import listed
from torchtalk.testing.commands import gtest_command, makes_names, python_command
from torchtalk.testing.filters import EntryFilters
from torchtalk.testing.subject import Subject, understand, words_of
from torchtalk.tools import queries
from torchtalk.tools.opinfo_entries import callers_entries, entries_of, generic_tests, runs
from torchtalk.tools.spec import LIMIT, OFFSET, Parameter, Tool

# How a test has to do with an operator, as it is said.
_HOW = {
    "name": "named after {}",
    "call": "calls {}",
    "method": "calls .{}()",
    "helper": "a helper of it calls {}",
}
# So many tests are ranked: common operators have thousands that call them among others.
_MOST_RANKED = 500
_USES = 4.0
_CALLS_CPP = 4.0
_ALL_WORDS = 5.0
_SCATTERED = 1.5
_BODY = 2.0
# That a file is called so says of each of its tests less than a name of its own.
_PATH = 3.0
# What English puts behind a word: accumulate, accumulation; hook, hooks. Shorter words are left as they are.
ENDING = re.compile(r"(?:ations?|ating|ated|ates?|ions?|ings?|ers?|ed|es|e|s)$")
_SHORT = 4
_TWO = 2
_OWN_NAME = 2.5
_GTEST = 0.4
# Where so few tests have all the words in their names, those are looked for that have some of them in their path.
_FEW = 20
_MOST_APART = 4
# What joins words to a phrase; an operator's name may have one, too.
_LITTLE = frozenset("a an and at by for from in of on or test tests the to with".split())


@dataclass
class _Scored:
    score: float = 0.0
    why: list[str] = field(default_factory=list)

    def add(self, score: float, why: str) -> None:
        self.score += score
        self.why.append(why)


def find_similar_tests(
    conn: sqlite3.Connection, query: str, limit: int = 20, offset: int = 0
) -> SimilarTestsAnswer:
    """Find tests.

    Args:
        conn: an index.
        query: an operator, API, module or C++ function by any name that is understood
            elsewhere, or words: `channels last`.
        limit: most entries, files and tests to show.
        offset: how many to pass over.
    """
    subject = understand(conn, query)
    entries = entries_of(conn, subject)
    notes = subject.notes
    if not entries and not subject.bases and (subject.cpp or subject.stub):
        above = operators_above(conn, subject.cpp, subject.stub).operators
        if above:
            notes = (*notes, f"{subject.text} is run by {', '.join(above)}, whose tests these are")
            subject = replace(subject, bases=_bases(above), names=(), above=above)
            entries = entries_of(conn, subject)
    if not entries and subject.bases:
        entries = callers_entries(conn, subject)
    most = offset + limit + _MOST_RANKED
    scored = _score(conn, subject, most)
    if subject.is_name and not (scored or entries):
        subject, said = _instead(conn, subject)
        scored, entries = _score(conn, subject, most), entries_of(conn, subject)
        notes = (*notes, said) if scored or entries else notes
    if subject.words and not (scored or entries or subject.is_name):
        scored, note = _akin(conn, subject.words)
        notes = (*notes, *note)
    generic = generic_tests(conn, entries)
    filters = EntryFilters(conn)
    ranked = sorted(scored.items(), key=lambda item: (-round(item[1].score, 3), item[0]))
    first = len(entries) + len(generic)
    page = [entry.hit for entry in entries[offset : offset + limit]]
    start = max(0, offset - len(entries))
    page += [runs(row, entries, filters) for row in generic[start : start + limit - len(page)]]
    start = max(0, offset - first)
    room = limit - len(page)
    page += _tests(conn, ranked[start : start + room]) if room > 0 else []
    number = _total(conn, subject, scored)
    total = first + number
    listed_in = (
        f"{counted(len(entries), 'OpInfo-like entry', 'OpInfo-like entries')}, "
        f"run by generic tests in {counted(len(generic), 'file')}"
        if entries
        else "no OpInfo-like entry"
    )
    finding = (
        f"{subject.text}: {listed_in}; {counted(number, 'test')} of its own"
        if total
        else f"no test was found for {query!r}"
    )
    return SimilarTestsAnswer(
        query=query,
        finding=finding,
        notes=notes,
        closest=() if total else subject.closest,
        subject=subject.text,
        counts={"entries": len(entries), "generic": len(generic), "tests": number},
        hits=tuple(page),
        page=Page(total, offset, len(page)),
    )


def _instead(conn: sqlite3.Connection, subject: Subject) -> tuple[Subject, str]:
    """What to look for where nothing tests what has a name: operators that call it, or its words."""
    of = {"bases": listed(subject.bases)}
    rows = conn.execute(queries("find_similar_tests")["calling_operators"], of).fetchall()
    bases = tuple(row["base"] for row in rows)
    if bases:
        said = ", ".join(f"aten::{base}" for base in bases)
        note = f"no test of {subject.text} itself; these are of what calls it: {said}"
        return replace(subject, text=said, bases=bases, names=(), cpp=()), note
    words = words_of(subject.text.rpartition("::")[2].rpartition(".")[2])
    note = f"no test is known to use {subject.text}; these have its words"
    return replace(subject, words=words, is_name=False), note


def _bases(operators: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name.partition("::")[2] for name in operators))


def _score(conn: sqlite3.Connection, subject: Subject, most: int) -> dict[int, _Scored]:
    sql = queries("find_similar_tests")
    found: dict[int, _Scored] = {}

    def add(test_id: int, score: float, why: str) -> None:
        found.setdefault(test_id, _Scored()).add(score, why)

    if subject.bases:
        _score_operators(conn, subject, found, most)
    for name in subject.others:
        namespace, _, base = name.partition("::")
        of = {"namespace": namespace, "base": base}
        for row in conn.execute(sql["native_operator_tests"], of):
            add(row["test_id"], _USES + min(row["uses"], 5) / 5, f"calls {row['name']}")
            # Some only find it in a graph that they look at; one that is called so (test_qlinear) is about it.
            if base in row["test"]:
                add(
                    row["test_id"],
                    _OWN_NAME + len(base) / len(row["test"]),
                    f"has {base} in its name",
                )
    if subject.functions or subject.classes:
        wrappers = conn.execute(sql["wrappers"], {"functions": listed(subject.functions)})
        functions = (*subject.functions, *(row["id"] for row in wrappers))
        of = {"functions": listed(functions), "classes": listed(subject.classes)}
        for row in conn.execute(sql["function_tests"], of):
            # Many uses say more than one, but not in proportion.
            add(row["test_id"], _USES + min(row["uses"], 5) / 5, f"uses {subject.text}")
    if subject.cpp:
        for row in conn.execute(sql["gtest_callers"], {"functions": listed(subject.cpp)}):
            add(row["test_id"], _CALLS_CPP, f"calls {subject.text}")
    if subject.is_name and not subject.classes and not subject.cpp_class:
        return found
    words = subject.words if not subject.is_name else subject.words[-3:]
    if subject.cpp_class:
        words = words_of(last_component(subject.cpp_class))
        if len(words) < _TWO:
            # One word is that of many other things.
            return found
    together = {row["test_id"] for row in _named(conn, words, " + ")} if subject.is_name else None
    for row in _named(conn, words, " AND "):
        # A short name that has the words is more about them than a long one, and a name than its class's.
        short = _short(row)
        if together is not None and row["test_id"] not in together:
            # The words of what has a name, apart or in another order, are mostly those of something else.
            add(row["test_id"], _SCATTERED + short, f"has {', '.join(words)} in its name")
            continue
        own = _OWN_NAME if set(words) <= set(words_of(row["name"], most=None)) else 0.0
        add(row["test_id"], _ALL_WORDS + own + short, f"named {' '.join(words)}")
    if not subject.is_name:
        for row in conn.execute(sql["file_tests"], {"words": listed(words)}) if words else ():
            add(row["test_id"], _PATH, f"stands in {row['path']}")
    has: set[int] = set()
    for name in _joined(subject):
        rows = conn.execute(sql["body_tests"], {"names": quoted(name)}).fetchall()
        for row in rows:
            if row["test_id"] not in has:
                add(row["test_id"], _BODY, f"its body has {name}")
        has.update(row["test_id"] for row in rows)
    if not subject.is_name and len(found) < _FEW:
        _score_apart(conn, words, found)
    return found


def _short(row: sqlite3.Row) -> float:
    """More for a short name; of two that are as good the Python test comes before the C++ one, which few build."""
    return 10 / (10 + int(row["length"])) - (_GTEST if row["kind"] == "gtest" else 0.0)


def _score_apart(
    conn: sqlite3.Connection, words: tuple[str, ...], found: dict[int, _Scored]
) -> None:
    """Tests that have some of the words in their path and the others in their name; little words need not be there."""
    told = tuple(word for word in words if word not in _LITTLE)
    if not _TWO <= len(told) <= _MOST_APART:
        return
    known = set(found)
    if told != words:
        for row in _named(conn, told, " AND "):
            if row["test_id"] not in known:
                score = _ALL_WORDS + _short(row)
                found.setdefault(row["test_id"], _Scored()).add(score, f"named {' '.join(told)}")
        known = set(found)
    sql = queries("find_similar_tests")["named_tests_in"]
    for number in range(len(told) - 1, 0, -1):
        for own in combinations(told, number):
            rest = tuple(word for word in told if word not in own)
            match = " AND ".join(quoted(word) for word in own)
            for row in conn.execute(sql, {"words": match, "path": listed(rest)}):
                if row["test_id"] not in known:
                    known.add(row["test_id"])
                    score = _ALL_WORDS - len(rest) / len(told) + _short(row)
                    why = f"named {' '.join(own)}, in {row['path']}"
                    found.setdefault(row["test_id"], _Scored()).add(score, why)


def _score_operators(
    conn: sqlite3.Connection, subject: Subject, found: dict[int, _Scored], most: int
) -> None:
    rows = conn.execute(
        queries("find_similar_tests")["operator_tests"],
        {"bases": listed(subject.bases), "limit": most},
    )
    for row in rows:
        scored = found.setdefault(row["test_id"], _Scored())
        scored.score += row["weight"] / 1000
        scored.why += [_HOW[how].format(row["base"]) for how in row["how"].split(", ")]


def _total(conn: sqlite3.Connection, subject: Subject, found: dict[int, _Scored]) -> int:
    """How many tests there are, those included that are too little about it to be ranked."""
    sql = queries("find_similar_tests")
    if len(found) < _MOST_RANKED or not subject.bases:
        return len(found)
    if len(subject.bases) == 1 and not (subject.functions or subject.classes or subject.cpp):
        row = conn.execute(sql["operator_total"], {"base": subject.bases[0]}).fetchone()
        return int(row[0])
    ids = conn.execute(sql["operator_test_ids"], {"bases": listed(subject.bases)})
    return len(found.keys() | {row[0] for row in ids})


def _named(conn: sqlite3.Connection, words: tuple[str, ...], how: str) -> list[sqlite3.Row]:
    """Tests whose name has the words: ` AND `, all of them; ` + `, one behind the other."""
    if not words:
        return []
    match = how.join(quoted(word) for word in words)
    rows: list[sqlite3.Row] = conn.execute(
        queries("find_similar_tests")["named_tests"], {"words": match}
    ).fetchall()
    return rows


def _akin(
    conn: sqlite3.Connection, words: tuple[str, ...]
) -> tuple[dict[int, _Scored], tuple[str, ...]]:
    """Tests that have the words in other forms, or else all but one of them; and what is to be said of that."""
    forms = [
        f"{quoted(ENDING.sub('', word) if len(word) > _SHORT else word)}{'*' if len(word) > _TWO else ''}"
        for word in words
    ]
    for left_out in range(2 if len(words) > _TWO else 1):
        found: dict[int, _Scored] = {}
        for kept in combinations(range(len(words)), len(words) - left_out):
            match = " AND ".join(forms[n] for n in kept)
            why = f"named like {' '.join(words[n] for n in kept)}"
            for row in conn.execute(queries("find_similar_tests")["named_tests"], {"words": match}):
                found.setdefault(row["test_id"], _Scored()).add(_ALL_WORDS / 2 + _short(row), why)
        if found:
            without = ", or all but one of them" if left_out else ""
            return found, (f"no test is named so; these have words that begin alike{without}",)
    return {}, ()


def _joined(subject: Subject) -> tuple[str, ...]:
    """The words as one identifier: `channels last` is `channels_last` in code."""
    if subject.is_name:
        return ()
    joined = "_".join(subject.words)
    return tuple(dict.fromkeys(name for name in (joined, "".join(subject.words)) if name))


def _tests(conn: sqlite3.Connection, ranked: list[tuple[int, _Scored]]) -> list[TestHit]:
    ids = tuple(test_id for test_id, _ in ranked)
    rows = {
        row["id"]: row
        for row in conn.execute(queries("find_similar_tests")["details"], {"tests": listed(ids)})
    }
    return [test_hit(rows[test_id], tuple(scored.why[:3])) for test_id, scored in ranked]


def test_hit(row: sqlite3.Row | dict[str, Any], why: tuple[str, ...]) -> TestHit:
    """One test from a row of the statement `details`."""
    owner = row["class"]
    name = f"{owner}.{row['name']}" if owner else row["name"]
    if row["kind"] == "gtest":
        command = gtest_command(row["path"], owner, row["name"])
        kind = "gtest"
    else:
        kind = "test"
        command = python_command(
            row["path"], owner, row["role"], row["name"], is_generated=_is_generated(row),
            has_main=bool(row["has_main"]), run_by=row["run_by"],
        )  # fmt: skip
    return TestHit(kind, name, Place(row["path"], row["line"]), why, command)


def _is_generated(row: sqlite3.Row | dict[str, Any]) -> bool:
    """Whether the test's name, and maybe its class's, has more behind it when it runs."""
    return bool(row["for_devices"] or (row["for_parameters"] and makes_names(row["decorators"])))


TOOL = Tool(
    name="find_similar_tests",
    title="Find tests",
    description="Tests for an operator, API, module, C++ function or concept: OpInfos and the "
    "generic tests that run them, then dedicated tests, each with the reason and the command.",
    parameters=(
        Parameter("query", str, "softmax, F.softmax, nn.Linear, at::native::add, channels last …"),
        LIMIT,
        OFFSET,
    ),
    run=find_similar_tests,
    examples=({"query": "softmax"}, {"query": "channels last", "limit": 5}),
)
