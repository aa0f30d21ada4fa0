"""Which operators does C++ call: `at::add(…)`, `tensor.add(…)`, which end in generated code?

A call that can be one overload alone is an edge `operator`. One that could be several overloads, or that is made on
something whose type is not written, is a `candidate` of each; one on what is known to be no tensor is none. What names
an operator to get the dispatcher's handle of it is a `handle` of that one.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from indexer.chosen import INSIDE, chosen
from indexer.extract.cpp.handles import HANDLE_TYPE
from indexer.link.call_resolver import MAYBE
from indexer.link.operator_overloads import Overloads
from indexer.link.tensor_types import TensorTypes
from indexer.workers import WorkerPool

OPERATOR, CANDIDATE, OPERATOR_BY_CLANG, OPERATOR_OF_MACRO, CANDIDATE_OF_MACRO, HANDLE = (
    14, 15, 16, 35, 36, 37,
)  # fmt: skip

_OF_MACRO = {OPERATOR: OPERATOR_OF_MACRO, CANDIDATE: CANDIDATE_OF_MACRO}

_SCOPES = frozenset(
    ("at", "torch", "at::symint", "at::cpu", "at::cuda", "at::mps", "at::meta",
     "at::compositeexplicitautograd", "at::compositeexplicitautogradnonfunctional",
     "at::compositeimplicitautograd")
)  # fmt: skip
"""Namespaces that the generator puts functions called like operators into (torchgen/gen.py); `torch` uses all of `at`
(torch/csrc/api/include/torch/types.h) and has factories of its own."""


# Of operators: kernels that are one of several are candidates too.
_OWN = "kind_id IN (?, ?, ?, ?, ?, ?) AND target & 15 = 1"
_KINDS = (OPERATOR, CANDIDATE, OPERATOR_BY_CLANG, OPERATOR_OF_MACRO, CANDIDATE_OF_MACRO, HANDLE)
_INSERT = (
    "INSERT OR IGNORE INTO edges (target, source, kind_id, file_id, line, steps)"
    " VALUES (?, ?, ?, ?, ?, 1)"
)

KEPT = ()

_Edge = tuple[int, int, int, int, int]


class _Known(NamedTuple):
    """What tells which operators a call names.

    Args:
        overloads: of the generated functions and methods.
        named: operators by their full names, and by their structs'.
        types: of what methods are called on.
        at_files: ids of the files that use all of `at`.
    """

    overloads: Overloads
    named: dict[str, int]
    types: TensorTypes
    at_files: set[int]


def link(conn: sqlite3.Connection, _: WorkerPool) -> None:
    """Add an edge for every call of an operator."""
    finish(conn, [compute(conn, prepare(conn), 0, 1)])


def link_callers(conn: sqlite3.Connection, callers: Collection[int]) -> None:
    """The same for the calls of some functions, where all others are linked.

    Operators, classes, using-declarations, names of methods and what is generated are those of then.
    """
    wanted = chosen(callers)
    conn.execute(
        f"DELETE FROM edges WHERE {_OWN} AND source IN (SELECT value * 16 FROM json_each(?))",
        (*_KINDS, wanted),
    )
    conn.executemany(_INSERT, sorted(set(_edges(conn, _known(conn, few=True), wanted))))
    conn.execute(_WRAPPERS)
    conn.execute(_WRAPPERS_INDEX)
    conn.execute(f"{_OF_WRAPPERS} AND c.caller_id {INSIDE}", (wanted,))
    conn.execute(_NO_WRAPPERS)


def prepare(conn: sqlite3.Connection) -> _Known:
    """What tells operators."""
    return _known(conn, few=False)


def compute(conn: sqlite3.Connection, known: _Known, _: int, __: int) -> list[_Edge]:
    """Target, source, kind, file and line of the edges that the text tells."""
    return sorted(set(_edges(conn, known, None)))


def finish(conn: sqlite3.Connection, results: Iterable[list[_Edge]]) -> None:
    """Insert them, and those that clang tells."""
    conn.execute(f"DELETE FROM edges WHERE {_OWN}", _KINDS)
    for edges in results:
        conn.executemany(_INSERT, edges)
    for statement in _CLANG:
        conn.execute(statement)


def _known(conn: sqlite3.Connection, few: bool) -> _Known:
    """What tells the operators of all calls, or of few."""
    using = conn.execute(
        "SELECT DISTINCT file_id FROM cpp_usings WHERE keyword = 'using'"
        " AND text IN ('namespace at', 'namespace torch')"
    )
    at_files = {file_id for (file_id,) in using}
    return _Known(Overloads(conn), _names(conn), TensorTypes(conn, few=few), at_files)


def _edges(conn: sqlite3.Connection, known: _Known, callers: str | None) -> Iterator[_Edge]:
    of, parameter = ("", ()) if callers is None else (f" AND c.caller_id {INSIDE}", (callers,))
    overloads, named, types, at_files = known
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
        sure = True
        if "_ops::" in callee or (receiver == HANDLE_TYPE and not is_member):
            struct = (
                callee.rpartition("::")[0].rpartition("_ops::")[2] if "_ops::" in callee else ""
            )
            operator = named.get(f"_ops::{struct}" if struct else callee)
            if operator is not None:
                kind = OPERATOR if struct else HANDLE
                yield operator * 16 + 1, caller * 16, _of_macro(kind, made), file_id, line
            continue
        if is_member:
            sure = types.is_tensor(receiver)
            if not sure and (receiver is not None or types.is_common(callee, is_member == MAYBE)):
                continue
            sure = sure and is_member != MAYBE
            found = overloads.of_method(callee, arguments)
        else:
            scope, _, last = callee.rpartition("::")
            scope = scope.removeprefix("::")
            if scope == "at::redispatch":
                found = overloads.of_redispatch(last, arguments)
            elif scope in _SCOPES:
                found = overloads.of_function(last, arguments) or overloads.of_function(last, None)
            elif not callee.startswith("::") and not scope and _is_inside(name, file_id, at_files):
                found = overloads.of_function(last, arguments)
            else:
                continue
        kind = OPERATOR if sure and len(found) == 1 else CANDIDATE
        for operator in found:
            yield operator * 16 + 1, caller * 16, _of_macro(kind, made), file_id, line


def _of_macro(kind: int, made: bool) -> int:
    """The kind of an edge, which is another one where a macro's expansion holds it."""
    return _OF_MACRO.get(kind, kind) if made else kind


def _names(conn: sqlite3.Connection) -> dict[str, int]:
    """Operators by their full names, and by their structs' (torchgen/model.py, OperatorName.unambiguous_name)."""
    found: dict[str, int] = {}
    for operator, name, namespace, base, overload in conn.execute(
        "SELECT id, name, namespace, base, overload FROM operators ORDER BY origin = 'library', id"
    ):
        found.setdefault(name, operator)
        if namespace == "aten":
            found.setdefault(f"_ops::{base}_{overload}" if overload else f"_ops::{base}", operator)
    return found


def _is_inside(name: str, file_id: int, at_files: set[int]) -> bool:
    """Whether a bare name in this function is looked up in `at`, too."""
    return name.startswith(("at::", "torch::")) or file_id in at_files


# `at::_ops::add_Tensor::call` is the operator; `at::add`, `Tensor::add` and their like are inline functions that do
# nothing but call it: who calls these calls the operator.
_WRAPPERS = """
CREATE TEMP TABLE operator_wrappers AS
SELECT function_id AS id, operator_id FROM operator_functions WHERE role IN ('call', 'redispatch')
UNION
SELECT c.caller_id, x.operator_id
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
    " SELECT DISTINCT id, 'generated' FROM temp.operator_wrappers ORDER BY id",
    _NO_WRAPPERS,
)
