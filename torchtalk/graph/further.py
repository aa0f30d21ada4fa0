"""The nearest operators and public names, where a walk ended before it came to any.

«No operator within three calls» reads like «nothing breaks»; what `gpu_kernel` launches is five calls below the first.
"""

from __future__ import annotations

import sqlite3

from torchtalk.graph import nodes
from torchtalk.graph.entries import Entries, entries
from torchtalk.graph.exclusions import Exclusions
from torchtalk.graph.reached import Reached
from torchtalk.graph.walk import into_python, upwards

_FURTHER = 6
"""How many calls beyond the asked depth are looked at; where no operator is, there is not much to look at."""

_ENTERED = (nodes.OPERATOR, nodes.PYTHON, nodes.CLASS, nodes.NATIVE)


def nearest_entries(
    conn: sqlite3.Connection, reached: Reached, seeds: list[int], depth: int, excluded: Exclusions
) -> tuple[int, Entries] | None:
    """Walk on to the first of them.

    Args:
        conn: an index.
        reached: what a walk of `depth` calls came to, no entry among it.
        seeds: what it began with.
        depth: of that walk.
        excluded: edges that are not followed.

    Returns:
        How many calls away the nearest are, and all within so many; None where there are none, or only much further on.
    """
    before = len(reached.depths)
    for further in range(depth + 1, depth + _FURTHER + 1):
        reached = upwards(conn, seeds, further, excluded)
        if len(reached.depths) == before:
            return None
        before = len(reached.depths)
        if any(reached.rows[kind] for kind in _ENTERED):
            into_python(reached)
            found = entries(conn, reached)
            if found.any:
                return further, found
    return None
