"""Which tests are there, which OpInfos, which tests run over which, and what do tests call?"""

from __future__ import annotations

import sqlite3

from indexer.link.tests import classes, infos, lists, operators, utilities
from indexer.link.tests.names import Names
from indexer.workers import WorkerPool
from indexer.write.tests import create_unlinked


def link(conn: sqlite3.Connection, _: WorkerPool) -> None:
    """Make layer 5 of what the files tell; the Python layer must be linked."""
    create_unlinked(conn)
    names = Names(conn)
    classes.link_classes(conn, names)
    classes.link_tests(conn)
    infos.link_infos(conn, names)
    infos.link_operators(conn)
    lists.link_lists(conn, names)
    operators.link_operators(conn)
    utilities.link_utilities(conn, names)
    conn.execute("DROP TABLE temp.python_body_methods")
    conn.execute("INSERT INTO tests_words (tests_words) VALUES ('rebuild')")
    conn.execute("INSERT INTO tests_words (tests_words) VALUES ('optimize')")
    conn.execute("INSERT INTO tests_bodies (tests_bodies) VALUES ('optimize')")
