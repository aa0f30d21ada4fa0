"""Which operators each test calls, or is named after."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_ORDER = ("name", "call", "method", "helper")
_WORTH = {"name": 6.0, "call": 4.0, "method": 2.5, "helper": 1.5}
_NAMED_AND_CALLS = 3.0
_GTEST = 2.0
# A helper's helper still says what a test is about; further down it is the file's machinery.
_DEPTH = 2
# A helper that more tests than this share tells none of them from the others.
_SHARED = 40


def link_operators(conn: sqlite3.Connection) -> None:
    """Fill `test_operators`."""
    direct = _direct(conn)
    methods = _methods(conn)
    helpers = _helpers(conn)
    known = _nameable(conn)
    callers: dict[int, int] = {}
    for called in helpers.values():
        for identity in called:
            callers[identity] = callers.get(identity, 0) + 1
    rows: list[tuple[int, str, str]] = []
    for test_id, function_id, name in conn.execute(
        "SELECT id, function_id, name FROM tests WHERE function_id IS NOT NULL ORDER BY id"
    ).fetchall():
        calls = direct.get(function_id, ())
        own = methods.get(function_id, ())
        rows += [(test_id, base, "call") for base in calls]
        rows += [(test_id, base, "method") for base in own if base not in calls]
        found: dict[str, None] = {}
        for helper in _reached(function_id, helpers, callers):
            found.update(dict.fromkeys((*direct.get(helper, ()), *methods.get(helper, ()))))
        rows += [(test_id, b, "helper") for b in found if b not in calls and b not in own]
        rows += [(test_id, base, "name") for base in named(name.removeprefix("test"), known)]
    rows += _gtests(conn, known)
    hows: dict[tuple[int, str], list[str]] = {}
    number: dict[int, int] = {}
    for test_id, base, how in sorted(set(rows)):
        ways = hows.setdefault((test_id, base), [])
        if how != "name" and not ways:
            number[test_id] = number.get(test_id, 0) + 1
        ways.append(how)
    gtests = {row[0] for row in conn.execute("SELECT id FROM tests WHERE kind = 'gtest'")}
    conn.executemany(
        "INSERT INTO test_operators (test_id, base, how, weight) VALUES (?, ?, ?, ?)",
        [
            (
                test_id,
                base,
                ", ".join(sorted(ways, key=_ORDER.index)),
                _weight(ways, number.get(test_id, 0), test_id in gtests),
            )
            for (test_id, base), ways in hows.items()
        ],
    )
    conn.executemany(
        "UPDATE tests SET operators = ? WHERE id = ?",
        [(count, test_id) for test_id, count in sorted(number.items())],
    )


def _weight(ways: list[str], operators: int, is_gtest: bool) -> float:
    """A test that calls twenty operators is less about each of them than one that calls two."""
    share = 4 / (4 + operators)
    weight = sum(_WORTH[how] * (1.0 if how == "name" else share) for how in ways)
    if "name" in ways and len(ways) > 1:
        weight += _NAMED_AND_CALLS
    return round(weight - _GTEST * is_gtest, 4)


def _direct(conn: sqlite3.Connection) -> dict[int, tuple[str, ...]]:
    """By function of a test file: bases of the operators whose public names it calls."""
    found: dict[int, dict[str, None]] = {}
    for function_id, base in conn.execute(
        "WITH targets (id, base) AS ("
        "  SELECT t.target_id, o.base FROM python_resolutions AS t"
        "  JOIN python_native_operators AS n ON n.native_id = t.native_id"
        "  JOIN operators AS o ON o.id = n.operator_id"
        "  UNION SELECT t.target_id, o.base FROM python_resolutions AS t"
        "  JOIN python_apis AS a ON a.function_id = t.function_id"
        "  JOIN operators AS o ON o.id = a.operator_id)"
        " SELECT DISTINCT c.caller_id, x.base FROM targets AS x"
        " JOIN python_calls AS c ON c.target_id = x.id AND c.kind <> 1"
        " JOIN python_functions AS p ON p.id = c.caller_id"
        " JOIN temp.python_body_methods AS b ON b.function_id = c.caller_id"
        " ORDER BY c.caller_id, c.line, x.base"
    ):
        found.setdefault(function_id, {})[base] = None
    return {function_id: tuple(bases) for function_id, bases in found.items()}


def _methods(conn: sqlite3.Connection) -> dict[int, tuple[str, ...]]:
    """By function of a test file: names that it calls on something and that tensors have."""
    tensor = {
        base for (base,) in conn.execute(
            "SELECT DISTINCT base FROM operators WHERE variants LIKE '%method%'"
        )
    }  # fmt: skip
    found = {}
    for function_id, methods in conn.execute(
        "SELECT function_id, methods FROM temp.python_body_methods ORDER BY function_id"
    ):
        bases = tuple(name for name in methods.split(" ") if name in tensor)
        if bases:
            found[function_id] = bases
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


def named(name: str, known: frozenset[str]) -> list[str]:
    """The operators in a test's name: the longest first, so that `sum_to_size` is not `sum`.

    Args:
        name: without `test`: `_sum_to_size_dim`.
        known: operators' bases.
    """
    pieces = [piece for piece in name.split("_") if piece]
    found: dict[str, None] = {}
    at = 0
    while at < len(pieces):
        for end in range(min(len(pieces), at + 6), at, -1):
            base = "_".join(pieces[at:end])
            if base in known:
                found[base] = None
                at = end - 1
                break
        at += 1
    return list(found)


def _gtests(conn: sqlite3.Connection, known: frozenset[str]) -> list[tuple[int, str, str]]:
    rows = []
    for test_id, name in conn.execute(
        "SELECT id, name FROM tests WHERE kind = 'gtest' ORDER BY id"
    ):
        # LogSoftmax is named after log_softmax.
        words = "_".join(_CAMEL.split(name)).lower()
        rows += [(test_id, base, "name") for base in named(words, known)]
    for test_id, callee, is_member in conn.execute(
        "SELECT DISTINCT t.id, c.callee, c.is_member FROM tests AS t"
        " JOIN operator_calls AS c ON c.caller_id = t.cpp_function_id ORDER BY t.id, c.line"
    ):
        last = callee.rpartition("::")[2]
        for base in (last, last.removesuffix("_out"), last.removesuffix("_symint")):
            if base in known:
                rows.append((test_id, base, "method" if is_member else "call"))
                break
    return rows
