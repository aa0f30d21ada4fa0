"""Methods that a Python function calls and that others override, of which one ends at operators.

torch.testing.assert_close calls `Pair.compare` of each pair; that of TensorLikePair works on tensors. Which one runs is
not known, and so it is no step of the function's; where it ends at nothing else it is what can be said.
"""

from __future__ import annotations

import sqlite3

from torchtalk.counted import counted, few
from torchtalk.tools.python_side import queries
from torchtalk.tools.python_side.module_steps import plain_steps

_CALLS = 3
_MOST = 3
_MOST_OVERRIDES = 8
_MOST_OPERATORS = 4


def overridden_notes(conn: sqlite3.Connection, function: int) -> tuple[str, ...]:
    """What is said of overridden methods that are called within three calls; none where no override ends at operators.

    Args:
        conn: an index.
        function: id of the row in `python_functions`.
    """
    sql = queries("python_part")
    notes = []
    for row in conn.execute(sql["overridden"], {"id": function, "calls": _CALLS, "most": _MOST}):
        wanted = {"id": row["id"], "most": _MOST_OVERRIDES}
        last = row["name"].rpartition(".")[2]
        for other in conn.execute(sql["overriding"], wanted):
            if other["name"].rpartition(".")[2] != last:
                continue  # what is called on an object is an edge of this kind, too
            steps = plain_steps(conn, other["id"]).steps
            operators = dict.fromkeys(
                line.name.partition(".")[0] for step in steps for line in step.operators
            )
            if operators:
                number = counted(row["number"], "method overrides", "methods override")
                ends = few(tuple(operators), _MOST_OPERATORS)
                notes.append(
                    f"on its way it calls {row['name']}, which {number}: {other['name']} ends at {ends}"
                )
                break
    return tuple(notes)
