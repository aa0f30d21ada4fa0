"""An index as plain rows that are equal exactly if two indexes say the same in the same order.

Ids of files and of what they hold leave room for others, so that two indexes of one tree may differ in them; their
order may not. They are replaced by their rank, everywhere they are referred to.
"""

from __future__ import annotations

import bisect
import sqlite3
from collections import defaultdict
from pathlib import Path
from typing import Any

from indexer.link.cpp.out_of_class import AS_READ
from indexer.update.kept import kept_columns, kept_rows
from indexer.write.calls import MADE, PYTHON, WRITTEN, kept_calls
from indexer.write.cpp import FIELDS, SLOTS
from indexer.write.kept import KINDS, kept_values
from indexer.write.packed import unpack

RANKED = (
    "source_files", "functions", "cpp_classes", "macro_definitions", "macro_uses",
    "python_modules", "python_classes", "python_functions", "python_bindings",
)  # fmt: skip

_IDS = ("id", "function_id")
_LEFT_OUT = ("kept", "sqlite_stat1", "sqlite_stat4")


def dump(path: Path) -> dict[str, list[Any]]:
    """The rows of every table, by table."""
    conn = sqlite3.connect(path)
    try:
        return _dump(conn)
    finally:
        conn.close()


def differences(one: dict[str, list[Any]], two: dict[str, list[Any]]) -> list[str]:
    """What is in one of two dumps only; empty if they are equal."""
    found = []
    for table in sorted({*one, *two}):
        a, b = one.get(table, []), two.get(table, [])
        if a == b:
            continue
        # By their text: a whole tree's tables are too long to look for each row in the other list.
        in_a, in_b = {repr(row) for row in a}, {repr(row) for row in b}
        only = [r for r in a if repr(r) not in in_b][:3], [r for r in b if repr(r) not in in_a][:3]
        found.append(f"{table}: {len(a)} and {len(b)} rows; {only[0]} | {only[1]}")
    return found


def _dump(conn: sqlite3.Connection) -> dict[str, list[Any]]:
    ranks = {
        table: {
            row[0]: n for n, row in enumerate(conn.execute(f"SELECT id FROM {table} ORDER BY id"))
        }
        for table in RANKED
    }
    tables = [
        name
        for name, sql in conn.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
        if sql and "VIRTUAL" not in sql and not _is_shadow(name) and name not in _LEFT_OUT
    ]
    found = {table: _rows(conn, table, ranks) for table in tables}
    found["meta"] = [row for row in found["meta"] if row[0] != "built_at"]
    # A name's number says nothing; the other kinds' are what the word indexes refer to.
    found["names"] = sorted(row[1:] for row in found["names"])
    found["kept"] = _kept(conn)
    found["edges"] = sorted(
        (*(_node(node, ranks) for node in row[:2]), *row[2:]) for row in found["edges"]
    )
    for index in ("names_words", "names_trigrams", "tests_words"):
        conn.execute(f"INSERT INTO {index} ({index}) VALUES ('integrity-check')")
    for index in ("names_words", "names_trigrams", "tests_words", "tests_bodies"):
        conn.execute(
            f"CREATE VIRTUAL TABLE temp.{index}_vocabulary USING fts5vocab(main, {index}, 'row')"
        )
        found[index] = conn.execute(f"SELECT * FROM temp.{index}_vocabulary").fetchall()
    return found


def _node(node: int, ranks: dict[str, dict[int, int]]) -> tuple[int, int]:
    """A node of the graph: which table it is of, and its number there (schema.sql, `edges`)."""
    table = {0: "functions", 4: "python_functions", 5: "python_classes"}.get(node & 15)
    return node & 15, ranks[table][node >> 4] if table else node >> 4


def _is_shadow(name: str) -> bool:
    indexes = ("names_words", "names_trigrams", "tests_words", "tests_bodies")
    return name.startswith(tuple(f"{index}_" for index in indexes))


def _rows(conn: sqlite3.Connection, table: str, ranks: dict[str, dict[int, int]]) -> list[Any]:
    columns = [row[1] for row in conn.execute(f"PRAGMA table_info({table})")]
    of: dict[str, dict[int, int]] = {
        row[3]: ranks[row[2]]
        for row in conn.execute(f"PRAGMA foreign_key_list({table})") if row[2] in ranks
    }  # fmt: skip
    if table in ranks:
        of["id"] = ranks[table]
    order = "" if table in ranks or "id" not in columns else " ORDER BY id"
    rows = [
        tuple(
            of[column][value] if column in of and value is not None else value
            for column, value in zip(columns, row, strict=True)
        )
        for row in conn.execute(f"SELECT {', '.join(columns)} FROM {table}{order}")
    ]
    return rows if order else sorted(rows, key=repr)


def _kept(conn: sqlite3.Connection) -> list[Any]:
    paths = dict(conn.execute("SELECT id, path FROM source_files"))
    functions, python = (
        [row[0] for row in conn.execute(f"SELECT id FROM {table} ORDER BY id")]
        for table in ("functions", "python_functions")
    )
    ids: dict[str, list[int]] = defaultdict(list, functions=functions)
    ids["python_body_methods"] = python
    found: list[Any] = []
    for what, file_id, data in ((kind, *row) for kind in KINDS for row in kept_values(conn, kind)):
        if what in ("lost", "lost made", FIELDS, SLOTS):
            found.append((what, paths[file_id], data))
            continue
        if what in (WRITTEN, MADE, PYTHON):
            of = python if what == PYTHON else functions
            for _, first, calls in kept_calls(conn, what, [file_id]):
                found.append((what, paths[file_id], bisect.bisect_left(of, first), calls))
            continue
        if what == AS_READ:
            rows = [[bisect.bisect_left(functions, row[0]), *row[1:]] for row in unpack(data)]
            found.append((what, paths[file_id], rows))
            continue
        for _, rows in kept_rows(conn, what, [file_id]):
            columns = kept_columns(conn, what)
            plain = [
                [_relative(*pair, file_id, ids[what]) for pair in zip(columns, row, strict=True)]
                for row in rows
            ]
            found.append((what, paths[file_id], plain))
    return sorted(found, key=repr)


def _relative(column: str, value: Any, file_id: int, ids: list[int]) -> Any:
    if column == "file_id":
        return value == file_id
    return bisect.bisect_left(ids, value) if column in _IDS else value
