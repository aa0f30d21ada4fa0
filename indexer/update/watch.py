"""Which functions and calls are not what they were when watching began: noted by triggers, whoever changes them."""

from __future__ import annotations

import sqlite3
from collections.abc import Set
from typing import NamedTuple

from indexer.write.clang_base import Call

_FUNCTION = ("name", "kind", "file_id", "line", "origin", "macro", "scope")
"""What link steps ask of a function besides its id."""

_KIND = "replace({0}.kind, 'stub', 'variable')"
"""A variable is a stub where something calls it: a link step says so, and it is said anew before that runs."""


class ChangedFunction(NamedTuple):
    """A function that came, went or is another.

    Args:
        id: in the table.
        before: what it was called, its kind and its file; None where there was none.
        now: the same of now.
    """

    id: int
    before: tuple[str, str, int] | None
    now: tuple[str, str, int] | None


class Watch:
    """Notes what changes in a database from now on; temporary tables of the same names are not seen.

    Args:
        conn: of the database.
    """

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn = conn
        conn.execute("PRAGMA temp_store = MEMORY")
        # Rows that are replaced are taken out without a word otherwise.
        conn.execute("PRAGMA recursive_triggers = ON")
        conn.execute(
            "CREATE TEMP TABLE watched_calls (caller_id, callee_id, line, code, was,"
            " PRIMARY KEY (caller_id, callee_id, line, code)) WITHOUT ROWID"
        )
        conn.execute(
            f"CREATE TEMP TABLE watched_functions (id INTEGER PRIMARY KEY, {', '.join(_FUNCTION)}, was)"
        )
        conn.execute("CREATE TEMP TABLE watched_callers (id INTEGER PRIMARY KEY)")
        # What happens first tells what there was before. Without OR IGNORE, which the statement outside decides.
        for event, row, was in (
            ("INSERT", "NEW", 0), ("DELETE", "OLD", 1), ("UPDATE", "OLD", 1), ("UPDATE", "NEW", 0),
        ):  # fmt: skip
            ends = f"{row}.caller_id, {row}.callee_id, {row}.line, {row}.code"
            self._on(
                event, row, "calls",
                f"INSERT INTO watched_calls SELECT {ends}, {was} WHERE NOT EXISTS (SELECT 1 FROM watched_calls"
                f" WHERE (caller_id, callee_id, line, code) = ({ends}))",
            )  # fmt: skip
            values = ", ".join(f"{row}.{name}" for name in _FUNCTION)
            self._on(
                event, row, "functions",
                f"INSERT INTO watched_functions SELECT {row}.id, {values}, {was}"
                f" WHERE NOT EXISTS (SELECT 1 FROM watched_functions WHERE id = {row}.id)",
            )  # fmt: skip
            self._on(
                event, row, "operator_calls",
                f"INSERT INTO watched_callers SELECT {row}.caller_id"
                f" WHERE NOT EXISTS (SELECT 1 FROM watched_callers WHERE id = {row}.caller_id)",
            )  # fmt: skip

    def _on(self, event: str, row: str, table: str, statement: str) -> None:
        name = f"watch_{table}_{event}_{row}".lower()
        self._conn.execute(
            f"CREATE TEMP TRIGGER {name} AFTER {event} ON main.{table} BEGIN {statement}; END"
        )

    def end(self) -> None:
        """Forget all of it."""
        for (name,) in self._conn.execute(
            "SELECT name FROM temp.sqlite_master WHERE type = 'trigger' AND name GLOB 'watch_*'"
        ).fetchall():
            self._conn.execute(f"DROP TRIGGER temp.{name}")
        for table in ("watched_calls", "watched_functions", "watched_callers"):
            self._conn.execute(f"DROP TABLE temp.{table}")

    def calls(self) -> tuple[Set[Call], Set[Call]]:
        """The calls that are gone, and those that came."""
        found: tuple[set[Call], set[Call]] = set(), set()
        for *call, was in self._conn.execute(
            "SELECT w.caller_id, w.callee_id, w.line, w.code, w.was FROM temp.watched_calls AS w"
            " WHERE w.was <> EXISTS (SELECT 1 FROM main.calls AS c WHERE c.caller_id = w.caller_id"
            " AND c.callee_id = w.callee_id AND c.line = w.line AND c.code = w.code)"
        ):
            found[0 if was else 1].add(tuple(call))
        return found

    def functions(self) -> list[ChangedFunction]:
        """The functions that are another in anything that link steps ask, by id."""
        kinds = {table: _KIND.format(table) for table in "uw"}
        before, now = (
            ", ".join(kinds[table] if name == "kind" else f"{table}.{name}" for name in _FUNCTION)
            for table in "wu"
        )
        rows = self._conn.execute(
            f"SELECT w.id, w.was, w.name, {kinds['w']}, w.file_id, u.id IS NOT NULL, u.name, {kinds['u']}, u.file_id"
            " FROM temp.watched_functions AS w LEFT JOIN main.functions AS u ON u.id = w.id"
            f" WHERE w.was <> (u.id IS NOT NULL) OR (w.was AND ({before}) IS NOT ({now})) ORDER BY w.id"
        )
        return [
            ChangedFunction(row[0], row[2:5] if row[1] else None, row[6:9] if row[5] else None)
            for row in rows
        ]

    def operator_callers(self) -> set[int]:
        """Functions of whose calls of operators some were written or taken out."""
        return {n for (n,) in self._conn.execute("SELECT id FROM temp.watched_callers")}
