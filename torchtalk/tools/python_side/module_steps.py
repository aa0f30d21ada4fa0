"""The way from a Python function down to the operators, as lines."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from torchtalk.answers.base import Place
from torchtalk.answers.steps import OperatorLine, StepLine
from torchtalk.tools import queries
from torchtalk.tools.python_side.module_kernels import with_kernels
from torchtalk.tools.python_side.receiver import Receiver

# How many calls between Python functions are looked through.
DEPTH = 8
_MOST_STEPS = 60
_FEW = 4  # names bound in C++ whose kernels fit into an answer of either focus
_OVERLOADS = 2  # of one name whose kernels are shown
_NEAR = 3  # calls between Python functions behind which functions of C++ are worth a word
_MOST_BOUND = 4
_HANDED = 4  # as `python_calls` has it


class _Call(NamedTuple):
    """A call of a function, in Python or bound in C++."""

    caller_id: int
    line: int
    function_id: int | None
    native_id: int | None
    native: str | None
    target: str
    kind: int


@dataclass
class _Graph:
    """What was fetched: calls by caller, and the names and places of functions and natives."""

    calls: dict[int, list[_Call]] = field(default_factory=dict)
    functions: dict[int, sqlite3.Row] = field(default_factory=dict)
    operators: dict[int, tuple[OperatorLine, ...]] = field(default_factory=dict)
    reaching: set[int] = field(default_factory=set)
    natives: dict[int, int] = field(default_factory=dict)  # how deep each is called first


@dataclass(frozen=True)
class Below:
    """What a function calls on the way to operators.

    Args:
        steps: as many as are shown.
        left_out: how many steps more there are.
        operators: of all steps, as `operators_of` has them.
        unseen: those of them that no step that is shown ends at.
        unfollowed: calls of methods, in these functions, of values whose type is not known.
        bound: functions of C++ that are no operators, with their places, the nearest first.
        tables: where one of the functions runs that decorators put into a table, the nearest first.
    """

    steps: tuple[StepLine, ...] = ()
    left_out: int = 0
    operators: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    unfollowed: int = 0
    bound: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()


def steps_below(
    conn: sqlite3.Connection, function: int, name: str, class_id: int, *, full: bool
) -> Below:
    """What a function calls on the way to operators.

    Calls that end at no operator are left out, and so are those that only ask a tensor
    something, such as its size; a function that was unfolded once is named only.

    Args:
        conn: an index.
        function: id of the row in `python_functions`.
        name: of the class, without its module; operators called like it have their kernels shown.
        class_id: of the object that it is called on.
        full: with the kernels of several operators, even if there are more; else only where
            operators are few.
    """
    graph = _reaching(conn, function, class_id)
    found = _unfolded(graph, function)
    unfollowed = _unfollowed(conn, graph, function)
    operators = operators_of(found, name)
    steps = found[:_MOST_STEPS]
    seen = set(operators_of(steps, name))
    if full or len({step.name for step in steps if step.operators}) <= _FEW:
        steps = with_kernels(conn, steps, operators)
    unseen = (operator for operator in operators if operator not in seen)
    return Below(tuple(steps), len(found) - len(steps), tuple(operators), tuple(unseen), unfollowed)


def plain_steps(conn: sqlite3.Connection, function: int, class_id: int = 0) -> Below:
    """The steps without kernels, all of them.

    Args:
        conn: an index.
        function: id of the row in `python_functions`.
        class_id: of the object that a method is called on; else the class that it is written in.
    """
    graph = _reaching(conn, function, class_id)
    return Below(
        tuple(_unfolded(graph, function)),
        unfollowed=_unfollowed(conn, graph, function),
        bound=_bound(conn, graph),
        tables=_tables(conn, graph, function),
    )


def unfollowed_notes(calls: int) -> tuple[str, ...]:
    """What is said of calls on values whose type is not known; nothing where there are none."""
    if not calls:
        return ()
    what = "1 call on a value" if calls == 1 else f"{calls} calls on values"
    return (f"{what} whose type is not known {'is' if calls == 1 else 'are'} not followed",)


def bound_notes(bound: tuple[str, ...]) -> tuple[str, ...]:
    """What is said of functions of C++ that are no operators; nothing where there are none."""
    if not bound:
        return ()
    more = f", {len(bound) - _MOST_BOUND} more" if len(bound) > _MOST_BOUND else ""
    return (f"in C++ it also calls, besides operators: {', '.join(bound[:_MOST_BOUND])}{more}",)


def table_notes(tables: tuple[str, ...]) -> tuple[str, ...]:
    """What is said of functions that are looked up in tables; nothing where none are."""
    if not tables:
        return ()
    more = f", {len(tables) - _MOST_BOUND} more" if len(tables) > _MOST_BOUND else ""
    return (f"not followed to what it looks up: {', '.join(tables[:_MOST_BOUND])}{more}",)


def _tables(conn: sqlite3.Connection, graph: _Graph, function: int) -> tuple[str, ...]:
    near = {function: None}
    for _ in range(1, _NEAR):
        calls = [call for caller in near for call in graph.calls.get(caller, ())]
        near |= dict.fromkeys(call.function_id for call in calls if call.function_id is not None)
    rows = conn.execute(queries("trace_module")["looked_up"], {"ids": json.dumps(list(near))})
    return tuple(
        f"{row['name']} runs one of {row['held']} functions that decorators put into a table"
        f" {Place(row['path'], row['line'])}"
        for row in rows
    )


def _bound(conn: sqlite3.Connection, graph: _Graph) -> tuple[str, ...]:
    near = {native: depth for native, depth in graph.natives.items() if depth < _NEAR}
    rows = conn.execute(queries("trace_module")["bound_natives"], {"ids": json.dumps(list(near))})
    found = sorted(rows, key=lambda row: (near[row["id"]], row["callers"], row["name"]))
    return tuple(
        f"{row['name']}{_running(row['operators'])} {Place(row['path'], row['line'])}"
        for row in found
    )


def _running(operators: str | None) -> str:
    return f" (which runs {operators})" if operators else ""


def _unfollowed(conn: sqlite3.Connection, graph: _Graph, function: int) -> int:
    ids = json.dumps(sorted({function, *graph.reaching}))
    row = conn.execute(queries("trace_module")["unfollowed"], {"ids": ids}).fetchone()
    return int(row["calls"])


def _reaching(conn: sqlite3.Connection, function: int, class_id: int) -> _Graph:
    row = conn.execute(queries("trace_module")["class_of"], {"id": function}).fetchone()
    receiver = Receiver(conn, class_id or row["class_id"] or 0)
    is_own = receiver.has(function, row["name"].rpartition(".")[2])
    graph = _fetch(conn, function, {function: receiver} if is_own else {})
    _mark_reaching(graph)
    return graph


def _unfolded(graph: _Graph, function: int) -> list[StepLine]:
    steps: list[StepLine] = []
    _unfold(graph, function, 0, {function: 0}, steps)
    return steps


def operators_of(steps: Iterable[StepLine], name: str) -> list[str]:
    """The operators of some steps: those called like a class first, then the nearest.

    Args:
        steps: all of them.
        name: the class's, without its module.
    """
    word = name.lower()
    found: dict[str, tuple[bool, bool, int, int]] = {}
    for step in steps:
        # Indexing and constructors call a dozen; no module is about these.
        bases = {operator.name.partition(".")[0] for operator in step.operators}
        for position, operator in enumerate(step.operators):
            base = operator.name.partition("::")[2].partition(".")[0].replace("_", "")
            alike = word in base or (base in word and 2 * len(base) > len(word))
            # Longer names say more of what a module is about than `add` does.
            rank = (
                not alike,
                position >= _OVERLOADS or len(bases) > _OVERLOADS,
                step.depth,
                -len(base),
            )
            found[operator.name] = min(rank, found.get(operator.name, rank))
    return sorted(found, key=lambda operator: found[operator])


def _fetch(conn: sqlite3.Connection, function: int, own: dict[int, Receiver]) -> _Graph:
    """Fetch what a function calls; `own` are those functions that run on an object whose class is known."""
    sql = queries("trace_module")
    graph = _Graph()
    natives = graph.natives
    functions: dict[int, None] = {function: None}
    level = [function]
    for depth in range(DEPTH):
        following: dict[int, None] = {}
        for found_call in conn.execute(sql["calls"], {"ids": json.dumps(level)}):
            row = _Call(*found_call)
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


def _mark_reaching(graph: _Graph) -> None:
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


def _unfold(
    graph: _Graph, function: int, depth: int, seen: dict[int, int], steps: list[StepLine]
) -> bool:
    """Append what a function calls, and what that calls; whether all of it stands there.

    A function that was unfolded once is named only, unless what it calls was cut off at the depth where it stood and
    would not be here.

    Args:
        graph: what was fetched.
        function: id of the row in `python_functions`.
        depth: how deep its calls stand.
        seen: at which depth the functions were unfolded; -1 for those of which all stands there.
        steps: where the steps are added.
    """
    is_whole = True
    file = graph.functions[function]["path"]
    here: set[tuple[str, int]] = set()
    rows = graph.calls.get(function, ())
    run = {(row.native_id, row.function_id) for row in rows if row.kind != _HANDED}
    for row in rows:
        handed = (row.native_id, row.function_id) not in run
        place = Place(file, row.line)
        native, called = row.native_id, row.function_id
        if native is not None:
            if ("native", native) not in here and native in graph.operators:
                here.add(("native", native))
                operators = graph.operators[native]
                line = StepLine(depth, _written(row), "native", place, operators, handed=handed)
                steps.append(line)
            continue
        if (
            called is None
            or ("function", called) in here
            or called not in graph.reaching
            or called == function
        ):
            continue
        here.add(("function", called))
        known = seen.get(called, DEPTH) <= depth
        name = graph.functions[called]["name"]
        kind = "module" if name.endswith(".forward") else "function"
        steps.append(StepLine(depth, name, kind, place, repeated=known, handed=handed))
        if not known and depth + 1 < DEPTH:
            seen[called] = depth
            if _unfold(graph, called, depth + 1, seen, steps):
                seen[called] = -1
        is_whole = is_whole and seen.get(called) == -1
    return is_whole


def _operators(rows: list[sqlite3.Row]) -> tuple[OperatorLine, ...]:
    # An out variant is what the same call reaches with out=; it says nothing new here.
    shown = [row for row in rows if row["kind"] != "out"] or rows
    return tuple(
        OperatorLine(
            row["name"], Place(row["path"], row["line"]), makes_tensors=bool(row["makes_tensors"])
        )
        for row in shown
    )


def _written(row: _Call) -> str:
    """What C++ binds, behind the Python name that it is called by where that is another."""
    target, native = row.target, str(row.native)
    if native.startswith("torch._C.TensorBase."):
        return "Tensor." + native.rpartition(".")[2]
    if native == target.replace("torch.", "torch._C._VariableFunctions.", 1):
        return target  # torch/__init__.py copies it
    return native if "(" in target or target == native else f"{target} → {native}"
