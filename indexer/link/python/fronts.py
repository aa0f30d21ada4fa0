"""Operators that functions of C++ which Python calls get the dispatcher's handles of."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from indexer.facts.cpp import CALL
from indexer.link import run_statements
from indexer.write import calls as kept_calls

_GETTING = (
    "SELECT u.id, u.name, h.operator FROM operator_handles AS h"
    " JOIN functions AS u ON u.file_id = h.file_id AND h.line BETWEEN u.line AND u.end_line"
)
_BOUND = (
    f"SELECT b.python_name, g.operator FROM ({_GETTING}) AS g JOIN bindings AS b ON b.function_id = g.id"
    " WHERE b.python_name IS NOT NULL AND b.form IN ('function', 'method', 'static_method')"
    " UNION SELECT l.name, h.operator FROM temp.bound_lambdas AS l"
    " JOIN operator_handles AS h ON h.file_id = l.file_id AND h.line BETWEEN l.line AND l.stop"
)
_LAMBDAS = (
    "SELECT l.file_id, l.line, l.stop, l.function_id, l.name, u.name"
    " FROM temp.bound_lambdas AS l JOIN functions AS u ON u.id = l.function_id ORDER BY 1, 2, 5"
)


def fronts(conn: sqlite3.Connection) -> list[tuple[str, str]]:
    """Operators that bound functions get handles of, themselves or, where one is a lambda, through what it calls.

    `ProcessGroup.allreduce` does nothing else (torch/csrc/distributed/c10d/ProcessGroup.hpp); 1.13 binds lambdas for it
    and its like, each of which hands its arguments to a function of `c10d::ops` (c10d/init.cpp, c10d/Ops.cpp). What
    such a function calls as `at::add` is its own business, and edges of the graph.

    Args:
        conn: the database; its bindings must be linked, its calls need not.

    Returns:
        Names in Python and the operators' full names, in order.
    """
    run_statements(conn, "bound_lambdas.sql")
    found = {(name, operator) for name, operator in conn.execute(_BOUND)}
    found.update(_handed_on(conn))
    conn.execute("DROP VIEW temp.bound_lambdas")
    return sorted(found)


def read_fronts(conn: sqlite3.Connection) -> dict[str, list[str]]:
    """The `fronts` of the database `conn`: operators, c10d::allreduce_, by the names of functions in Python."""
    found: dict[str, list[str]] = {}
    for name, operator in fronts(conn):
        found.setdefault(name, []).append(operator)
    return found


def _handed_on(conn: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """The names of lambdas, and the operators that functions get which they call by a name with its namespaces."""
    getting: dict[str, list[str]] = {}
    for _, name, operator in conn.execute(_GETTING):
        getting.setdefault(name, []).append(operator)
    lambdas: dict[int, list[tuple[int, int, int, str, str]]] = {}
    for file_id, *rest in conn.execute(_LAMBDAS) if getting else ():
        lambdas.setdefault(file_id, []).append((rest[0], rest[1], rest[2], rest[3], rest[4]))
    if not lambdas:
        return
    lasts = {name.rpartition("::")[2] for name in getting}
    for file_id, first, calls in kept_calls.read_calls(conn, kept_calls.WRITTEN, list(lambdas)):
        told = {
            number for number, text in enumerate(calls.texts)
            if "::" in text and text.rpartition("::")[2] in lasts
        }  # fmt: skip
        if not told:
            continue
        for index, callee in enumerate(calls.callees):
            if callee not in told or calls.forms[index] != CALL:
                continue
            for line, stop, function_id, name, around in lambdas[file_id]:
                if (
                    first + calls.callers[index] == function_id
                    and line <= calls.lines[index] <= stop
                ):
                    meant = (
                        getting[m] for m in _meanings(calls.texts[callee], around) if m in getting
                    )
                    yield from ((name, operator) for operator in next(meant, ()))


def _meanings(written: str, around: str) -> Iterator[str]:
    """The full names that one may mean, as it is written in the function `around`, the innermost scope first."""
    if written.startswith("::"):
        yield written[2:]
        return
    scope = around
    while scope := scope.rpartition("::")[0]:
        yield f"{scope}::{written}"
    yield written
