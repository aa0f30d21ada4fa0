"""Rows of `registrations` from what the files hold: macros expanded, kernels qualified."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any

from indexer.extract.python.registrations import without_placeholders
from indexer.extract.python.registrations_helpers import Helpers
from indexer.facts.registrations import Registration, UnreadRegistration
from indexer.link.registrations.expansion import read_registrations
from indexer.link.registrations.names import KernelNames
from indexer.workers import WorkerPool
from indexer.write.cpp import read_macros
from indexer.write.registrations import (
    pending_aliases,
    pending_blocks,
    pending_helpers,
    pending_python,
    write_unread,
)


def registration_rows(conn: sqlite3.Connection, pool: WorkerPool) -> Iterator[tuple[Any, ...]]:
    """The rows, C++ first, each in the order of file and line.

    What cannot be read becomes a row of coverage on the way.

    Args:
        conn: the database, in a transaction, with what waits (`indexer.write.registrations`).
        pool: whose workers expand macros.
    """
    files = dict(conn.execute("SELECT path, id FROM source_files").fetchall())
    blocks = list(pending_blocks(conn))
    aliases = pending_aliases(conn)
    names = KernelNames(conn, {block.scope for block in blocks})
    for found in read_registrations(blocks, read_macros(conn), aliases, pool):
        if isinstance(found, UnreadRegistration):
            write_unread(conn, found)
        else:
            yield _row(
                found, names.qualified(found), files, str(found.block_kind), found.expression
            )
    for registration in pending_python(conn):
        yield _row(registration, registration.kernel, files, registration.expression, "")
    helpers, uses = pending_helpers(conn)
    following = Helpers(helpers)
    for use in uses:
        for registration in without_placeholders(following.follow(use)):
            yield _row(registration, registration.kernel, files, registration.expression, "")


def _row(
    found: Registration, kernel: str, files: dict[str, int], via: str, expression: str
) -> tuple[Any, ...]:
    return (
        found.kind,
        found.operator or None,
        found.all_overloads,
        found.key or None,
        kernel or None,
        found.form,
        expression or None,
        found.schema or None,
        ",".join(found.tags) or None,
        found.origin,
        via,
        found.condition or None,
        files[found.path],
        found.line,
        files[found.block_path],
        found.block_line,
        files[found.kernel_path] if found.kernel_path else None,
        found.kernel_line or None,
    )
