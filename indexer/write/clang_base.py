"""What the semantic layer replaces, kept so that it can be taken out again.

The other layers are rebuilt and updated without regard to this one: whoever changes them takes it out first, and has
the rows that were there before it, with their ids.
"""

from __future__ import annotations

import bisect
import contextlib
import json
import sqlite3
import zlib
from array import array
from collections.abc import Iterator, Mapping, Set
from typing import Any

from indexer.facts.columns import from_planes, planes
from indexer.write.ids import MADE

REPLACED = (
    "calls", "operator_calls", "operator_functions", "stub_callers", "stub_registrations", "launching_functions",
    "stub_functions", "library_functions", "gpu_launching_functions", "coverage", "meta",
)  # fmt: skip
"""Tables of other layers that this one changes."""

_OWN = ("function_usrs", "function_overrides", "semantic_stub_kernels", "semantic_base")
_GROWING = ("functions", "source_files")
"""Tables that it only adds rows to, behind those that were there."""

_LATER = "calls since"
"""What is kept of calls that changed since all were packed: those that are gone, and those that came."""

_MOST_LATER = 20_000
"""With more of them, all are packed anew."""

Call = tuple[int, int, int, int]
"""A row of `calls`: caller, callee, line, code."""

_ROOM = 1 << 16
"""So many ids are left for functions and files that the tree gets before the layer is written anew."""

_BEYOND = MADE + (1 << 29)
"""Behind all functions that macros make, however many uses an edit adds."""

_LEVEL = 6  # of zlib: 90,000 calls of operators take 40 ms, and an eighth less space than with 4


def keep_base(conn: sqlite3.Connection) -> None:
    """Keep what the layer will replace, in `semantic_base`.

    Args:
        conn: of a database in which nothing of the layer is written yet.
    """
    first = first_ids(conn)
    rows = [("last ids", _packed([[table, number - 1] for table, number in first.items()]))]
    for table in REPLACED:
        rows.append((table, packed_base(table, base_rows(conn, table))))
    conn.executemany("INSERT INTO semantic_base (name, content) VALUES (?, ?)", rows)


def first_ids(conn: sqlite3.Connection) -> dict[str, int]:
    """From where on the layer's own rows of `functions` and `source_files` are numbered.

    There is room below: the tree's own may grow meanwhile, and macros make functions of high numbers.

    Args:
        conn: of a database without the layer.
    """
    functions, files = (
        int(conn.execute(f"SELECT coalesce(max(id), 0) FROM {table}").fetchone()[0])
        for table in _GROWING
    )
    return {"functions": max(functions + _ROOM, _BEYOND), "source_files": files + _ROOM}


def base_rows(conn: sqlite3.Connection, table: str) -> list[tuple[Any, ...]]:
    """The rows of `table` in the database `conn` as they are to be kept."""
    return conn.execute(f"SELECT {', '.join(_columns(conn, table))} FROM {table}").fetchall()


class BaseCalls:
    """The calls of a database without the layer; what changed of them since they were packed is kept beside them.

    Args:
        conn: of a database that has the layer.
    """

    def __init__(self, conn: sqlite3.Connection) -> None:
        kept = dict(
            conn.execute(
                "SELECT name, content FROM semantic_base WHERE name IN ('calls', ?)", (_LATER,)
            )
        )
        self._columns = _columns_of(kept["calls"])
        later = _unpacked(kept[_LATER]) if _LATER in kept else [[], []]
        self._removed, self._added = ({tuple(row) for row in rows} for rows in later)
        self._is_sorted: bool | None = None

    def rows(self) -> list[Call]:
        """All of them."""
        packed = zip(*self._columns, strict=True)
        left = set(packed).difference(self._removed) if self._removed else packed
        return sorted((*left, *self._added))

    def of(self, callers: Set[int], callees: Set[int] = frozenset()) -> list[Call]:
        """Those of some callers, and those that lead to some callees."""
        first, second, lines, codes = self._columns
        at = set(self._at(callers))
        if callees:
            at.update(n for n, callee in enumerate(second) if callee in callees)
        found = {(first[n], second[n], lines[n], codes[n]) for n in at} - self._removed
        found.update(row for row in self._added if row[0] in callers or row[1] in callees)
        return sorted(found)

    def change(self, conn: sqlite3.Connection, removed: Set[Call], added: Set[Call]) -> None:
        """Keep them as they are now.

        Args:
            conn: the database.
            removed: some that there were.
            added: some that there were not.
        """
        self._removed = (self._removed | (removed - self._added)) - added
        self._added = (self._added - removed) | (added - self._known(added))
        if len(self._removed) + len(self._added) > _MOST_LATER:
            rows = self.rows()
            self._removed, self._added = set(), set()
            self._columns = _columns_of(packed_base("calls", rows))
            put_base(conn, "calls", rows)
            conn.execute("DELETE FROM semantic_base WHERE name = ?", (_LATER,))
        elif removed or added:
            later = _packed([sorted(self._removed), sorted(self._added)])
            conn.execute(
                "INSERT OR REPLACE INTO semantic_base (name, content) VALUES (?, ?)",
                (_LATER, later),
            )

    def _known(self, rows: Set[Call]) -> set[Call]:
        """Those of some rows that were packed."""
        columns = self._columns
        at = self._at({row[0] for row in rows})
        return {(columns[0][n], columns[1][n], columns[2][n], columns[3][n]) for n in at} & rows

    def _at(self, callers: Set[int]) -> Iterator[int]:
        """Where the packed calls of some callers stand."""
        first = self._columns[0]
        if self._is_sorted is None:
            self._is_sorted = first.tolist() == sorted(first)
        if not self._is_sorted or len(callers) > len(first) // 20:
            yield from (n for n, caller in enumerate(first) if caller in callers)
            return
        for caller in callers:
            yield from range(bisect.bisect_left(first, caller), bisect.bisect_right(first, caller))


def packed_base(table: str, rows: list[tuple[Any, ...]]) -> bytes:
    """A table's rows as `semantic_base` has them."""
    return _packed_calls(rows) if table == "calls" else _packed(rows)


def kept_base(conn: sqlite3.Connection, table: str) -> list[Any]:
    """The rows of a table without the layer.

    Args:
        conn: of a database that has it.
        table: one of `REPLACED`; or `last ids`, for the last id of each table that the layer adds rows to.

    Raises:
        sqlite3.DatabaseError: what was kept is damaged.
    """
    if table == "calls":
        return BaseCalls(conn).rows()
    sql = "SELECT content FROM semantic_base WHERE name = ?"
    return _unpacked(conn.execute(sql, (table,)).fetchone()[0])


def put_base(conn: sqlite3.Connection, table: str, rows: list[tuple[Any, ...]]) -> None:
    """Replace what is kept of a table.

    Args:
        conn: of a database that has the layer, in a transaction.
        table: its name.
        rows: as of `base_rows`.
    """
    sql = "UPDATE semantic_base SET content = ? WHERE name = ?"
    conn.execute(sql, (packed_base(table, rows), table))


def keep_meta(conn: sqlite3.Connection, values: Mapping[str, str | None]) -> None:
    """Keep facts about the index itself that have become others while the layer stays in it.

    Args:
        conn: of a database that may have the layer; without it nothing is to be done.
        values: of `meta`, by key.
    """
    if _has_layer(conn):
        put_base(conn, "meta", sorted({**dict(kept_base(conn, "meta")), **values}.items()))


def _has_layer(conn: sqlite3.Connection) -> bool:
    return conn.execute("SELECT 1 FROM semantic_base LIMIT 1").fetchone() is not None


def own_ids(conn: sqlite3.Connection) -> dict[str, int]:
    """As `first_ids`, of a database that has the layer.

    Args:
        conn: of that database.

    Raises:
        sqlite3.DatabaseError: what was kept is damaged.
    """
    return {str(table): int(number) + 1 for table, number in kept_base(conn, "last ids")}


def remove_semantic(conn: sqlite3.Connection) -> bool:
    """Take the semantic layer out of a database; whether it had one.

    Afterwards every table has the rows that it had before, with the same ids.

    Args:
        conn: of a database that may be changed.
    """
    if not _has_layer(conn):
        return False
    indexes = conn.execute(
        "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
        f" AND tbl_name IN ({', '.join('?' * len(REPLACED))}) ORDER BY name",
        REPLACED,
    ).fetchall()
    for name, _ in indexes:
        conn.execute(f"DROP INDEX {name}")
    last = kept_base(conn, "last ids")
    for table in REPLACED:
        conn.execute(f"DELETE FROM {table}")
        before = kept_base(conn, table)
        if before:
            places = ", ".join("?" * len(before[0]))
            conn.executemany(f"INSERT INTO {table} VALUES ({places})", before)
    for table in _OWN:
        conn.execute(f"DELETE FROM {table}")
    for grown, number in last:
        conn.execute(f"DELETE FROM {grown} WHERE id > ?", (number,))
    conn.execute("UPDATE functions SET is_exact = 0 WHERE is_exact")
    for _, sql in indexes:
        conn.execute(sql)
    return True


def _columns(conn: sqlite3.Connection, table: str) -> list[str]:
    """Those that are written; columns that SQLite computes are not among them."""
    return [str(row[1]) for row in conn.execute(f"PRAGMA table_info({table})")]


def _packed_calls(rows: list[tuple[int, ...]]) -> bytes:
    """Columns of whole numbers: a third of the time that JSON takes, of hundreds of thousands of rows."""
    columns = list(zip(*rows, strict=True)) or [(), (), (), ()]
    kind = "I" if max((max(column, default=0) for column in columns), default=0) < 1 << 32 else "Q"
    data = b"".join(array(kind, column).tobytes() for column in columns)
    return kind.encode() + zlib.compress(planes(data, array(kind).itemsize), _LEVEL)


def _columns_of(content: bytes) -> list[array[int]]:
    with _damage_told():
        numbers = array(content[:1].decode())
        numbers.frombytes(from_planes(zlib.decompress(content[1:]), numbers.itemsize))
    size = len(numbers) // 4
    return [numbers[n * size : (n + 1) * size] for n in range(4)]


def _packed(rows: list[Any]) -> bytes:
    return zlib.compress(json.dumps(rows, separators=(",", ":")).encode(), _LEVEL)


def _unpacked(content: bytes) -> list[list[Any]]:
    with _damage_told():
        rows: list[list[Any]] = json.loads(zlib.decompress(content))
    return rows


@contextlib.contextmanager
def _damage_told() -> Iterator[None]:
    """Let damage be one of the database, which means a full build: SQLite does not look into values."""
    try:
        yield
    except (zlib.error, ValueError) as error:
        raise sqlite3.DatabaseError(
            f"what was there before the semantic layer cannot be read: {error}"
        ) from error
