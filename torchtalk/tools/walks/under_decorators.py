"""What takes a Python function that nothing uses: `@_onnx_symbolic("aten::relu6")` registers what it stands over."""

from __future__ import annotations

import re
import sqlite3

from torchtalk.counted import few
from torchtalk.graph import nodes
from torchtalk.tools.walks import queries

_MOST_SHOWN = 4
_LONGEST = 100
_NAME = re.compile(r"(?:\w+\.)*(\w+)")


def under_decorators(conn: sqlite3.Connection, codes: tuple[int, ...]) -> tuple[str, ...]:
    """What to say of the decorators of a function; nothing where they only say how it is bound.

    Args:
        conn: an index.
        codes: of the nodes that are asked for.
    """
    # Where a question is answered they are needed seldom: their module reads Python.
    from indexer.extract.python.decorator_tables import COMMON

    functions = nodes.ids(codes, nodes.PYTHON)
    if len(functions) != 1 or len(codes) != 1:
        return ()
    rows = conn.execute(queries("under_decorators")["written"], {"id": functions[0]}).fetchall()
    places = {row["last"]: f" ({row['path']}:{row['line']})" for row in rows if row["last"]}
    written = [
        (match[1], line)
        for line in (rows[0]["decorators"].split("\n") if rows else ())
        if (match := _NAME.match(line)) and match[1] not in COMMON
    ]
    if not written:
        return ()
    shown = [
        f"`@{line if len(line) <= _LONGEST else f'{line[:_LONGEST]} …'}`{places.get(name, '')}"
        for name, line in written
    ]
    return (
        f"it is handed to what stands over it, which may register or call it: {few(shown, _MOST_SHOWN)}",
    )
