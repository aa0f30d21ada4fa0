"""Names of Python that an index does not list as public, and that can be imported all the same.

What a package stops to list in `__all__`, or imports from a private module without listing it
(torch/onnx/__init__.py: «Deprecated members that are excluded from __all__»), is not gone.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from torchtalk.answers.base import Place
from torchtalk.db import connect
from torchtalk.names.imported import spellings
from torchtalk.tools import queries

CLASS, FUNCTION = "class", "function"


@dataclass(frozen=True)
class Importable:
    """What a name stands for.

    Args:
        kind: class or function.
        name: in full, where it is defined.
        place: of its definition.
        signature: of a function.
        has_calls: whether it calls anything; one that only raises an error does not.
    """

    kind: str
    name: str
    place: Place
    signature: str = ""
    has_calls: bool = True


@contextmanager
def alone(both: sqlite3.Connection, which: str) -> Iterator[sqlite3.Connection]:
    """A connection to one of two attached indexes, for what asks one index alone.

    Args:
        both: on which they are attached.
        which: by which name.
    """
    files = {row["name"]: row["file"] for row in both.execute("PRAGMA database_list")}
    conn = connect(Path(files[which]))
    try:
        yield conn
    finally:
        conn.close()


def importable(conn: sqlite3.Connection, name: str) -> Importable | None:
    """What can be imported under a dotted name: a function or class of a module, or what that imports; None for none.

    Args:
        conn: an index.
        name: in full.
    """
    imported = (spelling.name for spelling in spellings(conn, name) if spelling.place is not None)
    for full in (name, *imported):
        module, _, last = full.rpartition(".")
        row = conn.execute(
            queries("diff")["defined"], {"name": full, "module": module, "last": last}
        ).fetchone()
        if row is not None:
            place = Place(row["path"], row["line"])
            return Importable(
                row["kind"], full, place, row["signature"] or "", bool(row["has_calls"])
            )
    return None
