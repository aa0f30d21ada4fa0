"""Which operators each test calls, or is named after."""

from __future__ import annotations

import functools
import math
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from indexer.facts.tests import UNSURE
from indexer.link.cpp.operator_callees import OperatorCallees
from indexer.link.tests.own_operators import native_operators, own_operators
from indexer.link.tests.without_torch import files_without_torch, gtest_files_without_operators

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_ORDER = ("name", "call", "method", "helper", "one of")
_WORTH = {"name": 6.0, "call": 4.0, "method": 2.5, "helper": 1.5, "one of": 1.0}
_NAMED_AND_CALLS = 3.0
_GTEST = 2.0
# A helper's helper still says what a test is about; further down it is the file's machinery.
_DEPTH = 2
# A helper that more tests than this share tells none of them from the others.
_SHARED = 40
# Of so many parts of a test's name at most an operator's name is made.
_PARTS = 6
# An operator that so many tests call tells little of what each of them is about: tensors have to be made.
_COMMON = 100
# The ways in which a test has to do with an operator, as bits.
_BITS = {how: 1 << at for at, how in enumerate(sorted(_WORTH))}
_CALL, _HELPER, _METHOD, _NAME, _ONE_OF = (
    _BITS[how] for how in ("call", "helper", "method", "name", "one of")
)
# That a test's name has all words of one of several operators, which tell it from the others, says that it runs that.
_TOLD = 4.0
_PIECES = re.compile(r"[a-z]+|[0-9]+[a-z]?")
_BEGUN = 4  # shorter words have no endings


class Found(NamedTuple):
    """What is known of the operators of tests.

    Args:
        ways: by test, the bases that it has to do with and how, as bits.
        gtests: which of the tests are in C++.
        told: by test and base, of those of which it may call one: how much its name tells of this one, up to 1.
    """

    ways: dict[int, dict[str, int]]
    gtests: set[int]
    told: Mapping[tuple[int, str], float] = MappingProxyType({})


def test_operators(conn: sqlite3.Connection) -> Found:
    """The operators of each test in Python; nothing of C++ is asked for.

    Args:
        conn: the database, or a snapshot; tests must be linked.
    """
    direct = _direct(conn)
    methods = _methods(conn, direct)
    helpers = _helpers(conn)
    known = Bases(_nameable(conn))
    callers: dict[int, int] = {}
    for called in helpers.values():
        for identity in called:
            callers[identity] = callers.get(identity, 0) + 1
    found: dict[int, dict[str, int]] = {}
    told: dict[tuple[int, str], float] = {}
    strangers = files_without_torch(conn)
    for test_id, function_id, name, file_id in conn.execute(
        "SELECT id, function_id, name, file_id FROM tests WHERE function_id IS NOT NULL ORDER BY id"
    ):
        if file_id in strangers:
            continue
        ways = dict(direct.get(function_id, {}))
        for base in methods.get(function_id, ()):
            ways.setdefault(base, _METHOD)
        for helper in _reached(function_id, helpers, callers):
            for base, way in direct.get(helper, {}).items():
                ways.setdefault(base, _HELPER | (way & _ONE_OF))
            for base in methods.get(helper, ()):
                ways.setdefault(base, _HELPER)
        own = name.removeprefix("test")
        for base in (*known.named(own), *known.of_modules(own)):
            ways[base] = ways.get(base, 0) | _NAME
        found[test_id] = ways
        some = [base for base, way in ways.items() if way & _ONE_OF]
        told.update(((test_id, base), much) for base, much in _told(name, some))
    return Found(found, set(), told)


def _told(name: str, bases: list[str]) -> Iterator[tuple[str, float]]:
    """How much a test's name tells of operators: a word counts the more, the fewer of them have it.

    `test_upsamplingBicubic2d_aa_correctness` says all of `_upsample_bicubic2d_aa`, a third of `upsample_nearest2d`.
    """
    if not bases:
        return
    own = _pieces("_".join(_CAMEL.split(name)))
    pieces = {base: _pieces(base) for base in bases}
    having = Counter(piece for of in pieces.values() for piece in of)
    for base, of in pieces.items():
        worth = sum(1 / having[piece] for piece in of)
        has = sum(1 / having[piece] for piece in of if _is_among(piece, own))
        if has:
            yield base, has / worth


@functools.cache
def _pieces(name: str) -> tuple[str, ...]:
    """The different words of a name, apart from their numbers: `bicubic`, `2d`."""
    return tuple(dict.fromkeys(_PIECES.findall(name.lower())))


def _is_among(piece: str, others: tuple[str, ...]) -> bool:
    """Whether a word is among others, which may have another ending: upsample, upsampling."""
    if piece in others:
        return True
    begun = piece[:-1]
    return len(begun) >= _BEGUN and any(other.startswith(begun) for other in others)


def add_gtests(conn: sqlite3.Connection, found: Found) -> None:
    """The operators of each test in C++, whose calls must be linked.

    Args:
        conn: an index.
        found: the tests in Python, to which they are added.
    """
    for test_id, base, way in _gtests(conn, Bases(_nameable(conn))):
        ways = found.ways.setdefault(test_id, {})
        ways[base] = ways.get(base, 0) | way
    found.gtests.update(
        test_id for (test_id,) in conn.execute("SELECT id FROM tests WHERE kind = 'gtest'")
    )


def write_operators(conn: sqlite3.Connection, found: Found) -> None:
    """Fill `test_operators`, and say of each test how many operators it calls.

    Args:
        conn: the database, in a transaction.
        found: what is known of the operators of all tests.
    """
    called = dict(_called(found))
    conn.executemany(
        "INSERT INTO test_operators (test_id, base, how, weight) VALUES (?, ?, ?, ?)",
        _rows(found, called),
    )
    conn.executemany(
        "UPDATE tests SET operators = ? WHERE id = ?",
        [(number, test_id) for test_id, number in called.items() if number],
    )


def _called(found: Found) -> Iterator[tuple[int, int]]:
    """Tests, and how many operators each calls: those that it is only named after do not count, common ones little."""
    callers: dict[str, int] = {}
    for ways in found.ways.values():
        for base, way in ways.items():
            if way != _NAME:
                callers[base] = callers.get(base, 0) + 1
    share = {base: min(1.0, _COMMON / number) for base, number in callers.items()}
    for test_id, ways in sorted(found.ways.items()):
        bases = [base for base in sorted(ways) if ways[base] != _NAME]
        number = sum(share[base] for base in bases if not ways[base] & _ONE_OF)
        # Of these it calls one.
        number += min(1.0, sum(share[base] for base in bases if ways[base] & _ONE_OF))
        yield test_id, math.ceil(number)


def _rows(found: Found, called: dict[int, int]) -> Iterator[tuple[int, str, str, int]]:
    """Rows of `test_operators`, in the order of the tests and names."""
    for test_id, ways in sorted(found.ways.items()):
        number, is_gtest = called[test_id], test_id in found.gtests
        for base in sorted(ways):
            how, weight = _weighed(ways[base], number, is_gtest)
            told = found.told.get((test_id, base), 0.0)
            yield test_id, base, how, weight + round(1000 * _TOLD * told)


@functools.cache
def _weighed(ways: int, operators: int, is_gtest: bool) -> tuple[str, int]:
    """The ways by their first letters, and their weight in thousandths.

    Who calls twenty operators is less about each than who calls two.
    """
    hows = [how for how, bit in _BITS.items() if ways & bit]
    share = 4 / (4 + operators)
    if ways & _ONE_OF:
        # What a helper may call is no more than what the test may call.
        hows = [how for how in hows if how != "helper"]
    weight = sum(_WORTH[how] * (1.0 if how == "name" else share) for how in hows)
    if "name" in hows and len(hows) > 1:
        weight += _NAMED_AND_CALLS
    letters = "".join(how[0] for how in _ORDER if ways & _BITS[how])
    return letters, round(1000 * (weight - _GTEST * is_gtest))


def _direct(conn: sqlite3.Connection) -> dict[int, dict[str, int]]:
    """By function of a test file: the operators whose public names it calls or hands on to what calls them.

    With each whether it is called for certain, or one of several is: what is called for certain anywhere is.
    """
    conn.execute(
        "CREATE TEMP TABLE own_operators"
        " (function_id INTEGER NOT NULL, base TEXT NOT NULL, is_one_of INTEGER NOT NULL)"
    )
    conn.execute(
        "CREATE TEMP TABLE native_bases"
        " (native_id INTEGER NOT NULL, base TEXT NOT NULL, is_one_of INTEGER NOT NULL)"
    )
    conn.executemany("INSERT INTO own_operators VALUES (?, ?, ?)", own_operators(conn))
    conn.executemany("INSERT INTO native_bases VALUES (?, ?, ?)", native_operators(conn))
    found: dict[int, dict[str, int]] = {}
    for function_id, base, is_one_of in conn.execute(
        "WITH targets (id, base, is_one_of) AS ("
        "  SELECT t.target_id, a.base, a.is_one_of FROM temp.native_bases AS a"
        "  JOIN python_resolutions AS t ON t.native_id = a.native_id"
        "  UNION SELECT t.target_id, a.base, a.is_one_of FROM temp.own_operators AS a"
        "  JOIN python_resolutions AS t ON t.function_id = a.function_id)"
        " SELECT c.caller_id, x.base, min(x.is_one_of) FROM targets AS x"
        " JOIN python_calls AS c ON c.target_id = x.id AND c.kind NOT IN (1, 7)"
        " JOIN python_functions AS p ON p.id = c.caller_id"
        " JOIN temp.python_body_methods AS b ON b.function_id = c.caller_id"
        " GROUP BY c.caller_id, x.base ORDER BY c.caller_id, min(c.line), x.base"
    ):
        found.setdefault(function_id, {})[base] = _ONE_OF if is_one_of else _CALL
    conn.execute("DROP TABLE temp.own_operators")
    conn.execute("DROP TABLE temp.native_bases")
    return found


def _methods(
    conn: sqlite3.Connection, direct: dict[int, dict[str, int]]
) -> dict[int, tuple[str, ...]]:
    """By function of a test file: names that it calls on something and that tensors have."""
    tensor = {
        base for (base,) in conn.execute(
            "SELECT DISTINCT base FROM operators WHERE variants LIKE '%method%'"
        )
    }  # fmt: skip
    unsure = {f"{UNSURE}{base}" for base in tensor}
    found = {}
    # What is called on something unknown counts where the file calls it for certain elsewhere.
    waiting: dict[int, tuple[int, list[str]]] = {}
    of_files: dict[int, set[str]] = {}
    for function_id, methods, file_id in conn.execute(
        "SELECT function_id, methods, file_id FROM temp.python_body_methods ORDER BY function_id"
    ):
        names = methods.split(" ")
        bases = tuple(name for name in names if name in tensor)
        if bases:
            found[function_id] = bases
            of_files.setdefault(file_id, set()).update(bases)
        others = [name.removeprefix(UNSURE) for name in names if name in unsure]
        if others:
            waiting[function_id] = (file_id, others)
        of_files.setdefault(file_id, set()).update(direct.get(function_id, ()))
    for function_id, (file_id, others) in waiting.items():
        sure = tuple(name for name in others if name in of_files[file_id])
        if sure:
            found[function_id] = (*found.get(function_id, ()), *sure)
    return found


def _helpers(conn: sqlite3.Connection) -> dict[int, tuple[int, ...]]:
    """By function of a test file: functions of the same file that it calls, tests excepted."""
    found: dict[int, list[int]] = {}
    for caller, callee in conn.execute(
        "SELECT DISTINCT c.caller_id, t.function_id FROM temp.python_body_methods AS b"
        " JOIN python_calls AS c ON c.caller_id = b.function_id"
        " JOIN python_resolutions AS t ON t.target_id = c.target_id"
        " JOIN python_functions AS p ON p.id = t.function_id"
        " JOIN python_functions AS q ON q.id = c.caller_id AND q.module_id = p.module_id"
        " WHERE p.id <> q.id ORDER BY c.caller_id, t.function_id"
    ):
        found.setdefault(caller, []).append(callee)
    return {caller: tuple(called) for caller, called in found.items()}


def _reached(
    function_id: int, helpers: dict[int, tuple[int, ...]], callers: dict[int, int]
) -> Iterable[int]:
    seen: dict[int, None] = {}
    level: Iterable[int] = (function_id,)
    for _ in range(_DEPTH):
        level = [
            called
            for identity in level
            for called in helpers.get(identity, ())
            if called not in seen and callers[called] <= _SHARED
        ]
        seen.update(dict.fromkeys(level))
    return seen


def _nameable(conn: sqlite3.Connection) -> frozenset[str]:
    """Bases that people call by a Python name, so that a test may be named after them."""
    return frozenset(
        base
        for (base,) in conn.execute("SELECT DISTINCT base FROM operators WHERE namespace = 'aten'")
    )


class Bases:
    """Operators' bases, to be found in the names of tests.

    Args:
        known: the bases.
    """

    def __init__(self, known: Iterable[str]) -> None:
        self.known = frozenset(known)
        # By the first part of a base: how many parts one that begins so has at most.
        self._parts: dict[str, int] = {}
        for base in self.known:
            first, *more = base.split("_")
            self._parts[first] = max(self._parts.get(first, 0), min(1 + len(more), _PARTS))

    def named(self, name: str) -> list[str]:
        """The operators in a test's name: the longest first, so that `sum_to_size` is not `sum`.

        Args:
            name: without `test`: `_sum_to_size_dim`.
        """
        pieces = [piece for piece in name.split("_") if piece]
        found: dict[str, None] = {}
        at = 0
        while at < len(pieces):
            most = self._parts.get(pieces[at], 0)
            for end in range(min(len(pieces), at + most), at, -1):
                base = "_".join(pieces[at:end])
                if base in self.known:
                    found[base] = None
                    at = end - 1
                    break
            at += 1
        return list(found)

    def of_modules(self, name: str) -> Iterator[str]:
        """The operators that a module in a test's name is called like: `GroupNorm` like group_norm.

        A module of one word is called like much else (`Softmax`, `Linear`, `T`).

        Args:
            name: without `test`: `_GroupNorm_empty`.
        """
        for piece in name.split("_"):
            words = _CAMEL.split(piece)
            base = "_".join(words).lower()
            if len(words) > 1 and base in self.known:
                yield base


def _gtests(conn: sqlite3.Connection, known: Bases) -> Iterator[tuple[int, str, int]]:
    strangers = gtest_files_without_operators(conn)
    for test_id, name, file_id in conn.execute(
        "SELECT id, name, file_id FROM tests WHERE kind = 'gtest' ORDER BY id"
    ):
        if file_id in strangers:
            continue
        # LogSoftmax is named after log_softmax.
        for base in known.named("_".join(_CAMEL.split(name)).lower()):
            yield test_id, base, _NAME
    callees = OperatorCallees(conn)
    bases = dict(conn.execute("SELECT id, base FROM operators ORDER BY id"))
    for test_id, is_member, *call in conn.execute(
        "SELECT t.id, c.is_member, u.name, u.file_id, c.callee, c.receiver, c.is_member, c.arguments"
        " FROM tests AS t JOIN operator_calls AS c ON c.caller_id = t.cpp_function_id"
        " JOIN functions AS u ON u.id = t.cpp_function_id ORDER BY t.id, c.line"
    ):
        for base in dict.fromkeys(bases[operator] for operator in callees.of(*call).operators):
            if base in known.known:
                yield test_id, base, _METHOD if is_member else _CALL
