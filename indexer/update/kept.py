"""What files say before it is linked: kept compressed, and put back where a link step is to run again.

Some link steps replace what was read by what it means, and some tables live only until they are linked. Both are
kept as rows of plain values, a table and file each.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from indexer.write.compile import open_codes
from indexer.write.kept import kept_values, put_kept
from indexer.write.packed import pack, unpack
from indexer.write.registrations import open_pending
from indexer.write.tests import create_unlinked


@dataclass(frozen=True)
class Kept:
    """A table whose rows are kept.

    Args:
        name: of the table.
        where: which rows; all others stay as they are when it is put back.
        keeps_ids: its ids belong to the file and are kept; otherwise the rows are numbered anew, in
            the order of the files.
        is_temporary: it is there only until it is linked.
        of_python: only Python files fill it, which are read last.
    """

    name: str
    where: str = "1"
    keeps_ids: bool = False
    is_temporary: bool = False
    of_python: bool = False


TABLES = (
    Kept("functions", "kind = 'macro'", keeps_ids=True),
    Kept("stub_registrations"),
    Kept("stub_callers"),
    Kept("bindings"),
    Kept("kernels"),
    Kept("launches"),
    Kept("opinfos", of_python=True),
    Kept("opinfo_list_parts", of_python=True),
    Kept("test_instantiations", of_python=True),
    Kept("graph_breaks", of_python=True),
    Kept("pending_blocks", is_temporary=True),
    Kept("pending_python", is_temporary=True),
    Kept("pending_helpers", is_temporary=True),
    Kept("pending_names", is_temporary=True),
    Kept("python_body_methods", is_temporary=True, of_python=True),
    Kept("graph_break_codes", is_temporary=True, of_python=True),
)
"""In the order in which they are kept."""

_BY_NAME = {table.name: table for table in TABLES}


def open_temporary(conn: sqlite3.Connection) -> None:
    """Make the tables of the connection `conn` that are there only until they are linked, where they are not."""
    open_pending(conn)
    create_unlinked(conn)
    open_codes(conn)


def keep(
    conn: sqlite3.Connection,
    files: Collection[int] | None = None,
    of_python: bool | None = None,
) -> None:
    """Keep what is to be linked, before it is.

    Args:
        conn: the database being built.
        files: those whose rows are kept; None means all.
        of_python: whether it is the tables that only Python files fill; None means all tables.
    """
    open_temporary(conn)
    for table in TABLES:
        if of_python is not None and table.of_python is not of_python:
            continue
        for file_id, rows in groupby(_rows(conn, table, files), key=lambda row: int(row[0])):
            put_kept(conn, table.name, [(file_id, pack([row[1:] for row in rows]))])


def kept_rows(
    conn: sqlite3.Connection, name: str, files: Collection[int] | None = None
) -> Iterator[tuple[int, list[list[Any]]]]:
    """The kept rows of a table by file, in the order of the files; None means all of them.

    Args:
        conn: an index.
        name: of the table.
        files: ids; None for all.
    """
    for file_id, data in kept_values(conn, name, files):
        yield file_id, unpack(data)


def put_back(conn: sqlite3.Connection, name: str) -> None:
    """Make a table what it was before it was linked.

    Args:
        conn: the database.
        name: of the table, one of those that are kept.

    Raises:
        KeyError: it is none of these.
    """
    table = _BY_NAME[name]
    if table.is_temporary:
        open_temporary(conn)
    columns = _columns(conn, table)
    where = table.where if table.keeps_ids else "1"
    conn.execute(f"DELETE FROM {name} WHERE {where}")
    statement = (
        f"INSERT OR REPLACE INTO {name} ({', '.join(columns)})"
        f" VALUES ({', '.join('?' * len(columns))})"
    )
    for _, rows in kept_rows(conn, name):
        conn.executemany(statement, rows)


def kept_columns(conn: sqlite3.Connection, name: str) -> list[str]:
    """The names of the values in each row that is kept of a table.

    Args:
        conn: the database.
        name: of the table, one of those that are kept.

    Raises:
        KeyError: it is none of these.
    """
    open_temporary(conn)
    return _columns(conn, _BY_NAME[name])


def _columns(conn: sqlite3.Connection, table: Kept) -> list[str]:
    # Of the table itself: while a layer is hidden (indexer/update/hidden.py), a view of its name has more.
    of = table.name, "temp" if table.is_temporary else "main"
    names = [row[0] for row in conn.execute("SELECT name FROM pragma_table_info(?, ?)", of)]
    return names if table.keeps_ids or table.is_temporary else [n for n in names if n != "id"]


def _rows(
    conn: sqlite3.Connection, table: Kept, files: Collection[int] | None
) -> Iterator[tuple[Any, ...]]:
    chosen = None if files is None else json.dumps(sorted(files))
    order = "id" if table.keeps_ids else "rowid"
    return conn.execute(
        f"SELECT file_id, {', '.join(_columns(conn, table))} FROM {table.name} WHERE {table.where}"
        " AND (:files IS NULL OR file_id IN (SELECT value FROM json_each(:files)))"
        f" ORDER BY file_id, {order}",
        {"files": chosen},
    )
