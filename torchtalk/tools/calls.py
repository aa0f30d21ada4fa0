"""calls: what something uses directly: functions it calls, stubs, operators, kernels."""

from __future__ import annotations

import sqlite3

from torchtalk.answers.graph import NeighboursAnswer
from torchtalk.tools.catalog import DEFAULT_EXCLUDE
from torchtalk.tools.walks.neighbours import neighbours


def calls(
    conn: sqlite3.Connection,
    name: str,
    exclude: str = DEFAULT_EXCLUDE,
    format: str = "text",  # noqa: A002  named for people
    limit: int = 20,
    offset: int = 0,
) -> NeighboursAnswer:
    """Find what something uses directly: functions it calls, stubs, operators, kernels.

    Args:
        conn: an index.
        name: an operator, function, kernel, stub, Python name, file or `file:line`.
        exclude: kinds and origins of edges to leave out; boilerplate is counted.
        format: text, json, mermaid or dot.
        limit: most neighbours to show.
        offset: how many to pass over.

    Raises:
        BadArgument: exclude has a word that is no kind or origin.
    """
    return neighbours(conn, name, "calls", exclude, format, limit, offset)
