"""An empty index, made once and copied: making each anew took a tenth of the time of all fast tests."""

from __future__ import annotations

import functools
import sqlite3

from indexer import schema

_create = schema.create


def empty_database() -> sqlite3.Connection:
    """An index in memory with all tables and their indexes, and no rows."""
    conn = sqlite3.connect(":memory:")
    _made(schema.schema_sql(), has_indexes=True).backup(conn)
    return conn


def create_by_copy(conn: sqlite3.Connection) -> None:
    """What `indexer.schema.create` makes of an empty file.

    Args:
        conn: of that.
    """
    _made(schema.schema_sql(), has_indexes=False).backup(conn)


@functools.lru_cache
def _made(script: str, has_indexes: bool) -> sqlite3.Connection:
    """By the text of schema.sql, which tests may replace."""
    conn = sqlite3.connect(":memory:", check_same_thread=False)
    _create(conn)
    if has_indexes:
        schema.create_indexes(conn)
    return conn
