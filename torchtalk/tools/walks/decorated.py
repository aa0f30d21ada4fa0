"""What a Python function decorates, as far as no edge of the graph says it."""

from __future__ import annotations

import sqlite3

from torchtalk.answers.base import Place
from torchtalk.counted import counted, few
from torchtalk.graph import nodes
from torchtalk.sqlfile import listed
from torchtalk.tools.walks import queries

_MOST_ASKED = 3
_MOST_SHOWN = 6


def decorated(conn: sqlite3.Connection, codes: tuple[int, ...]) -> tuple[str, str]:
    """What functions of modules some nodes decorate, without those that edges lead from to them.

    Args:
        conn: an index.
        codes: of nodes.

    Returns:
        What goes behind a finding, and a note with the first of them; empty texts where there are none.
    """
    functions = nodes.ids(codes, nodes.PYTHON)
    if not functions or len(functions) > _MOST_ASKED or len(functions) < len(codes):
        return "", ""
    # The definitions of overloads are called the same.
    owners = {
        (row["module"], row["last"]): None
        for function in functions
        for row in conn.execute(queries("decorated")["decorator"], {"id": function})
        if "." not in row["last"]
    }
    found: dict[str, Place] = {}
    for module, last in owners:
        package, _, part = module.rpartition(".")
        of = {
            "last": last, "module": module,
            "names": listed((module, f"{module}:{last}", f"{package}:{part}")),
            "functions": listed(tuple(functions)),
        }  # fmt: skip
        for row in conn.execute(queries("decorated")["decorated"], of):
            found[row["name"]] = Place(row["path"], row["line"])
    if not found:
        return "", ""
    shown = [f"{name} {place}" for name, place in found.items()]
    return (
        f"; it decorates {counted(len(found), 'function')}",
        f"what it decorates is not followed: {few(shown, _MOST_SHOWN)}",
    )
