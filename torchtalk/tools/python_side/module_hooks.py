"""What a module has run around its forward: the methods that it registers on itself as hooks when it is made.

`Module._call_impl` of torch/nn/modules/module.py runs those of register_forward_pre_hook before `forward`, those of
register_forward_hook behind it; torch/nn/modules/lazy.py has parameters initialized so.
"""

from __future__ import annotations

import json
import sqlite3

from torchtalk.answers.base import Place
from torchtalk.counted import few
from torchtalk.names.inheritance import ancestors
from torchtalk.tools import queries
from torchtalk.tools.python_side.module_steps import steps_below

_MOST_OPERATORS = 6


def hook_notes(conn: sqlite3.Connection, class_id: int, name: str) -> tuple[str, ...]:
    """What is said of the hooks that objects of a class have from the start; nothing where there are none.

    Args:
        conn: an index.
        class_id: of `python_classes`.
        name: of the class, without its module.
    """
    order = [entry.class_id for entry in ancestors(conn, class_id) if entry.class_id is not None]
    notes = []
    for row in conn.execute(queries("trace_module")["hooks"], {"ids": json.dumps(order)}):
        below = steps_below(conn, row["function_id"], name, class_id, full=False)
        ends = f", which ends at {few(below.operators, _MOST_OPERATORS)}" if below.operators else ""
        when = "before" if row["is_before"] else "after"
        place = Place(row["path"], row["line"])
        notes.append(f"{when} forward a hook runs {row['name']} (registered {place}){ends}")
    return tuple(notes)
