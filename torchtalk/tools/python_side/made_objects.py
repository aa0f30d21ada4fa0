"""Objects that a Python function makes, whose constructors end at operators.

What a constructor does is left out of what a function ends at, since most make modules, whose weights are filled there;
where a function ends at nothing else it is what can be said.
"""

from __future__ import annotations

import sqlite3

from torchtalk.counted import few
from torchtalk.graph import nodes
from torchtalk.names.methods import find_method
from torchtalk.tools.python_side import queries
from torchtalk.tools.python_side.module_steps import plain_steps

_MOST_CLASSES = 12
_MOST_OPERATORS = 4


def constructor_notes(conn: sqlite3.Connection, function: int) -> tuple[str, ...]:
    """What the constructors that a function calls end at; one note for each, and none where they end at nothing.

    Args:
        conn: an index.
        function: id of the row in `python_functions`.
    """
    wanted = {"node": nodes.code(nodes.PYTHON, function), "kind": nodes.CLASS}
    rows = conn.execute(queries("python_part")["made"], wanted).fetchall()
    notes = []
    for row in rows[:_MOST_CLASSES]:
        init = find_method(conn, f"{row['name']}.__init__")
        below = plain_steps(conn, init.function_id, row["id"]) if init is not None else None
        steps = below.steps if below is not None else ()
        operators = dict.fromkeys(
            line.name.partition(".")[0] for step in steps for line in step.operators
        )
        if init is not None and operators:
            listed = few(tuple(operators), _MOST_OPERATORS)
            notes.append(f"it makes a {row['name']}; {init.name} ends at {listed}")
    return tuple(notes)
