"""The Python part of a public name's way: from `F.gelu` to the name bound in C++, and its operators."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace

from torchtalk.answers.base import Place
from torchtalk.answers.steps import OperatorLine, StepLine, nearest
from torchtalk.names.imported import OWNERS
from torchtalk.tools.python_side import queries
from torchtalk.tools.python_side.module_steps import (
    bound_notes,
    operators_of,
    plain_steps,
    table_notes,
    unfollowed_notes,
)

_MOST_STEPS = 400
_MOST_FUNCTIONS = 3
_ALIAS = re.compile(r"alias of ([\w.]+)$")


@dataclass(frozen=True)
class PythonPart:
    """What happens in Python when something is called.

    Args:
        steps: as they are laid out, the nearest of very many.
        left_out: how many more there are.
        operators: of all steps, those called like what is asked for first, then the nearest.
        notes: what is not followed, and what is called in C++ besides.
    """

    steps: tuple[StepLine, ...] = ()
    left_out: int = 0
    operators: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def python_part(conn: sqlite3.Connection, api: str) -> PythonPart:
    """What happens in Python when a public name is called.

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
    bound: dict[str, None] = {}
    tables: dict[str, None] = {}
    unfollowed = 0
    functions = dict.fromkeys(row["function_id"] for row in rows if row["function_id"] is not None)
    for function in list(functions)[:_MOST_FUNCTIONS]:
        at = conn.execute(sql["function"], {"id": function}).fetchone()
        place = Place(at["path"], at["line"])
        steps.append(StepLine(depth, at["name"], "function", place))
        below = plain_steps(conn, function)
        bound |= dict.fromkeys(below.bound)
        tables |= dict.fromkeys(below.tables)
        unfollowed += below.unfollowed
        steps += [_deeper(step, depth + 1) for step in below.steps]
    if not functions and rows:
        steps += _bound(conn, api, rows, assigned["target"] if assigned else "", depth)
    notes = (
        *bound_notes(tuple(bound)),
        *table_notes(tuple(tables)),
        *unfollowed_notes(unfollowed),
    )
    return _part(steps, name, notes)


def method_part(conn: sqlite3.Connection, function: int, name: str, class_id: int) -> PythonPart:
    """What a method calls on the way to operators.

    Args:
        conn: an index.
        function: id of the row in `python_functions`.
        name: the method's, without its class.
        class_id: of the object that it is called on; 0 for the class that it is written in.
    """
    below = plain_steps(conn, function, class_id)
    notes = (
        *bound_notes(below.bound),
        *table_notes(below.tables),
        *unfollowed_notes(below.unfollowed),
    )
    return _part(below.steps, name, notes)


def _part(steps: Sequence[StepLine], name: str, notes: tuple[str, ...]) -> PythonPart:
    kept = nearest(steps, _MOST_STEPS)
    return PythonPart(kept, len(steps) - len(kept), tuple(operators_of(steps, name)), notes)


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
