"""What tests call and who of them calls something: no edges of the graph, and yet no silence."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from torchtalk.counted import counted, few
from torchtalk.graph import nodes
from torchtalk.tools.walks import queries

_MOST = 12
_MOST_USERS = 3


def of_tests(conn: sqlite3.Connection, found: Sequence[int], direction: str) -> tuple[str, str]:
    """What is to be said of tests where the graph is asked for neighbours.

    Args:
        conn: an index.
        found: the nodes whose neighbours are asked for.
        direction: `calls` or `called_by`.

    Returns:
        What stands in the place of `nothing is known`, where that would be all, and a note; both may be empty.
    """
    sql = queries("tests_above")
    functions = nodes.ids(found, nodes.PYTHON)
    of = {"functions": json.dumps(functions), "classes": json.dumps(nodes.ids(found, nodes.CLASS))}
    if direction == "calls":
        rows = conn.execute(sql["left_out"], of).fetchall() if functions else []
        if not rows:
            return "", ""
        of["functions"] = json.dumps([row["id"] for row in rows])
        used = tuple(dict.fromkeys(row["name"] for row in conn.execute(sql["used"], of)))
        if len(rows) > 1:
            said = "has tests or their helpers, of which the graph has no calls"
            number = f"{len(rows)} functions of tests"
            note = f"what {number} use is not in the graph: {few(used, _MOST)}"
            return (said, note) if used else ("", "")
        what = "a test" if rows[0]["is_test"] else "a function in a file of tests"
        said = f"is {what}, of which the graph has no calls"
        if not used:
            return said, "nothing is known that it uses"
        node = nodes.code(nodes.PYTHON, rows[0]["id"])
        source = nodes.describe(conn, [node])[node].name
        where = f"SELECT target, kind, line FROM v_edges WHERE source = '{source}'"
        return said, f"it uses {few(used, _MOST)}: {where}"
    users = [row["name"] for row in conn.execute(sql["users"], of)] if len(found) else []
    if not users:
        return "", ""
    verb = "uses" if len(users) == 1 else "use"
    number = counted(len(users), "function of tests", "functions of tests")
    said = "is used by tests alone, of which the graph has no calls"
    return said, f"{number} {verb} it, which the graph leaves out: {few(users, _MOST_USERS)}"
