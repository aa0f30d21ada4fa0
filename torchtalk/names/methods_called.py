"""The methods of Python's classes that have a name: `SizeVarAllocator.statically_known_true` is called so."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from torchtalk.kept import once
from torchtalk.sqlfile import beside

_queries = beside(__file__)


def methods_called(conn: sqlite3.Connection, last: str) -> tuple[str, ...]:
    """The methods of a name, as they stand in their modules.

    Args:
        conn: an index.
        last: the name, one identifier.

    Returns:
        Each with its class, `Class.method`; one that classes of several modules have, or that is overloaded, once.
    """
    return tuple(dict.fromkeys(_ending(once(conn, _all), f".{last}\n"))) if last else ()


def _ending(text: str, end: str) -> Iterator[str]:
    """The lines of a text that end so."""
    at = text.find(end)
    while at >= 0:
        yield text[text.rfind("\n", 0, at) + 1 : at + len(end) - 1]
        at = text.find(end, at + 1)


def _all(conn: sqlite3.Connection) -> str:
    """A line for each: no index knows a name's end, and of so many one text is searched in the least time."""
    return (
        "".join(f"\n{row['name']}" for row in conn.execute(_queries("methods_called")["all"]))
        + "\n"
    )
