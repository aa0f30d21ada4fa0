"""The kernels of the operators that a module's forward ends at."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace

from torchtalk.answers.base import Place
from torchtalk.answers.steps import KernelLine, StepLine
from torchtalk.tools import queries
from torchtalk.tools.kernels.called_operators import BRIEF, CalledOperators
from torchtalk.tools.kernels.dispatch_table import DispatchTables

_KERNELS = 6  # operators whose kernels a full answer shows, the likeliest of them
_FEWER_KERNELS = 3  # where the steps alone fill an answer
_MANY_STEPS = 30


def with_kernels(
    conn: sqlite3.Connection, steps: list[StepLine], operators: list[str]
) -> list[StepLine]:
    """The steps with the kernels of the first operators, each where it stands first.

    Args:
        conn: an index.
        steps: on the way to the operators.
        operators: of all steps, those that the module is most about first.
    """
    wanted = operators[: _KERNELS if len(steps) <= _MANY_STEPS else _FEWER_KERNELS]
    called = CalledOperators(conn, DispatchTables(conn), wanted, BRIEF)
    kernels: dict[str, list[KernelLine]] = {}
    for row in conn.execute(queries("trace_module")["kernels"], {"names": json.dumps(wanted)}):
        place = Place(row["kernel_file"], row["kernel_line"]) if row["kernel_file"] else None
        calls = called.of(row["operator"], row["key"], row["kernel_id"])
        line = KernelLine(row["key"], row["kernel"], place, *calls)
        kernels.setdefault(row["operator"], []).append(line)
    found = []
    for step in steps:
        lines = tuple(
            replace(operator, kernels=tuple(kernels.pop(operator.name, ())))
            for operator in step.operators
        )
        found.append(replace(step, operators=lines))
    return found
