"""The way from a Python function down to the operators, as lines."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field

from torchtalk.answers.base import Place
from torchtalk.answers.module import KernelLine, OperatorLine, StepLine
from torchtalk.tools import queries

# How many calls between Python functions are looked through.
DEPTH = 6
_FEW = 4  # names bound in C++ whose kernels still fit into a short answer


@dataclass
class _Graph:
    """What was fetched: calls by caller, and the names and places of functions and natives."""

    calls: dict[int, list[sqlite3.Row]] = field(default_factory=dict)
    functions: dict[int, sqlite3.Row] = field(default_factory=dict)
    operators: dict[int, list[sqlite3.Row]] = field(default_factory=dict)
    reaching: set[int] = field(default_factory=set)
    kernels: dict[str, list[KernelLine]] = field(default_factory=dict)


def steps_below(conn: sqlite3.Connection, function: int, *, full: bool) -> list[StepLine]:
    """What a function calls on the way to operators.

    Calls that end at no operator are left out; a function that was unfolded once is named only.

    Args:
        conn: an index.
        function: id of the row in `python_functions`.
        full: with the kernels of every operator, and with calls that only ask a tensor
            something, such as its size; else kernels are shown only where operators are few.
    """
    graph = _fetch(conn, function)
    if not full:
        for native, rows in list(graph.operators.items()):
            if not any(row["makes_tensors"] for row in rows):
                del graph.operators[native]
    _mark_reaching(graph)
    if full or len(graph.operators) <= _FEW:
        _read_kernels(conn, graph)
    steps: list[StepLine] = []
    _unfold(graph, function, 0, {function}, steps)
    return steps


def operators_of(steps: Iterable[StepLine], name: str) -> list[str]:
    """The operators of some steps: those called like a class first, then the nearest.

    Args:
        steps: from `steps_below`.
        name: the class's, without its module.
    """
    word = name.lower()
    found: dict[str, tuple[bool, int]] = {}
    for step in steps:
        for operator in step.operators:
            base = operator.name.partition("::")[2].partition(".")[0].strip("_")
            alike = word in base.replace("_", "") or base.replace("_", "") in word
            rank = (not (alike and len(base) > 2), step.depth)
            found[operator.name] = min(rank, found.get(operator.name, rank))
    return sorted(found, key=lambda operator: found[operator])


def _fetch(conn: sqlite3.Connection, function: int) -> _Graph:
    sql = queries("trace_module")
    graph = _Graph()
    natives: dict[int, None] = {}
    functions: dict[int, None] = {function: None}
    for row in conn.execute(sql["reach"], {"id": function, "depth": DEPTH}):
        graph.calls.setdefault(row["caller_id"], []).append(row)
        if row["native_id"] is not None:
            natives[row["native_id"]] = None
        else:
            functions[row["function_id"]] = None
    for row in conn.execute(sql["functions"], {"ids": json.dumps(list(functions))}):
        graph.functions[row["id"]] = row
    for row in conn.execute(sql["operators"], {"ids": json.dumps(list(natives))}):
        graph.operators.setdefault(row["native_id"], []).append(row)
    return graph


def _mark_reaching(graph: _Graph) -> None:
    """Find the functions that have an operator below them, from the operators upwards."""
    callers: dict[int, list[int]] = {}
    level: Iterable[int] = []
    found: set[int] = set()
    for caller, rows in graph.calls.items():
        for row in rows:
            if row["native_id"] is None:
                callers.setdefault(row["function_id"], []).append(caller)
            elif row["native_id"] in graph.operators:
                found.add(caller)
    level = list(found)
    while level:
        level = [caller for name in level for caller in callers.get(name, ())]
        level = [caller for caller in dict.fromkeys(level) if caller not in found]
        found.update(level)
    graph.reaching = found


def _unfold(
    graph: _Graph, function: int, depth: int, seen: set[int], steps: list[StepLine]
) -> None:
    file = graph.functions[function]["path"]
    here: set[tuple[str, int]] = set()
    for row in graph.calls.get(function, ()):
        place = Place(file, row["line"])
        native, called = row["native_id"], row["function_id"]
        if native is not None:
            if ("native", native) not in here and native in graph.operators:
                here.add(("native", native))
                operators = _operators(graph, native)
                steps.append(StepLine(depth, _written(row), "native", place, operators))
            continue
        if ("function", called) in here or called not in graph.reaching or called == function:
            continue
        here.add(("function", called))
        known = called in seen
        name = graph.functions[called]["name"]
        kind = "module" if name.endswith(".forward") else "function"
        steps.append(StepLine(depth, name, kind, place, repeated=known))
        if not known and depth + 1 < DEPTH:
            seen.add(called)
            _unfold(graph, called, depth + 1, seen, steps)


def _operators(graph: _Graph, native: int) -> tuple[OperatorLine, ...]:
    rows = graph.operators[native]
    # An out variant is what the same call reaches with out=; it says nothing new here.
    shown = [row for row in rows if row["kind"] != "out"] or rows
    return tuple(
        OperatorLine(
            row["name"],
            Place(row["path"], row["line"]),
            tuple(graph.kernels.get(row["name"], ())),
            bool(row["makes_tensors"]),
        )
        for row in shown
    )


def _written(row: sqlite3.Row) -> str:
    """What C++ binds, behind the Python name that it is called by where that is another."""
    target, native = str(row["target"]), str(row["native"])
    if native.startswith("torch._C.TensorBase."):
        return "Tensor." + native.rpartition(".")[2]
    if native == target.replace("torch.", "torch._C._VariableFunctions.", 1):
        return target  # torch/__init__.py copies it
    return native if "(" in target or target == native else f"{target} → {native}"


def _read_kernels(conn: sqlite3.Connection, graph: _Graph) -> None:
    names = sorted({row["name"] for rows in graph.operators.values() for row in rows})
    for row in conn.execute(queries("trace_module")["kernels"], {"names": json.dumps(names)}):
        place = Place(row["kernel_file"], row["kernel_line"]) if row["kernel_file"] else None
        line = KernelLine(row["key"], row["kernel"], place)
        graph.kernels.setdefault(row["operator"], []).append(line)
