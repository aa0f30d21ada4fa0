"""What the semantic layer replaces, kept so that it can be taken out again.

The other layers are rebuilt and updated without regard to this one: whoever changes them takes it out first, and has
the rows that were there before it, with their ids.
"""

from __future__ import annotations

import json
import sqlite3
import zlib

_REPLACED = (
    "calls", "operator_calls", "operator_functions", "stub_callers", "stub_registrations", "launching_functions",
    "stub_functions", "coverage", "meta",
)  # fmt: skip
"""Tables of other layers that this one changes."""

_OWN = ("function_usrs", "function_overrides", "semantic_stub_kernels", "semantic_base")
_GROWING = ("functions", "source_files")
"""Tables that it only adds rows to, behind those that were there."""

_LEVEL = 4  # of zlib: 3 MB for 300,000 calls in 0.3 s


def keep_base(conn: sqlite3.Connection) -> None:
    """Keep what the layer will replace, in `semantic_base`. To be called before anything of it is written."""
    last = {
        table: conn.execute(f"SELECT coalesce(max(id), 0) FROM {table}").fetchone()[0]
        for table in _GROWING
    }
    rows = [("last ids", _packed([[table, number] for table, number in last.items()]))]
    for table in _REPLACED:
        columns = ", ".join(_columns(conn, table))
        rows.append((table, _packed(conn.execute(f"SELECT {columns} FROM {table}").fetchall())))
    conn.executemany("INSERT INTO semantic_base (name, content) VALUES (?, ?)", rows)


def remove_semantic(conn: sqlite3.Connection) -> bool:
    """Take the semantic layer out of a database; whether it had one.

    Afterwards every table has the rows that it had before, with the same ids.

    Args:
        conn: of a database that may be changed.
    """
    kept = dict(conn.execute("SELECT name, content FROM semantic_base"))
    if not kept:
        return False
    indexes = conn.execute(
        "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
        f" AND tbl_name IN ({', '.join('?' * len(_REPLACED))}) ORDER BY name",
        _REPLACED,
    ).fetchall()
    for name, _ in indexes:
        conn.execute(f"DROP INDEX {name}")
    for table in _OWN:
        conn.execute(f"DELETE FROM {table}")
    for table in _REPLACED:
        conn.execute(f"DELETE FROM {table}")
        before = _unpacked(kept[table])
        if before:
            places = ", ".join("?" * len(before[0]))
            conn.executemany(f"INSERT INTO {table} VALUES ({places})", before)
    for grown, number in _unpacked(kept["last ids"]):
        conn.execute(f"DELETE FROM {grown} WHERE id > ?", (number,))
    # What a macro makes says so in a column of its own.
    conn.execute(
        "UPDATE functions SET origin = CASE WHEN macro IS NULL THEN 'syntax' ELSE 'macro' END"
        " WHERE origin = 'clang'"
    )
    for _, sql in indexes:
        conn.execute(sql)
    return True


def _columns(conn: sqlite3.Connection, table: str) -> list[str]:
    """Those that are written; columns that SQLite computes are not among them."""
    return [str(row[1]) for row in conn.execute(f"PRAGMA table_info({table})")]


def _packed(rows: list[list[object]] | list[tuple[object, ...]]) -> bytes:
    return zlib.compress(json.dumps(rows, separators=(",", ":")).encode(), _LEVEL)


def _unpacked(content: bytes) -> list[list[object]]:
    rows: list[list[object]] = json.loads(zlib.decompress(content))
    return rows
