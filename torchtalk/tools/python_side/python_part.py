"""The Python part of a public name's way: from `F.gelu` to the name bound in C++, and its operators."""

from __future__ import annotations

import json
import re
import sqlite3
from dataclasses import replace

from torchtalk.answers.base import Place
from torchtalk.answers.steps import OperatorLine, StepLine
from torchtalk.names.imported import OWNERS
from torchtalk.tools.python_side import queries
from torchtalk.tools.python_side.module_steps import (
    bound_notes,
    plain_steps,
    table_notes,
    unfollowed_notes,
)

_MOST_STEPS = 12
_MOST_FUNCTIONS = 3
_ALIAS = re.compile(r"alias of ([\w.]+)$")


def python_part(
    conn: sqlite3.Connection, api: str
) -> tuple[tuple[StepLine, ...], int, tuple[str, ...]]:
    """What happens in Python when a public name is called, how many steps more there are, and notes.

    Args:
        conn: an index.
        api: in full: torch.nn.functional.gelu.
    """
    sql = queries("python_part")
    rows = conn.execute(sql["api"], {"api": api}).fetchall()
    owner, _, name = api.rpartition(".")
    assigned = conn.execute(sql["assigned"], {"module": owner, "name": name}).fetchone()
    steps: list[StepLine] = []
    depth = 0
    if assigned is not None:
        targets = " or ".join(_behind(assigned["target"]))
        place = Place(assigned["path"], assigned["line"])
        steps.append(StepLine(0, f"{api} = {targets}", "alias", place))
        depth = 1
    left_out = 0
    bound: dict[str, None] = {}
    tables: dict[str, None] = {}
    unfollowed = 0
    functions = dict.fromkeys(row["function_id"] for row in rows if row["function_id"] is not None)
    for function in list(functions)[:_MOST_FUNCTIONS]:
        at = conn.execute(sql["function"], {"id": function}).fetchone()
        place = Place(at["path"], at["line"])
        steps.append(StepLine(depth, at["name"], "function", place))
        below = plain_steps(conn, function)
        found = below.steps
        bound |= dict.fromkeys(below.bound)
        tables |= dict.fromkeys(below.tables)
        unfollowed += below.unfollowed
        steps += [_deeper(step, depth + 1) for step in found[:_MOST_STEPS]]
        left_out += max(0, len(found) - _MOST_STEPS)
    if not functions and rows:
        steps += _bound(conn, api, rows, assigned["target"] if assigned else "", depth)
    notes = (
        *bound_notes(tuple(bound)),
        *table_notes(tuple(tables)),
        *unfollowed_notes(unfollowed),
    )
    return tuple(steps), left_out, notes


def method_part(
    conn: sqlite3.Connection, function: int, class_id: int
) -> tuple[tuple[StepLine, ...], int, tuple[str, ...]]:
    """What a method calls on the way to operators, how many steps more there are, and notes.

    Args:
        conn: an index.
        function: id of the row in `python_functions`.
        class_id: of the object that it is called on; 0 for the class that it is written in.
    """
    below = plain_steps(conn, function, class_id)
    most = below.steps[:_MOST_STEPS]
    notes = (
        *bound_notes(below.bound),
        *table_notes(below.tables),
        *unfollowed_notes(below.unfollowed),
    )
    return most, len(below.steps) - len(most), notes


def _deeper(step: StepLine, depth: int) -> StepLine:
    return replace(step, depth=step.depth + depth)


def _behind(target: str) -> list[str]:
    """What an assignment takes: `_add_docstr(torch._C._nn.gelu, …)` is the function it documents."""
    callee, *values = target.split("|")
    return [value.replace(":", ".") for value in values] or [callee.replace(":", ".")]


def _bound(
    conn: sqlite3.Connection, api: str, rows: list[sqlite3.Row], target: str, depth: int
) -> list[StepLine]:
    """The name in C++ that a public name is another name of."""
    owner, _, name = api.rpartition(".")
    wanted = [match[1] for row in rows if (match := _ALIAS.match(row["via"]))]
    for value in _behind(target) if target else ():
        head, _, last = value.rpartition(".")
        wanted += [f"{known}.{last}" for known in OWNERS.get(head, (head,))]
    wanted += [f"{known}.{name}" for known in OWNERS.get(owner, (owner,))]
    found = conn.execute(
        queries("python_part")["bound"], {"names": json.dumps(list(dict.fromkeys(wanted)))}
    ).fetchone()
    operators = tuple(
        OperatorLine(row["operator"], Place(row["path"], row["line"]))
        for row in rows
        if row["operator"] is not None
    )
    if found is None:  # torch.ops, which has no bindings
        return []
    bound = str(found["python_name"])
    text = bound if depth or bound == api else f"{api} = {bound}"
    if found["cpp_name"]:
        text += f" ({found['cpp_name']})"
    return [StepLine(depth, text, "native", Place(found["file"], found["line"]), operators)]
