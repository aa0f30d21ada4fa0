"""Bringing the fast layers up to date in a database that has the semantic layer, without taking it out.

What it has changed is hidden behind temporary tables and a view of the same names, which SQLite prefers: whoever
reads `calls` or `functions` meanwhile sees what a database without the layer has, and what he writes there is taken
over afterwards.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Set
from typing import Any, NamedTuple

from indexer.write.clang_base import REPLACED, BaseCalls, Call, base_rows, kept_base, own_ids

_DEFAULTS = {name: f"coalesce(NEW.{name}, 0)" for name in ("is_anonymous", "is_exact")}
_ALL = "functions_all"
_HIDDEN = {"is_exact": "0", "origin": "CASE WHEN macro IS NULL THEN 'syntax' ELSE 'macro' END"}

Rows = dict[str, list[tuple[Any, ...]]]
# What steps 48, 84 and 85 fill nobody asks for before they run again, when this layer is shown.
_OF_CALLS = (
    "calls",
    "launching_functions",
    "stub_functions",
    "library_functions",
    "gpu_launching_functions",
)
_SMALL = tuple(t for t in REPLACED if t not in _OF_CALLS)


class Shown(NamedTuple):
    """What a database without the layer has now.

    Args:
        rows: of the tables that the layer changes, besides calls.
        removed: calls that there are no more.
        added: calls that there were not.
    """

    rows: Rows
    removed: set[Call]
    added: set[Call]


class Hidden:
    """The layer, hidden until `show`.

    Of the many calls only those are at hand that `load` was asked for.

    Args:
        conn: of a database that has the layer and may be changed.

    Attributes:
        before: rows in the place of what the layer changed, besides calls.
        calls: the calls.
    """

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn = conn
        self.calls = BaseCalls(conn)
        self._loaded: set[Call] = set()
        conn.execute("PRAGMA temp_store = MEMORY")
        self.before: Rows = {
            table: [tuple(row) for row in kept_base(conn, table)] for table in _SMALL
        }
        for table in REPLACED:
            _shadow(conn, table, self.before.get(table, []))
        self._hide_functions()

    def _hide_functions(self) -> None:
        conn = self._conn
        first = own_ids(conn)["functions"]
        # Those that SQLite computes are read alone.
        written = [str(row[1]) for row in conn.execute("PRAGMA main.table_info(functions)")]
        every = [str(row[1]) for row in conn.execute("PRAGMA main.table_xinfo(functions)")]
        columns = ", ".join(written)
        seen = ", ".join(
            f"{_HIDDEN[name]} AS {name}" if name in _HIDDEN else name for name in every
        )
        conn.execute(
            f"CREATE TEMP VIEW functions AS SELECT {seen} FROM main.functions WHERE id < {first:d}"
        )
        new = ", ".join(_DEFAULTS.get(name, f"NEW.{name}") for name in written)
        # What clang has seen stays so, where nobody says otherwise.
        values = {name: f"NEW.{name}" for name in written}
        values["is_exact"] = "max(is_exact, NEW.is_exact)"
        changed = ", ".join(f"{name} = {value}" for name, value in values.items())
        # A trigger names no schema. One of the main schema means that schema's tables.
        conn.execute(f"CREATE VIEW main.{_ALL} AS SELECT {columns} FROM functions")
        for event, inside, outside in (
            ("INSERT", f"INSERT INTO functions ({columns}) VALUES ({new})",
             f"INSERT INTO {_ALL} ({columns}) VALUES ({new})"),
            ("UPDATE", f"UPDATE functions SET {changed} WHERE id = OLD.id",
             f"UPDATE {_ALL} SET {changed} WHERE id = OLD.id"),
            ("DELETE", "DELETE FROM functions WHERE id = OLD.id",
             f"DELETE FROM {_ALL} WHERE id = OLD.id"),
        ):  # fmt: skip
            for schema, view, statement in (("main", _ALL, inside), ("temp", "functions", outside)):
                conn.execute(
                    f"CREATE TRIGGER {schema}.{view}_{event.lower()} INSTEAD OF {event} ON {view}"
                    f" BEGIN {statement}; END"
                )

    def load(self, callers: Set[int] | None, callees: Set[int]) -> None:
        """Have calls at hand in `calls`, besides those that are.

        Args:
            callers: ids of the functions whose calls are wanted; None for all calls.
            callees: ids of functions whose callers are wanted besides.
        """
        wanted = self.calls.rows() if callers is None else self.calls.of(callers, callees)
        rows = set(wanted) - self._loaded
        self._loaded |= rows
        self._conn.executemany("INSERT OR IGNORE INTO temp.calls VALUES (?, ?, ?, ?)", sorted(rows))

    def show(self, *, all_calls: bool) -> Shown:
        """Show the layer again; what a database without it has now in the place of what it changed.

        Args:
            all_calls: whether all calls were resolved anew.
        """
        conn = self._conn
        # As step 47 does, which runs when this layer is there again.
        conn.execute(
            "UPDATE OR IGNORE temp.calls SET code = code & 24 | 6 WHERE kind = 'call' AND origin <> 'clang'"
            " AND callee_id IN (SELECT id FROM main.functions WHERE kind = 'kernel')"
        )
        now: set[Call] = set(base_rows(conn, "calls"))
        before = set(self.calls.rows()) if all_calls else self._loaded
        after: Rows = {table: base_rows(conn, table) for table in _SMALL}
        conn.execute("DROP VIEW temp.functions")
        conn.execute(f"DROP VIEW main.{_ALL}")
        for table in REPLACED:
            conn.execute(f"DROP TABLE temp.{table}")
        return Shown(after, before - now, now - before)


def _shadow(conn: sqlite3.Connection, table: str, rows: list[tuple[Any, ...]]) -> None:
    """Have a temporary table of the same name and indexes."""
    sql = "SELECT sql FROM main.sqlite_master WHERE type = 'table' AND name = ?"
    created = str(conn.execute(sql, (table,)).fetchone()[0])
    conn.execute(created.replace(f"CREATE TABLE {table}", f"CREATE TEMP TABLE {table}", 1))
    if rows:
        places = ", ".join("?" * len(rows[0]))
        conn.executemany(f"INSERT INTO temp.{table} VALUES ({places})", rows)
    for name, index in _indexes(conn, table):
        conn.execute(index.replace(f"INDEX {name}", f"INDEX temp.{name}", 1))


def _indexes(conn: sqlite3.Connection, table: str) -> list[tuple[str, str]]:
    return conn.execute(
        "SELECT name, sql FROM main.sqlite_master WHERE type = 'index' AND sql IS NOT NULL AND tbl_name = ?",
        (table,),
    ).fetchall()
