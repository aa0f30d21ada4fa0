"""What an installed package lacks: the tests in test/, of which none is in the wheel."""

from __future__ import annotations

import sqlite3

_SAID = "this is the index of an installed package, which has no test/: only what stands in torch/testing is known"


def without_tests(conn: sqlite3.Connection) -> tuple[str, ...]:
    """What to say of answers about tests; nothing of a source tree.

    Args:
        conn: an index.
    """
    return (_SAID,) if is_installed(conn) else ()


def is_installed(conn: sqlite3.Connection) -> bool:
    """Whether an index is of an installed package.

    Args:
        conn: an index.
    """
    row = conn.execute("SELECT value FROM meta WHERE key = 'source_kind'").fetchone()
    return row is not None and row[0] == "installed"
