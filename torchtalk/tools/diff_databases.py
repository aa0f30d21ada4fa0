"""Two indexes side by side, to be asked by one statement."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from torchtalk.answers.diff import IndexName
from torchtalk.db import connect
from torchtalk.tools import queries

OLD, NEW = "old", "new"
"""The names by which SQL knows the two."""


@contextmanager
def both(old: Path, new: Path) -> Iterator[sqlite3.Connection]:
    """A connection on which two indexes are attached, read-only, as `old` and `new`.

    Raises:
        IndexUnavailable: one of them is missing, damaged, foreign or of another version.
    """
    for path in (old, new):
        connect(path).close()  # says in plain words what is wrong with it
    conn = sqlite3.connect("file::memory:", uri=True)
    try:
        conn.row_factory = sqlite3.Row
        for path, name in ((old, OLD), (new, NEW)):
            uri = f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1"
            conn.execute(f"ATTACH ? AS {name}", (uri,))
        yield conn
    finally:
        conn.close()


def index_name(conn: sqlite3.Connection, which: str, database: Path) -> IndexName:
    """What an index says of itself."""
    meta = dict(conn.execute(queries("diff")["meta"].format(db=which)).fetchall())
    return IndexName(
        str(database), meta.get("torch_version"), meta.get("git_commit"), meta.get("source_root")
    )


def missing_layers(conn: sqlite3.Connection) -> dict[str, str]:
    """Layers that one of the two lacks: without rows, everything would seem to be new."""
    found = {}
    for which in (OLD, NEW):
        rows = conn.execute(queries("diff")["layers"].format(db=which)).fetchall()
        there = {row["layer"]: row["status"] for row in rows}
        for layer in ("operators", "native", "python", "tests", "compile"):
            if there.get(layer, "skipped") == "skipped":
                found[layer] = (
                    f"layer {layer} is not in the {'first' if which == OLD else 'second'} index"
                )
    return found
