"""What is not known of who uses an explicit specialization of a template: a call of the template may be of any."""

from __future__ import annotations

import json
import sqlite3

from torchtalk.counted import counted
from torchtalk.graph import nodes
from torchtalk.tools.walks import queries
from torchtalk.tools.walks.question import Seeds


def of_specializations(conn: sqlite3.Connection, seeds: Seeds) -> tuple[str, ...]:
    """What to say where specializations of a template are all that is asked for, which its users count for.

    `template <> Device IValue::to<Device>()` is what `v.to<T>()` ends at for some T ([temp.expl.spec]); the index has
    calls without their template arguments.

    Args:
        conn: an index.
        seeds: what is asked for.

    Returns:
        One note, or none where something else is asked for as well.
    """
    functions = nodes.ids(seeds.nodes, nodes.FUNCTION)
    if not functions or len(functions) < len(seeds.nodes):
        return ()
    asked = {"ids": json.dumps(functions)}
    row = conn.execute(queries("specializations")["users"], asked).fetchone()
    if row["asked"] < len(functions):
        return ()
    callers, own = (counted(row[column], "function") for column in ("users", "own"))
    return (
        "a specialization of a template, whose users are counted whatever arguments they write, for these are not"
        f" known: {callers} that may mean any of its {row['all']:,} specializations, and"
        f" {own} that may mean this alone",
    )
