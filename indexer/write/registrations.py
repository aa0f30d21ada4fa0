"""Registrations into their tables.

C++ blocks wait in temporary tables until every file has been read: `indexer/link/16_registrations.py` expands the
macros in them and leaves only what they register.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any

from indexer.facts.operators import Shortfall
from indexer.facts.registrations import (
    ClassSpecialization,
    DispatchKeyAlias,
    HelperUse,
    MetaExclusion,
    MetaGuard,
    MetaLibrary,
    Registration,
    RegistrationBlock,
    RegistrationHelper,
    RegistrationStatement,
    UnreadRegistration,
)
from indexer.write.files import write_coverage

LAYER = "registrations"

_PENDING = (
    "CREATE TEMP TABLE IF NOT EXISTS pending_blocks (file_id INTEGER, path TEXT, line INTEGER, block TEXT)",
    "CREATE TEMP TABLE IF NOT EXISTS pending_python (file_id INTEGER, path TEXT, line INTEGER, registration TEXT)",
    "CREATE TEMP TABLE IF NOT EXISTS pending_helpers (file_id INTEGER, kind TEXT, path TEXT, helper TEXT)",
    "CREATE TEMP TABLE IF NOT EXISTS pending_names (file_id INTEGER, kind TEXT, name TEXT, value TEXT, line INTEGER)",
)


def write_registrations(conn: sqlite3.Connection, file_id: int, facts: Iterable[Any]) -> None:
    """Keep what one file registers until all files are read.

    Args:
        conn: the database being built.
        file_id: of the file; the facts name it themselves.
        facts: from `indexer.extract.cpp.registrations` or `indexer.extract.python.registrations`.
    """
    open_pending(conn)
    for fact in facts:
        if isinstance(fact, RegistrationBlock):
            values = [list(v) if isinstance(v, tuple) else v for v in fact.__dict__.values()]
            conn.execute(
                "INSERT INTO pending_blocks VALUES (?, ?, ?, ?)",
                (file_id, fact.path, fact.line, json.dumps(values)),
            )
        elif isinstance(fact, Registration):
            values = [list(v) if isinstance(v, tuple) else v for v in fact.__dict__.values()]
            conn.execute(
                "INSERT INTO pending_python VALUES (?, ?, ?, ?)",
                (file_id, fact.path, fact.line, json.dumps(values)),
            )
        elif isinstance(fact, ClassSpecialization):
            conn.execute(
                "INSERT OR IGNORE INTO class_specializations VALUES (?, ?, ?, ?)",
                (file_id, fact.line, fact.name, json.dumps(fact.arguments)),
            )
        elif isinstance(fact, DispatchKeyAlias):
            conn.execute(
                "INSERT INTO pending_names VALUES (?, 'key', ?, ?, NULL)",
                (file_id, fact.alias, fact.key),
            )
        elif isinstance(fact, (RegistrationHelper, HelperUse)):
            kind = "use" if isinstance(fact, HelperUse) else "helper"
            values = list(fact.__dict__.values())
            conn.execute(
                "INSERT INTO pending_helpers VALUES (?, ?, ?, ?)",
                (file_id, kind, fact.path, json.dumps(values)),
            )
        elif isinstance(fact, MetaExclusion):
            conn.execute(
                "INSERT INTO pending_names VALUES (?, 'meta', ?, ?, NULL)",
                (file_id, fact.operator, "packet" if fact.all_overloads else None),
            )
        elif isinstance(fact, MetaGuard):
            conn.execute(
                "INSERT INTO pending_names VALUES (?, 'guard', '', NULL, NULL)", (file_id,)
            )
        elif isinstance(fact, MetaLibrary):
            conn.execute(
                "INSERT INTO pending_names VALUES (?, 'library', ?, ?, ?)",
                (file_id, fact.namespace, fact.path, fact.line),
            )
        elif isinstance(fact, UnreadRegistration):
            write_unread(conn, fact)


def write_unread(conn: sqlite3.Connection, unread: UnreadRegistration) -> None:
    """Insert a row of coverage for `unread` into the database `conn`."""
    detail = f"line {unread.line}: {unread.detail}"
    write_coverage(conn, unread.path, [Shortfall(LAYER, "partial", detail)])


def pending_blocks(conn: sqlite3.Connection) -> Iterator[RegistrationBlock]:
    """The blocks that were kept in the database `conn`, by file and line."""
    for (text,) in conn.execute("SELECT block FROM pending_blocks ORDER BY path, line, rowid"):
        values = json.loads(text)
        values[6] = tuple(values[6])
        values[8] = tuple(RegistrationStatement(*statement) for statement in values[8])
        yield RegistrationBlock(*values)


def pending_python(conn: sqlite3.Connection) -> Iterator[Registration]:
    """What Python files register, as it was kept in the database `conn`, by file and in their order."""
    for (text,) in conn.execute("SELECT registration FROM pending_python ORDER BY path, rowid"):
        values: list[Any] = [tuple(v) if isinstance(v, list) else v for v in json.loads(text)]
        yield Registration(*values)


def pending_helpers(
    conn: sqlite3.Connection,
) -> tuple[list[RegistrationHelper], list[HelperUse]]:
    """The helpers of Python files, and what may be uses of them, as kept in the database `conn`, by file."""
    helpers: list[RegistrationHelper] = []
    uses: list[HelperUse] = []
    for kind, text in conn.execute("SELECT kind, helper FROM pending_helpers ORDER BY path, rowid"):
        if kind == "use":
            uses.append(HelperUse(*json.loads(text)))
        else:
            helpers.append(RegistrationHelper(*json.loads(text)))
    return helpers, uses


def pending_aliases(conn: sqlite3.Connection) -> list[DispatchKeyAlias]:
    """The other names of dispatch keys, as kept in the database `conn`; of several with one name the last counts."""
    rows = conn.execute("SELECT name, value FROM pending_names WHERE kind = 'key' ORDER BY rowid")
    return [DispatchKeyAlias(alias, key or "") for alias, key in dict(rows.fetchall()).items()]


def open_pending(conn: sqlite3.Connection) -> None:
    """Make the tables in the database `conn` in which files' registrations wait."""
    for statement in _PENDING:
        conn.execute(statement)


def drop_pending(conn: sqlite3.Connection) -> None:
    """Forget what waited in the database `conn`."""
    for table in ("pending_blocks", "pending_python", "pending_helpers", "pending_names"):
        conn.execute(f"DROP TABLE temp.{table}")


def write_registration_rows(conn: sqlite3.Connection, rows: Iterable[tuple[Any, ...]]) -> None:
    """Insert into `registrations`, in the order given.

    Args:
        conn: the database being built.
        rows: the columns are those of the table but for `id`.
    """
    conn.executemany(
        "INSERT INTO registrations (kind, operator, all_overloads, dispatch_key, kernel, kernel_form, expression,"
        " schema, tags, origin, via, condition, file_id, line, block_file_id, block_line,"
        " kernel_file_id, kernel_line)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        rows,
    )
