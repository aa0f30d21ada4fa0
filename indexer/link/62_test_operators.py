"""What do tests call: which operators, and what of the things that tests are written with?"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from indexer.link.tests import operators, utilities
from indexer.link.tests.assigned_utilities import assigned_utilities
from indexer.link.tests.names import Names
from indexer.workers import WorkerPool
from indexer.write.tests import create_unlinked

KEPT = ("python_body_methods",)

_Found = tuple[operators.Found, list[utilities.Row]]


def link(conn: sqlite3.Connection, _: WorkerPool) -> None:
    """Fill `test_operators` and `test_utilities` of the database `conn`; the tests must be linked."""
    create_unlinked(conn)
    finish(conn, [compute(conn, prepare(conn), 0, 1)])


def prepare(conn: sqlite3.Connection) -> Names:
    """Names as tests write them, in the database `conn`."""
    return Names(conn)


def compute(conn: sqlite3.Connection, names: Names, _: int, __: int) -> _Found:
    """The rows of both tables, but for tests in C++: while this is done, its calls may still have to be written.

    Args:
        conn: a snapshot of the database.
        names: what `prepare` made of it.
    """
    rows = utilities.test_utilities(conn, names)
    known = {row[0] for row in rows}
    # A class may be made by an assignment: `tol = namedtuple("tol", …)`.
    rows += [row for row in assigned_utilities(conn, names) if row[0] not in known]
    # In the order of the files, and within them.
    return operators.test_operators(conn), sorted(rows, key=lambda row: row[-2:])


def finish(conn: sqlite3.Connection, results: Iterable[_Found]) -> None:
    """Insert them, with what is known of tests in C++.

    Args:
        conn: the database, in a transaction.
        results: of the one part.
    """
    for found, rows in results:
        operators.add_gtests(conn, found)
        operators.write_operators(conn, found)
        utilities.write_utilities(conn, rows)
    conn.execute("DROP TABLE IF EXISTS temp.python_body_methods")
