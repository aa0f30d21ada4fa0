"""What a Python function calls on its way to operators, as far down as is looked."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from torchtalk.answers.base import Place
from torchtalk.answers.steps import OperatorLine
from torchtalk.tools import queries
from torchtalk.tools.python_side.receiver import Receiver

# How many calls between Python functions are looked through.
DEPTH = 8


class Call(NamedTuple):
    """A call of a function, in Python or bound in C++."""

    caller_id: int
    line: int
    function_id: int | None
    native_id: int | None
    native: str | None
    target: str
    kind: int


@dataclass
class CallGraph:
    """What was fetched: calls by caller, and the names and places of functions and natives."""

    calls: dict[int, list[Call]] = field(default_factory=dict)
    functions: dict[int, sqlite3.Row] = field(default_factory=dict)
    operators: dict[int, tuple[OperatorLine, ...]] = field(default_factory=dict)
    reaching: set[int] = field(default_factory=set)
    natives: dict[int, int] = field(default_factory=dict)  # how deep each is called first


def calls_below(conn: sqlite3.Connection, function: int, class_id: int) -> CallGraph:
    """Fetch what a function calls, and what that calls.

    Args:
        conn: an index.
        function: id of the row in `python_functions`.
        class_id: of the object that a method is called on; 0 for the class that it is written in.
    """
    row = conn.execute(queries("trace_module")["class_of"], {"id": function}).fetchone()
    receiver = Receiver(conn, class_id or row["class_id"] or 0)
    is_own = receiver.has(function, row["name"].rpartition(".")[2])
    graph = _fetched(conn, function, {function: receiver} if is_own else {})
    _mark_reaching(graph)
    return graph


def _fetched(conn: sqlite3.Connection, function: int, own: dict[int, Receiver]) -> CallGraph:
    """Fetch what a function calls; `own` are those functions that run on an object whose class is known."""
    sql = queries("trace_module")
    graph = CallGraph()
    natives = graph.natives
    functions: dict[int, None] = {function: None}
    level = [function]
    for depth in range(DEPTH):
        following: dict[int, None] = {}
        for found_call in conn.execute(sql["calls"], {"ids": json.dumps(level)}):
            row = Call(*found_call)
            runner = own.get(row.caller_id)
            if runner is not None:
                method = runner.called(row.caller_id, row.target)
                if not method:
                    method, runner = runner.held(row.caller_id, row.target) or (0, runner)
                if method:
                    row = row._replace(function_id=method)
                    if method not in functions:
                        own.setdefault(method, runner)
                elif (
                    row.function_id is not None
                    and row.function_id not in functions
                    and runner.named(row.caller_id, row.target, row.function_id)
                ):
                    own.setdefault(row.function_id, runner)
            graph.calls.setdefault(row.caller_id, []).append(row)
            if row.native_id is not None:
                natives.setdefault(row.native_id, depth)
            elif row.function_id is not None and row.function_id not in functions:
                following[row.function_id] = None
        functions.update(following)
        level = list(following)
        if not level:
            break
    for row in conn.execute(sql["functions"], {"ids": json.dumps(list(functions))}):
        graph.functions[row["id"]] = row
    found: dict[int, list[sqlite3.Row]] = {}
    for row in conn.execute(sql["operators"], {"ids": json.dumps(list(natives))}):
        found.setdefault(row["native_id"], []).append(row)
    for native, rows in found.items():
        if any(row["makes_tensors"] for row in rows) or not any(row["is_manual"] for row in rows):
            graph.operators[native] = _operators(rows)
    return graph


def _mark_reaching(graph: CallGraph) -> None:
    """Find the functions that have an operator below them, from the operators upwards."""
    callers: dict[int, list[int]] = {}
    level: Iterable[int] = []
    found: set[int] = set()
    for caller, rows in graph.calls.items():
        for row in rows:
            if row.function_id is not None:
                callers.setdefault(row.function_id, []).append(caller)
            elif row.native_id in graph.operators:
                found.add(caller)
    level = list(found)
    while level:
        level = [caller for name in level for caller in callers.get(name, ())]
        level = [caller for caller in dict.fromkeys(level) if caller not in found]
        found.update(level)
    graph.reaching = found


def _operators(rows: list[sqlite3.Row]) -> tuple[OperatorLine, ...]:
    # An out variant is what the same call reaches with out=; it says nothing new here.
    shown = [row for row in rows if row["kind"] != "out"] or rows
    return tuple(
        OperatorLine(
            row["name"], Place(row["path"], row["line"]), makes_tensors=bool(row["makes_tensors"])
        )
        for row in shown
    )
