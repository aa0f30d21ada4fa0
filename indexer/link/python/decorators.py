"""Which functions stand under a decorator of some name: no edge of the graph says it."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator

_OF_MODULES = "SELECT name FROM python_functions WHERE instr(name, '.') = 0"
# Of `staticmethod` and `unittest.skipIf` there is nothing to ask here.
_NAME = re.compile(r"^(?:\w+\.)*(\w+)", re.MULTILINE)


def link_decorators(conn: sqlite3.Connection) -> None:
    """Insert the rows of `python_decorators`.

    Args:
        conn: the database; functions are written.
    """
    known = {name for (name,) in conn.execute(_OF_MODULES)}
    rows = conn.execute("SELECT id, decorators FROM python_functions WHERE decorators IS NOT NULL")
    conn.executemany(
        "INSERT INTO python_decorators (name, function_id) VALUES (?, ?)",
        sorted(row for row in _named(rows) if row[0] in known),
    )


def _named(functions: sqlite3.Cursor) -> Iterator[tuple[str, int]]:
    """The last component of each decorator that is written as a name or a call of one."""
    for function_id, decorators in functions:
        for name in set(_NAME.findall(decorators)):
            yield name, function_id
