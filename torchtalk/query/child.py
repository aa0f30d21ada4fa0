"""The process that runs one query: reads a request from stdin, writes what came of it to stdout.

It is started as a file, isolated (`python -I -S`), and needs nothing but the standard library, so
that it is there in milliseconds. What bounds it, from the inside out: the file is opened
read-only, SQLite's authorizer allows reading and harmless functions only, SQLite's own limits hold
values and statements small, a progress handler ends it in time; and should a single step of SQLite
take longer or more than foreseen, the kernel ends the process (timer, address space, no writing).
"""

from __future__ import annotations

import contextlib
import json
import math
import resource
import signal
import sqlite3
import sys
import time
from typing import Any
from urllib.parse import quote

SECONDS = 1.5
"""How long a query may take (wall clock)."""

_ALARM = SECONDS + 0.3  # for a single step of SQLite that does not end
_MEMORY = 512 << 20  # bytes of address space, Python's own included
_CELL = 4_000  # characters of one value
_CELLS = 400_000  # characters of all values together
_COUNTED = 1_000_000  # rows that are stepped over to know the total
_COUNTING = 0.5  # seconds for it

# Longest value (the index's own are below 20,000), statement and pattern: what a single step of
# SQLite costs grows with their product. https://www.sqlite.org/limits.html
_LIMITS = {
    "SQLITE_LIMIT_LENGTH": 100_000,
    "SQLITE_LIMIT_SQL_LENGTH": 20_000,
    "SQLITE_LIMIT_COLUMN": 200,
    "SQLITE_LIMIT_EXPR_DEPTH": 200,
    "SQLITE_LIMIT_COMPOUND_SELECT": 50,
    "SQLITE_LIMIT_FUNCTION_ARG": 100,
    "SQLITE_LIMIT_ATTACHED": 0,
    "SQLITE_LIMIT_LIKE_PATTERN_LENGTH": 500,
    "SQLITE_LIMIT_TRIGGER_DEPTH": 1,
    "SQLITE_LIMIT_WORKER_THREADS": 0,
}

# Action codes of https://www.sqlite.org/c3ref/c_alter_table.html; Python names them, but not all.
_PRAGMA, _READ, _SELECT, _FUNCTION, _RECURSIVE = 19, 20, 21, 31, 33

FUNCTIONS = frozenset(
    """
    abs char coalesce concat concat_ws format glob hex iif if ifnull instr length like likelihood
    likely lower ltrim max min nullif octet_length printf quote replace round rtrim sign substr
    substring trim typeof unhex unicode unlikely upper
    avg count group_concat string_agg sum total median percentile percentile_cont percentile_disc
    row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value
    nth_value
    date time datetime julianday strftime unixepoch timediff current_date current_time
    current_timestamp
    ceil ceiling exp floor ln log log10 log2 mod pi pow power sqrt trunc
    json json_array json_array_length json_each json_error_position json_extract json_group_array
    json_group_object json_insert json_object json_patch json_pretty json_quote json_remove
    json_replace json_set json_tree json_type json_valid -> ->>
    match bm25 highlight snippet
    sqlite_version random
    """.split()
)
"""Functions of SQLite that neither touch anything outside of a query nor make values from nothing."""

# `data_version` is what FTS5 asks for itself.
_PRAGMAS = frozenset(
    "table_info table_xinfo table_list index_list index_info index_xinfo foreign_key_list "
    "data_version".split()
)
_TABLES = frozenset(
    ["sqlite_master", "sqlite_schema", "json_each", "json_tree", *(f"pragma_{p}" for p in _PRAGMAS)]
)


class Guard:
    """SQLite's authorizer: what is not allowed is refused, and remembered for the message."""

    def __init__(self, tables: frozenset[str]) -> None:
        self._tables = tables | _TABLES
        self.read: set[str] = set()
        self.refused: list[str] = []

    def __call__(
        self, action: int, first: str | None, second: str | None, schema: str | None, by: str | None
    ) -> int:
        """SQLite's question while it prepares a statement."""
        if action in (_SELECT, _RECURSIVE):
            return sqlite3.SQLITE_OK
        if action == _FUNCTION:
            if (second or "").lower() in FUNCTIONS:
                return sqlite3.SQLITE_OK
            self.refused.append(f"function {second}")
        elif action == _READ:
            name = (first or "").lower()
            # Without a column it may be the name of a CTE.
            if schema in ("main", None) and (name in self._tables or not second):
                self.read.add(name)
                return sqlite3.SQLITE_OK
            self.refused.append(f"table {first}")
        elif action == _PRAGMA:
            # Those that read do so with an argument as well; none of them can set anything.
            if (first or "").lower() in _PRAGMAS:
                return sqlite3.SQLITE_OK
            self.refused.append(f"PRAGMA {first}")
        else:
            self.refused.append("")
        return sqlite3.SQLITE_DENY


def run(path: str, query: str, limit: int) -> dict[str, Any]:
    """Run a query on an index.

    Args:
        path: of the file.
        query: one statement.
        limit: most rows to return; more are only counted.

    Returns:
        `columns`, `rows`, `total`, `complete` (the total is exact), `stopped` (time ran out
        before `limit` rows were there), `full` (rows were left out for their size), `cut` (values
        that were cut), `read` (tables and views); or `error`, its `kind` and `refused`.
    """
    conn = sqlite3.connect(f"file:{quote(path)}?mode=ro&immutable=1", uri=True)
    conn.text_factory = lambda data: data.decode("utf-8", "replace")
    for pragma in (
        "query_only = ON",
        "trusted_schema = OFF",
        "temp_store = MEMORY",
        "mmap_size = 0",
    ):
        conn.execute(f"PRAGMA {pragma}").fetchall()
    guard = Guard(_names(conn))
    if hasattr(conn, "setlimit"):  # Python 3.11; before it, the address space is the limit
        for name, value in _LIMITS.items():
            conn.setlimit(getattr(sqlite3, name), value)
    end = time.monotonic() + SECONDS
    conn.set_authorizer(guard)
    conn.set_progress_handler(lambda: time.monotonic() > end, 1_000)
    found = _Rows(limit)
    try:
        cursor = conn.execute(query)
        found.columns = [str(column[0]) for column in cursor.description or ()]
        for row in cursor:
            if not found.take(row):
                break
    except (sqlite3.Error, sqlite3.Warning, MemoryError, ValueError) as error:
        late = "interrupted" in str(error) or isinstance(error, MemoryError)
        if not (late and found.total):
            return {"error": str(error), "kind": type(error).__name__, "refused": guard.refused[:1]}
        found.stopped = found.total < limit
        found.complete = False
    return {
        "columns": found.columns, "rows": found.rows, "total": found.total,
        "complete": found.complete, "stopped": found.stopped, "full": found.full,
        "cut": found.cut, "read": sorted(guard.read),
    }  # fmt: skip


def _names(conn: sqlite3.Connection) -> frozenset[str]:
    """The tables and views there are. Virtual ones are made ready: the authorizer, which sees no
    difference between that and making a table, would refuse it.
    """
    found = set()
    virtual = ["json_each", "json_tree", *(f"pragma_{name}" for name in _PRAGMAS)]
    rows = conn.execute("SELECT name, sql FROM sqlite_master WHERE type IN ('table', 'view')")
    for name, sql in rows.fetchall():
        found.add(str(name).lower())
        if (sql or "").startswith("CREATE VIRTUAL TABLE"):
            virtual.append(name)
    for name in virtual:
        with contextlib.suppress(sqlite3.Error):  # a module that this SQLite does not have
            quoted = str(name).replace('"', '""')
            conn.execute(f'SELECT 1 FROM "{quoted}" LIMIT 0').fetchall()
    return frozenset(found)


class _Rows:
    """Rows within the bounds, and how many there are in all."""

    def __init__(self, limit: int) -> None:
        self.columns: list[str] = []
        self.rows: list[list[Any]] = []
        self.total = 0
        self.complete = True
        self.stopped = False
        self.full = False
        self.cut = 0
        self._limit = limit
        self._size = 0
        self._end = math.inf

    def take(self, row: tuple[Any, ...]) -> bool:
        """Add a row or only count it; False when no more are to be counted."""
        self.total += 1
        if len(self.rows) < self._limit and not self.full:
            values = [self._value(value) for value in row]
            self._size += sum(len(value) if isinstance(value, str) else 8 for value in values)
            # One row is always shown: each of its values is bounded.
            self.full = self._size > _CELLS and bool(self.rows)
            if not self.full:
                self.rows.append(values)
        if self.total == self._limit:
            self._end = time.monotonic() + _COUNTING
        if self.total < _COUNTED and (self.total % 1_000 or time.monotonic() < self._end):
            return True
        self.complete = False
        return False

    def _value(self, value: Any) -> Any:
        if isinstance(value, bytes):
            value = f"x'{value[: _CELL + 1].hex()}'"
        elif isinstance(value, float) and not math.isfinite(value):
            value = str(value)  # JSON has no word for it
        if isinstance(value, str) and len(value) > _CELL:
            self.cut += 1
            return value[:_CELL] + "…"
        return value


def _confine() -> None:
    """What the kernel holds against this process."""
    signal.setitimer(signal.ITIMER_REAL, _ALARM)
    for what, most in (
        (resource.RLIMIT_AS, _MEMORY),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, math.ceil(_ALARM) + 1),
    ):
        hard = resource.getrlimit(what)[1]
        if hard == resource.RLIM_INFINITY or hard > most:
            resource.setrlimit(what, (most, most))


def main() -> None:
    """One request, one result, both JSON."""
    request = json.load(sys.stdin)
    _confine()
    try:
        found = run(request["path"], request["query"], request["limit"])
    except sqlite3.Error as error:  # the file itself
        found = {"error": str(error), "kind": type(error).__name__, "refused": []}
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
