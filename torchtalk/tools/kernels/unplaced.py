"""Kernels of C++ that have no place in an answer, and why."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from torchtalk.answers.dispatch import DispatchLine
from torchtalk.counted import few
from torchtalk.layers import is_built
from torchtalk.testing.installed import is_installed

_MOST = 3
_NO_SOURCES = "kernels of C++ stand here without a place: an installed package has no C++ sources"


def unplaced(conn: sqlite3.Connection, lines: Iterable[DispatchLine]) -> tuple[str, ...]:
    """What to say of kernels that are named and found nowhere; nothing of those that torchgen generates.

    Args:
        conn: an index.
        lines: of dispatch tables.
    """
    names = [
        line.kernel
        for line in lines
        if line.kernel and line.origin != "python" and not (line.definitions or line.generated_by)
    ]
    # What was not read is not absent; what was left out is said of every answer.
    if not names or not is_built(conn, "native"):
        return ()
    if is_installed(conn):
        return (_NO_SOURCES,)
    return (f"the tree has no definition of {few(list(dict.fromkeys(names)), _MOST)}",)
