"""Which operators each test calls, or is named after."""

from __future__ import annotations

import functools
import math
import re
import sqlite3
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from indexer.facts.tests import UNSURE
from indexer.link.cpp.operator_callees import OperatorCallees
from indexer.link.tests.own_operators import native_operators, own_operators
from indexer.link.tests.without_torch import files_without_torch

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_ORDER = ("name", "call", "method", "helper")
_WORTH = {"name": 6.0, "call": 4.0, "method": 2.5, "helper": 1.5}
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
_CALL, _HELPER, _METHOD, _NAME = (_BITS[how] for how in ("call", "helper", "method", "name"))


class Found(NamedTuple):
    """What is known of the operators of tests.

    Args:
        ways: by test, the bases that it has to do with and how, as bits.
        gtests: which of the tests are in C++.
    """

    ways: dict[int, dict[str, int]]
    gtests: set[int]


def test_operators(conn: sqlite3.Connection) -> Found:
    """The operators of each test in Python; nothing of C++ is asked for."""
    direct = _direct(conn)
    methods = _methods(conn, direct)
    helpers = _helpers(conn)
    known = Bases(_nameable(conn))
    callers: dict[int, int] = {}
    for called in helpers.values():
        for identity in called:
            callers[identity] = callers.get(identity, 0) + 1
    found: dict[int, dict[str, int]] = {}
    strangers = files_without_torch(conn)
    for test_id, function_id, name, file_id in conn.execute(
        "SELECT id, function_id, name, file_id FROM tests WHERE function_id IS NOT NULL ORDER BY id"
    ):
        if file_id in strangers:
            continue
        ways = dict.fromkeys(direct.get(function_id, ()), _CALL)
        for base in methods.get(function_id, ()):
            ways.setdefault(base, _METHOD)
        for helper in _reached(function_id, helpers, callers):
            for base in (*direct.get(helper, ()), *methods.get(helper, ())):
                ways.setdefault(base, _HELPER)
        for base in known.named(name.removeprefix("test")):
            ways[base] = ways.get(base, 0) | _NAME
        found[test_id] = ways
    return Found(found, set())


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
    """Fill `test_operators`, and say of each test how many operators it calls."""
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
        number = sum(share[base] for base in sorted(ways) if ways[base] != _NAME)
        yield test_id, math.ceil(number)


def _rows(found: Found, called: dict[int, int]) -> Iterator[tuple[int, str, str, int]]:
    """Rows of `test_operators`, in the order of the tests and names."""
    for test_id, ways in sorted(found.ways.items()):
        number, is_gtest = called[test_id], test_id in found.gtests
        for base in sorted(ways):
            yield test_id, base, *_weighed(ways[base], number, is_gtest)


@functools.cache
def _weighed(ways: int, operators: int, is_gtest: bool) -> tuple[str, int]:
    """The ways by their first letters, and their weight in thousandths.

    Who calls twenty operators is less about each than who calls two.
    """
    hows = [how for how, bit in _BITS.items() if ways & bit]
    share = 4 / (4 + operators)
    weight = sum(_WORTH[how] * (1.0 if how == "name" else share) for how in hows)
    if "name" in hows and len(hows) > 1:
        weight += _NAMED_AND_CALLS
    return "".join(how[0] for how in sorted(hows, key=_ORDER.index)), round(
        1000 * (weight - _GTEST * is_gtest)
    )


def _direct(conn: sqlite3.Connection) -> dict[int, tuple[str, ...]]:
    """By function of a test file: bases of the operators whose public names it calls or hands on to what calls them."""
    conn.execute(
        "CREATE TEMP TABLE own_operators (function_id INTEGER NOT NULL, base TEXT NOT NULL)"
    )
    conn.execute("CREATE TEMP TABLE native_bases (native_id INTEGER NOT NULL, base TEXT NOT NULL)")
    conn.executemany("INSERT INTO own_operators VALUES (?, ?)", own_operators(conn))
    conn.executemany("INSERT INTO native_bases VALUES (?, ?)", native_operators(conn))
    found: dict[int, dict[str, None]] = {}
    for function_id, base in conn.execute(
        "WITH targets (id, base) AS ("
        "  SELECT t.target_id, a.base FROM temp.native_bases AS a"
        "  JOIN python_resolutions AS t ON t.native_id = a.native_id"
        "  UNION SELECT t.target_id, a.base FROM temp.own_operators AS a"
        "  JOIN python_resolutions AS t ON t.function_id = a.function_id)"
        " SELECT DISTINCT c.caller_id, x.base FROM targets AS x"
        " JOIN python_calls AS c ON c.target_id = x.id AND c.kind <> 1"
        " JOIN python_functions AS p ON p.id = c.caller_id"
        " JOIN temp.python_body_methods AS b ON b.function_id = c.caller_id"
        " ORDER BY c.caller_id, c.line, x.base"
    ):
        found.setdefault(function_id, {})[base] = None
    conn.execute("DROP TABLE temp.own_operators")
    conn.execute("DROP TABLE temp.native_bases")
    return {function_id: tuple(bases) for function_id, bases in found.items()}


def _methods(
    conn: sqlite3.Connection, direct: dict[int, tuple[str, ...]]
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


def _gtests(conn: sqlite3.Connection, known: Bases) -> Iterator[tuple[int, str, int]]:
    for test_id, name in conn.execute(
        "SELECT id, name FROM tests WHERE kind = 'gtest' ORDER BY id"
    ):
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
