"""Which operators does C++ call: `at::add(…)`, `tensor.add(…)`, which end in generated code?

A call that can be one overload alone is an edge `operator`. One that could be several overloads, or that is made on
something whose type is not written, is a `candidate` of each; so is one of a bare name that C's <math.h> has, too.
One on what is known to be no tensor is none. What names an operator to get the dispatcher's handle of it is a `handle`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator

from indexer.extract.cpp.handles import HANDLE_TYPE
from indexer.link.cpp.operator_callees import OperatorCallees
from indexer.sql_lists import INSIDE, chosen
from indexer.workers import WorkerPool

OPERATOR, CANDIDATE, OPERATOR_BY_CLANG, OPERATOR_OF_MACRO, CANDIDATE_OF_MACRO, HANDLE = (
    14, 15, 16, 35, 36, 37,
)  # fmt: skip

_OF_MACRO = {OPERATOR: OPERATOR_OF_MACRO, CANDIDATE: CANDIDATE_OF_MACRO}

# Of operators: kernels that are one of several are candidates too.
_OWN = "kind_id IN (?, ?, ?, ?, ?, ?) AND target & 15 = 1"
_KINDS = (OPERATOR, CANDIDATE, OPERATOR_BY_CLANG, OPERATOR_OF_MACRO, CANDIDATE_OF_MACRO, HANDLE)
_INSERT = (
    "INSERT OR IGNORE INTO edges (target, source, kind_id, file_id, line, steps)"
    " VALUES (?, ?, ?, ?, ?, 1)"
)

KEPT = ()

_Edge = tuple[int, int, int, int, int]


def link(conn: sqlite3.Connection, _: WorkerPool) -> None:
    """Add an edge to the database `conn` for every call of an operator."""
    finish(conn, [compute(conn, prepare(conn), 0, 1)])


def link_callers(conn: sqlite3.Connection, callers: Collection[int]) -> None:
    """The same for the calls of some functions, where all others are linked.

    Operators, classes, using-declarations, names of methods and what is generated are those of then.

    Args:
        conn: the database, in a transaction.
        callers: ids of the functions.
    """
    wanted = chosen(callers)
    conn.execute(
        f"DELETE FROM edges WHERE {_OWN} AND source IN (SELECT value * 16 FROM json_each(?))",
        (*_KINDS, wanted),
    )
    conn.executemany(_INSERT, sorted(set(_edges(conn, OperatorCallees(conn, few=True), wanted))))
    conn.execute(_WRAPPERS)
    conn.execute(_WRAPPERS_INDEX)
    conn.execute(f"{_OF_WRAPPERS} AND c.caller_id {INSIDE}", (wanted,))
    conn.execute(_NO_WRAPPERS)


def prepare(conn: sqlite3.Connection) -> OperatorCallees:
    """What tells the operators of the database `conn`."""
    return OperatorCallees(conn)


def compute(conn: sqlite3.Connection, known: OperatorCallees, _: int, __: int) -> list[_Edge]:
    """Target, source, kind, file and line of the edges that the text tells, in this order.

    Args:
        conn: a snapshot of the database.
        known: what `prepare` made of it.
    """
    return sorted(set(_edges(conn, known, None)))


def finish(conn: sqlite3.Connection, results: Iterable[list[_Edge]]) -> None:
    """Replace the edges of operators by those that the text tells, and add those that clang tells.

    Args:
        conn: the database, in a transaction.
        results: what `compute` gave.
    """
    conn.execute(f"DELETE FROM edges WHERE {_OWN}", _KINDS)
    for edges in results:
        conn.executemany(_INSERT, edges)
    for statement in _CLANG:
        conn.execute(statement)


def _edges(
    conn: sqlite3.Connection, known: OperatorCallees, callers: str | None
) -> Iterator[_Edge]:
    of, parameter = ("", ()) if callers is None else (f" AND c.caller_id {INSIDE}", (callers,))
    rows = conn.execute(
        "SELECT c.caller_id, u.name, u.file_id, c.callee, c.receiver, c.is_member, c.arguments, c.line,"
        # Made as a whole: of a macro's head with a body that is written out the scope is kept.
        " u.macro IS NOT NULL AND u.scope IS NULL AND c.line = u.line AS is_made"
        " FROM operator_calls AS c JOIN functions AS u ON u.id = c.caller_id"
        # What clang saw is known exactly.
        " WHERE ((c.receiver = ? AND NOT c.is_member AND c.callee NOT GLOB 'at::_ops::*')"
        " OR NOT (u.origin = 'clang' AND EXISTS (SELECT 1 FROM calls AS k"
        f" WHERE k.caller_id = c.caller_id AND k.line = c.line AND k.origin = 'clang'))){of}",
        (HANDLE_TYPE, *parameter),
    )
    for caller, name, file_id, callee, receiver, is_member, arguments, line, made in rows:
        found = known.of(name, file_id, callee, receiver, is_member, arguments)
        kind = HANDLE if found.is_handle else OPERATOR if found.is_sure else CANDIDATE
        for operator in found.operators:
            yield operator * 16 + 1, caller * 16, _of_macro(kind, made), file_id, line


def _of_macro(kind: int, made: bool) -> int:
    """The kind of an edge, which is another one where a macro's expansion holds it."""
    return _OF_MACRO.get(kind, kind) if made else kind


# `at::_ops::add_Tensor::call` is the operator; `at::add`, `Tensor::add` and their like are inline functions that do
# nothing but call it: who calls these calls the operator. So does who calls `at::cuda::add_out`, which runs the kernel
# of one key without the dispatcher (torchgen/dest/register_dispatch_key.py, Target.NAMESPACED_DEFINITION); that one is
# shown beside the operator, since it says which kernel runs.
_WRAPPERS = """
CREATE TEMP TABLE operator_wrappers AS
SELECT function_id AS id, operator_id, 0 AS is_keyed FROM operator_functions WHERE role IN ('call', 'redispatch')
UNION
SELECT c.caller_id, x.operator_id, 1
FROM operator_functions AS x
JOIN calls AS c ON c.callee_id = x.function_id
JOIN functions AS u ON u.id = c.caller_id
JOIN source_files AS f ON f.id = u.file_id
WHERE x.role = 'generated' AND f.kind = 'generated' AND f.path GLOB 'build/aten/src/ATen/Register*.cpp'
  AND substr(u.name, 1, length(x.dispatch_key) + 6) = 'at::' || lower(x.dispatch_key) || '::'
UNION
SELECT c.caller_id, x.operator_id, 0
FROM operator_functions AS x
JOIN calls AS c ON c.callee_id = x.function_id
JOIN functions AS u ON u.id = c.caller_id
JOIN source_files AS f ON f.id = u.file_id
WHERE x.role IN ('call', 'redispatch') AND f.kind = 'generated' AND u.name GLOB 'at::*'
  AND u.name NOT GLOB 'at::functionalization::*'
"""
_WRAPPERS_INDEX = "CREATE INDEX temp.operator_wrappers_id ON operator_wrappers (id)"
_OF_WRAPPERS = f"""
INSERT OR IGNORE INTO edges (target, source, kind_id, file_id, line, steps)
SELECT w.operator_id * 16 + 1, c.caller_id * 16, {OPERATOR_BY_CLANG}, u.file_id, c.line, 1
FROM temp.operator_wrappers AS w
JOIN calls AS c ON c.callee_id = w.id
JOIN functions AS u ON u.id = c.caller_id
WHERE c.caller_id NOT IN (SELECT id FROM temp.operator_wrappers)
"""
_NO_WRAPPERS = "DROP TABLE temp.operator_wrappers"

_CLANG = (
    "DELETE FROM boilerplate_functions WHERE what = 'generated'",
    _WRAPPERS,
    _WRAPPERS_INDEX,
    _OF_WRAPPERS,
    "INSERT OR IGNORE INTO boilerplate_functions (function_id, what)"
    " SELECT DISTINCT id, 'generated' FROM temp.operator_wrappers WHERE NOT is_keyed ORDER BY id",
    _NO_WRAPPERS,
)
