"""Which functions do macros make? Heads made by a macro get their name, whole definitions are added."""

from __future__ import annotations

import functools
import pickle
import sqlite3
from collections.abc import Sequence

from indexer.extract.cpp.macros_made import FunctionMacros, macro_table
from indexer.facts.cpp import MacroDefinition
from indexer.workers import WorkerPool
from indexer.write.cpp import read_macros


def link(conn: sqlite3.Connection, pool: WorkerPool) -> None:
    """Expand every macro use that may make a function."""
    # Pickled once: every task needs them, and a worker reads them but once.
    macros = pickle.dumps(read_macros(conn), pickle.HIGHEST_PROTOCOL)
    _name_heads(conn, macros, pool)
    _drop_unknown(conn)
    _add_definitions(conn, macros, pool)
    # `A::f` written at namespace level is a method where A is a class.
    conn.execute(
        "UPDATE functions SET kind = 'method' WHERE kind = 'function' AND name LIKE '%::%'"
        " AND rtrim(rtrim(name, replace(name, ':', '')), ':')"
        " IN (SELECT name FROM cpp_classes)"
    )


def _name_heads(conn: sqlite3.Connection, macros: bytes, pool: WorkerPool) -> None:
    heads = conn.execute(
        "SELECT u.id, u.name, u.scope, u.class_name, f.path, u.line FROM functions AS u"
        " JOIN source_files AS f ON f.id = u.file_id WHERE u.kind = 'macro' ORDER BY u.id"
    ).fetchall()
    tasks = ((macros, chunk) for chunk in pool.chunks(heads))
    for rows in pool.ordered_map(expand_heads, tasks):
        conn.executemany(
            "UPDATE functions SET name = ?, signature = ?, kind = ?,"
            " is_anonymous = is_anonymous OR ? WHERE id = ?",
            rows,
        )


@functools.lru_cache(maxsize=1)
def _macros(known: bytes) -> FunctionMacros:
    definitions: list[MacroDefinition] = pickle.loads(known)  # noqa: S301  our own parent's
    return FunctionMacros(macro_table(definitions))


def expand_heads(
    task: tuple[bytes, Sequence[tuple[int, str, str, str, str, int]]],
) -> list[tuple[str, str, str, bool, int]]:
    """In a worker: the name, signature, kind and anonymity that macros give to heads, and their ids."""
    known, heads = task
    macros = _macros(known)
    rows = []
    for identity, text, scope, class_name, path, line in heads:
        made = macros.from_head(text, scope, class_name, path, line)
        if made is not None:
            rows.append((made.name, made.signature, made.kind, made.is_anonymous, identity))
    return rows


def _add_definitions(conn: sqlite3.Connection, macros: bytes, pool: WorkerPool) -> None:
    uses = conn.execute(
        "SELECT u.name, u.text, u.scope, u.class_name, u.file_id, f.path, u.line, u.is_anonymous"
        " FROM macro_uses AS u JOIN source_files AS f ON f.id = u.file_id ORDER BY u.id"
    ).fetchall()
    tasks = ((macros, chunk) for chunk in pool.chunks(uses))
    for rows in pool.ordered_map(expand_uses, tasks):
        conn.executemany(
            "INSERT INTO functions (name, signature, kind, file_id, line, end_line, is_anonymous,"
            " origin, macro) VALUES (?, ?, ?, ?, ?, ?, ?, 'macro', ?)",
            rows,
        )


_Use = tuple[str, str, str, str, int, str, int, int]


def expand_uses(task: tuple[bytes, Sequence[_Use]]) -> list[tuple[object, ...]]:
    """In a worker: rows of `functions` for the definitions that macro uses make as a whole."""
    known, uses = task
    macros = _macros(known)
    return [
        (made.name, made.signature, made.kind, file_id, line, line + text.count("\n"),
         anonymous or made.is_anonymous, name)
        for name, text, scope, class_name, file_id, path, line, anonymous in uses
        for made in macros.from_use(name, text, scope, class_name, path, line)
    ]  # fmt: skip


def _drop_unknown(conn: sqlite3.Connection) -> None:
    """A head that a macro from outside the tree makes has no name that could be known."""
    conn.execute(
        "INSERT INTO coverage (layer, file, status, detail)"
        " SELECT 'functions', f.path, 'partial', 'line ' || u.line || ': the macro ' || u.macro"
        "  || ' is not in the tree; what it makes has no known name'"
        " FROM functions AS u JOIN source_files AS f ON f.id = u.file_id WHERE u.kind = 'macro' ORDER BY u.id"
    )
    conn.execute("DELETE FROM functions WHERE kind = 'macro'")
