"""Which tests are there, which OpInfos, and which tests run over which?"""

from __future__ import annotations

import sqlite3

from indexer.link.tests import classes, infos, lists, sources
from indexer.link.tests.names import Names
from indexer.workers import WorkerPool


def link(conn: sqlite3.Connection, _: WorkerPool) -> None:
    """Make tests and their lists of what the files tell, in the database `conn`; its Python layer must be linked."""
    names = Names(conn)
    bases = classes.base_classes(conn)
    classes.link_classes(conn, names, bases)
    classes.link_tests(conn, bases)
    sources.link_sources(conn)
    infos.link_infos(conn, names)
    infos.link_operators(conn)
    lists.link_lists(conn, names)
    conn.execute("INSERT INTO tests_words (tests_words) VALUES ('rebuild')")
    conn.execute("INSERT INTO tests_words (tests_words) VALUES ('optimize')")
    conn.execute("INSERT INTO tests_bodies (tests_bodies) VALUES ('optimize')")
