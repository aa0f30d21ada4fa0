"""What do C++ and Python code register, once macros are expanded, and which operators and kernels are those?

First the statements (`registrations`), then the operators that only they define, then the kernels (`dispatch`), then
which kernels `import torch` replaces.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from indexer.link.registrations.operators import write_defined_operators
from indexer.link.registrations.rows import registration_rows
from indexer.schema import statements
from indexer.workers import WorkerPool
from indexer.write.registrations import drop_pending, write_registration_rows

_SQL = Path(__file__).with_name("registered_dispatch.sql")


def link(conn: sqlite3.Connection, pool: WorkerPool) -> None:
    """Fill `registrations`, and from it `operators` and `dispatch`; nothing, unless blocks wait for it.

    Args:
        conn: the database, in a transaction.
        pool: whose workers expand macros.
    """
    waiting = conn.execute(
        "SELECT count(*) FROM temp.sqlite_master WHERE name = 'pending_blocks'"
    ).fetchone()[0]
    if not waiting:
        return
    write_registration_rows(conn, registration_rows(conn, pool))
    write_defined_operators(conn)
    for statement in statements(_SQL.read_text(encoding="utf-8")):
        conn.execute(statement)
    drop_pending(conn)
