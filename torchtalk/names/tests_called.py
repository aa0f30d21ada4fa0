"""Classes of tests and tests by their very names, which are no functions to other tools: `TestNN`, `test_bias`."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from torchtalk.answers.base import Place
from torchtalk.counted import counted
from torchtalk.sqlfile import statements

_SQL = Path(__file__).parent / "names.sql"
_MOST = 3


def rows_called(conn: sqlite3.Connection, name: str) -> list[sqlite3.Row]:
    """The classes of tests and the tests of a name: `what` (class or test), `name`, `path`, `line`, `tests`.

    Args:
        conn: an index.
        name: of a class, a suite or a test, without what stands around it.
    """
    text = name.strip()
    if not text.isidentifier():
        return []
    return conn.execute(statements(_SQL)["tests_called"], {"name": text}).fetchall()


def tests_called(conn: sqlite3.Connection, name: str) -> tuple[str, ...]:
    """What to say of a name that is one of tests; nothing of others.

    Args:
        conn: an index.
        name: as it was asked for.
    """
    rows = rows_called(conn, name)
    said = [
        f"{row['name']} is a class of {counted(row['tests'], 'test')}  {place}: test_file_info has it"
        if row["what"] == "class"
        else f"{row['name']} is a test  {place}"
        for row in rows[:_MOST]
        for place in (Place(row["path"], row["line"]),)
    ]
    if len(rows) > _MOST:
        said.append(f"{len(rows) - _MOST} more classes of tests or tests are called {name.strip()}")
    return tuple(said)
