"""The database's schema: creating it, and leading older files to it."""

from __future__ import annotations

import functools
import re
import sqlite3
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from torchtalk.dbfile import APPLICATION_ID, SCHEMA_VERSION

if TYPE_CHECKING:
    from sqlite_utils import Database

# Comments may stand before a statement.
_INDEX = re.compile(r"\A(?:\s*--[^\n]*\n)*\s*CREATE (?:UNIQUE )?INDEX\s+(\w+)\s+ON\s+(\w+)")
_HERE = Path(__file__).resolve().parent
# A wheel carries both inside this package; a checkout has them at its root.
_PLACES = (_HERE / "_sql", _HERE.parent)


def _find(name: str) -> Path:
    for place in _PLACES:
        if (place / name).exists():
            return place / name
    raise FileNotFoundError(f"{name} is missing from this installation of torchtalk; reinstall it")


def schema_sql() -> str:
    """The text of schema.sql."""
    return _find("schema.sql").read_text(encoding="utf-8")


def migration_files() -> list[Path]:
    """The migrations, in the order in which they are applied."""
    return sorted(_find("migrations").glob("[0-9]*.sql"))


def create(conn: sqlite3.Connection) -> None:
    """Make an empty database of the present version and mark it as torchtalk's.

    It has no indexes yet: a bulk load is faster without, and `create_indexes` adds them after it.

    Args:
        conn: of an empty file.
    """
    for index, statement in _with_indexes(schema_sql()):
        if index is None:
            conn.execute(statement)
    conn.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    conn.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def create_indexes(conn: sqlite3.Connection, later: Collection[str] = ()) -> None:
    """Add the indexes of schema.sql to a database that `create` made, unless they are there.

    Args:
        conn: the database.
        later: not those whose table's name, or whose own, begins so: they are to be made later.
    """
    there = {
        name for (name,) in conn.execute("SELECT name FROM sqlite_master WHERE type = 'index'")
    }
    for index, statement in _with_indexes(schema_sql()):
        if index is None or index[0] in there:
            continue
        if not any(name.startswith(tuple(later)) for name in index):
            conn.execute(statement)


@functools.lru_cache
def _with_indexes(script: str) -> list[tuple[tuple[str, str] | None, str]]:
    """The statements of a script, those that make an index with its name and its table's: a build asks four times."""
    found = ((_INDEX.search(statement), statement) for statement in statements(script))
    return [(index and (index[1], index[2]), statement) for index, statement in found]


def migrate(db: Database) -> list[str]:
    """Apply the migrations that a file has not seen, by sqlite-utils' own mechanism.

    Args:
        db: a file of any earlier version, or an empty one; its `user_version` tells which.

    Returns:
        Names of the migrations that were applied.
    """
    from sqlite_utils import Migrations

    version = int(db.execute("PRAGMA user_version").fetchone()[0])
    migrations = Migrations("torchtalk")
    applied: list[str] = []
    for number, path in enumerate(migration_files(), start=1):
        if number <= version:
            continue

        def run(database: Database, path: Path = path) -> None:
            for statement in statements(path.read_text(encoding="utf-8")):
                database.execute(statement)
            applied.append(path.stem)

        migrations(name=path.stem)(run)
    migrations.apply(db)
    # What was applied stands in user_version; a table with times in it would make two builds
    # of the same tree differ.
    db.execute("DROP TABLE IF EXISTS _sqlite_migrations")
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    return applied


@functools.lru_cache
def statements(script: str) -> tuple[str, ...]:
    """The statements of the SQL script `script`, split at the line ends where SQLite itself sees a complete one.

    Whatever follows the last one is left out.
    """
    found: list[str] = []
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            found.append(pending.strip())
            pending = ""
    return tuple(found)
