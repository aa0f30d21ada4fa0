"""The table `kept`: what files say before it is linked, a value for each kind and file.

A row's id is made of both, so that no index of them takes room: what is of one kind lies together, in the order of the
files.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator

KINDS = (
    "calls",
    "made calls",
    "python calls",
    "lost",
    "lost made",
    "fields",
    "slots",
    "functions",
    "stub_registrations",
    "stub_callers",
    "bindings",
    "kernels",
    "launches",
    "opinfos",
    "opinfo_list_parts",
    "test_instantiations",
    "graph_breaks",
    "pending_blocks",
    "pending_python",
    "pending_helpers",
    "pending_names",
    "python_body_methods",
    "graph_break_codes",
    "names as read",
)
"""In the order of their numbers, which are in the file: a new one comes last."""

_FILES = 1 << 32
"""So many ids has a kind, one for each id of a file."""
_NUMBERS = {kind: number for number, kind in enumerate(KINDS)}


def base_of(kind: str) -> int:
    """What is added to the id of a file for the id of its row.

    Args:
        kind: one of `KINDS`.
    """
    return _NUMBERS[kind] * _FILES


def put_kept(conn: sqlite3.Connection, kind: str, values: Iterable[tuple[int, bytes]]) -> None:
    """Keep values of some files, instead of those that are kept of them.

    Args:
        conn: the database being built.
        kind: of the values.
        values: ids of files, each with its value.
    """
    base = base_of(kind)
    conn.executemany(
        "INSERT OR REPLACE INTO kept VALUES (?, ?)", ((base + file, data) for file, data in values)
    )


def kept_values(
    conn: sqlite3.Connection, kind: str, files: Collection[int] | None = None
) -> Iterator[tuple[int, bytes]]:
    """The values of a kind, by file, in the order of the files.

    Args:
        conn: an index.
        kind: of the values.
        files: ids; None for all.
    """
    base = base_of(kind)
    if files is None:
        wanted = "BETWEEN :base AND :base + 4294967295"
    else:
        wanted = "IN (SELECT :base + value FROM json_each(:files))"
    parameters = {"base": base, "files": json.dumps(sorted(files or ()))}
    yield from conn.execute(
        f"SELECT id - :base, data FROM kept WHERE id {wanted} ORDER BY id", parameters
    )


def kept_sizes(conn: sqlite3.Connection, kind: str) -> list[tuple[int, int]]:
    """The files that values are kept of, in their order, and how many bytes that is.

    Args:
        conn: an index.
        kind: of the values.
    """
    base = base_of(kind)
    return conn.execute(
        "SELECT id - ?, length(data) FROM kept WHERE id BETWEEN ? AND ? ORDER BY id",
        (base, base, base + _FILES - 1),
    ).fetchall()


def removal(kind: str) -> str:
    """The statement that removes all values of a kind."""
    base = base_of(kind)
    return f"DELETE FROM kept WHERE id BETWEEN {base} AND {base + _FILES - 1}"


def remove_kept(conn: sqlite3.Connection, files: Collection[int]) -> None:
    """Remove what is kept of some files, of every kind.

    Args:
        conn: the database being built.
        files: ids.
    """
    conn.executemany(
        "DELETE FROM kept WHERE id = ?",
        ((number * _FILES + file,) for number in range(len(KINDS)) for file in files),
    )
