"""The way from a Python function down to the operators, as lines."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from torchtalk.answers.base import Place
from torchtalk.answers.steps import StepLine, nearest
from torchtalk.tools import queries
from torchtalk.tools.python_side.calls_below import CallGraph, calls_below
from torchtalk.tools.python_side.module_kernels import with_kernels
from torchtalk.tools.python_side.unfolded import unfolded

_MOST_STEPS = 60
_FEW = 4  # names bound in C++ whose kernels fit into an answer of either focus
_OVERLOADS = 2  # of one name whose kernels are shown
_NEAR = 3  # calls between Python functions behind which functions of C++ are worth a word
_MOST_BOUND = 4


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
    graph = calls_below(conn, function, class_id)
    found = unfolded(graph)
    unfollowed = _unfollowed(conn, graph)
    operators = operators_of(found, name)
    steps = list(nearest(found, _MOST_STEPS))
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
    graph = calls_below(conn, function, class_id)
    return Below(
        tuple(unfolded(graph)),
        unfollowed=_unfollowed(conn, graph),
        bound=_bound(conn, graph),
        tables=_tables(conn, graph),
    )


def unfollowed_notes(calls: int) -> tuple[str, ...]:
    """What is said of calls on values whose type is not known; nothing where there are none."""
    if not calls:
        return ()
    what = "1 call on a value" if calls == 1 else f"{calls} calls on values"
    return (f"{what} whose type is not known {'is' if calls == 1 else 'are'} not followed",)


def bound_notes(bound: tuple[str, ...]) -> tuple[str, ...]:
    """What is said of functions of C++ that are no operators, `bound` by name: one sentence, or nothing without any."""
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


def _tables(conn: sqlite3.Connection, graph: CallGraph) -> tuple[str, ...]:
    near = {graph.top: None}
    for _ in range(1, _NEAR):
        calls = [call for caller in near for call in graph.calls.get(caller, ())]
        near |= dict.fromkeys(call.callee for call in calls if call.callee is not None)
    rows = conn.execute(
        queries("trace_module")["looked_up"],
        {"ids": json.dumps([graph.ids[node] for node in near])},
    )
    return tuple(
        f"{row['name']} runs one of {row['held']} functions that decorators put into a table"
        f" {Place(row['path'], row['line'])}"
        for row in rows
    )


def _bound(conn: sqlite3.Connection, graph: CallGraph) -> tuple[str, ...]:
    near = {native: depth for native, depth in graph.natives.items() if depth < _NEAR}
    rows = conn.execute(queries("trace_module")["bound_natives"], {"ids": json.dumps(list(near))})
    found = sorted(rows, key=lambda row: (near[row["id"]], row["callers"], row["name"]))
    return tuple(
        f"{row['name']}{_running(row['operators'])} {Place(row['path'], row['line'])}"
        for row in found
    )


def _running(operators: str | None) -> str:
    return f" (which runs {operators})" if operators else ""


def _unfollowed(conn: sqlite3.Connection, graph: CallGraph) -> int:
    ids = json.dumps(sorted({graph.ids[node] for node in (graph.top, *graph.reaching)}))
    row = conn.execute(queries("trace_module")["unfollowed"], {"ids": ids}).fetchone()
    return int(row["calls"])


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
