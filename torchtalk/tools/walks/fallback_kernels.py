"""Of kernels that a dispatch key has for all operators: no operator names them, and all reach them.

`m.fallback(…)` gives a key a kernel for every operator without one of its own for it (torch/library.h).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from torchtalk.counted import few
from torchtalk.graph import nodes
from torchtalk.sqlfile import listed
from torchtalk.tools.walks import queries

_MOST_SHOWN = 4


def fallback_of(conn: sqlite3.Connection, codes: Sequence[int]) -> tuple[str, ...]:
    """What to say of functions that are fallbacks of dispatch keys; nothing where none is.

    Args:
        conn: an index.
        codes: the nodes that are asked about.
    """
    functions = nodes.ids(codes, nodes.FUNCTION)
    if not functions or len(functions) != len(codes):
        return ()
    rows = conn.execute(
        queries("fallback_kernels")["keys"], {"functions": listed(tuple(functions))}
    ).fetchall()
    if not rows:
        return ()
    kernels = tuple(dict.fromkeys(row["kernel"] for row in rows))
    keys = [f"{row['key']} ({row['file']}:{row['line']})" for row in rows]
    return (
        f"{few(kernels, 1)} is what every operator runs that has no kernel of its own for {few(keys, _MOST_SHOWN)}",
    )
