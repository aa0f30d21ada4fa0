"""What depends on what, beyond C++ functions that call each other: the edges that make it PyTorch's graph."""

from __future__ import annotations

import sqlite3

from indexer.link import run_statements
from indexer.link.cpp import alternatives, written_calls
from indexer.link.cpp import python_called as called_from_cpp
from indexer.link.cpp.element_types import ElementTypes
from indexer.workers import WorkerPool

_FIRST = ("edges.sql", "edges_of_cpp.sql")
_LAST = ("boilerplate.sql", "bound_lambdas.sql", "edges_of_lambdas.sql")
"""In this order: the last leaves out what is boilerplate."""


def link(conn: sqlite3.Connection, _: WorkerPool) -> None:
    """Make the edges anew, but for those of steps 81 to 83, and say which functions are boilerplate.

    Args:
        conn: the database, in a transaction; it gets an SQL function.
    """
    types = ElementTypes(conn)
    conn.create_function("takes_others", 4, types.takes_others, deterministic=True)
    for name in _FIRST:
        run_statements(conn, name)
    alternatives.link(conn, types)
    for name in _LAST:
        run_statements(conn, name)
    called_from_cpp.link(conn)
    written_calls.link(conn)
