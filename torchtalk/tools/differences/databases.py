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

_ORDINALS = {OLD: "first", NEW: "second"}


@contextmanager
def both(old: Path, new: Path) -> Iterator[sqlite3.Connection]:
    """A connection on which two indexes are attached, read-only, as `old` and `new`.

    Args:
        old: file of the first index.
        new: file of the second.

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
        differ = int(installed(conn) is not None)
        unread = int("native" in missing_layers(conn))
        script = queries("diff")["tellable"]
        for one, other in ((OLD, NEW), (NEW, OLD)):
            conn.executescript(script.format(db=one, other=other, differ=differ, unread=unread))
        yield conn
    finally:
        conn.close()


def index_name(conn: sqlite3.Connection, which: str, database: Path) -> IndexName:
    """What an index says of itself.

    Args:
        conn: both indexes.
        which: `OLD` or `NEW`.
        database: its file.
    """
    meta = _meta(conn, which)
    return IndexName(
        str(database), meta.get("torch_version"), meta.get("git_commit"), meta.get("source_root")
    )


def _meta(conn: sqlite3.Connection, which: str) -> dict[str, str]:
    return dict(conn.execute(queries("diff")["meta"].format(db=which)).fetchall())


def installed(conn: sqlite3.Connection) -> str | None:
    """Which of the two indexes on `conn` is of an installed package, if the other is of a source tree; else None."""
    there = [which for which in (OLD, NEW) if _meta(conn, which).get("source_kind") == "installed"]
    return there[0] if len(there) == 1 else None


def missing_layers(conn: sqlite3.Connection) -> dict[str, str]:
    """What one of two indexes lacks: without rows in it, everything would seem to be new.

    Args:
        conn: both indexes.

    Returns:
        Sentences by layers, and by sections of the diff.
    """
    found = {}
    which_package = installed(conn)
    if which_package is not None:
        found["tests"] = f"the {_ORDINALS[which_package]} index is of an installed package"
    for which in (OLD, NEW):
        rows = conn.execute(queries("diff")["layers"].format(db=which)).fetchall()
        there = {row["layer"]: row["status"] for row in rows}
        for layer in ("operators", "native", "python", "tests", "compile"):
            if there.get(layer, "skipped") == "skipped":
                found[layer] = f"layer {layer} is not in the {_ORDINALS[which]} index"
        if not conn.execute(queries("diff")["has_formulas"].format(db=which)).fetchone()[0]:
            found["derivatives"] = (
                f"the tree of the {_ORDINALS[which]} index has no derivatives.yaml"
            )
    return found


def untold(conn: sqlite3.Connection) -> tuple[str, ...]:
    """What cannot be compared of the two indexes on `conn` although both have the layer, in sentences."""
    which = installed(conn)
    if which is None:
        return ()
    return (
        f"the {_ORDINALS[which]} index is of an installed package, which has no C++ sources: operators and"
        " kernels that C++ registers, kernels' places and names that C++ binds by hand are not compared,"
        " nor is Python that is not installed",
    )
