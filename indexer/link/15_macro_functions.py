"""Which functions do macros make? Heads get their name, whole definitions are added; then methods are told apart."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Sequence
from itertools import groupby

from indexer.extract.cpp.macros_made import FunctionMacros, macro_table
from indexer.extract.cpp.made_calls import MadeCalls
from indexer.facts.cpp import PackedCalls
from indexer.link.cpp.out_of_class import place
from indexer.workers import Shared, WorkerPool
from indexer.write.calls import MADE, keep_calls
from indexer.write.cpp import read_macros
from indexer.write.heads import head_of
from indexer.write.ids import first_id, made_offset


def link(conn: sqlite3.Connection, pool: WorkerPool) -> None:
    """Expand every macro use that may make a function.

    Args:
        conn: the database, in a transaction.
        pool: whose workers expand.
    """
    link_files(conn, pool, None)


def link_files(conn: sqlite3.Connection, pool: WorkerPool, files: Collection[int] | None) -> None:
    """Expand what may make a function in some files; heads are named wherever they wait for it.

    Args:
        conn: the database, in a transaction.
        pool: whose workers expand.
        files: ids of those whose macro uses are expanded; None for all.
    """
    macros = pool.share(FunctionMacros(macro_table(read_macros(conn))))
    _name_heads(conn, macros, pool)
    _drop_unknown(conn)
    _add_definitions(conn, macros, pool, files)
    place(conn)
    # `A::f` written at namespace level is a method where A is a class.
    conn.execute(
        "UPDATE functions SET kind = 'method' WHERE kind = 'function' AND name LIKE '%::%'"
        " AND rtrim(rtrim(name, replace(name, ':', '')), ':')"
        " IN (SELECT name FROM cpp_classes)"
    )


def _name_heads(conn: sqlite3.Connection, macros: Shared[FunctionMacros], pool: WorkerPool) -> None:
    heads = conn.execute(
        "SELECT u.id, u.name, u.scope, u.class_name, f.path, u.line FROM functions AS u"
        " JOIN source_files AS f ON f.id = u.file_id WHERE u.kind = 'macro' ORDER BY u.id"
    ).fetchall()
    tasks = ((macros, chunk) for chunk in pool.chunks(heads))
    for rows in pool.ordered_map(expand_heads, tasks):
        conn.executemany(
            "UPDATE functions SET name = ?, head = ?, kind = ?,"
            " is_anonymous = is_anonymous OR ? WHERE id = ?",
            rows,
        )


def expand_heads(
    task: tuple[Shared[FunctionMacros], Sequence[tuple[int, str, str, str, str, int]]],
) -> list[tuple[str, str, str, bool, int]]:
    """In a worker: what macros make of heads.

    Args:
        task: the macros; and of each head its id, text, scope, class, path and 1-based line.

    Returns:
        Name, signature, kind, anonymity and id of those that become a function.
    """
    shared, heads = task
    macros = shared.get()
    rows = []
    for identity, text, scope, class_name, path, line in heads:
        made = macros.from_head(text, scope, class_name, path, line)
        if made is not None:
            rows.append(
                (
                    made.name,
                    head_of(made.name, made.signature),
                    made.kind,
                    made.is_anonymous,
                    identity,
                )
            )
    return rows


def _add_definitions(
    conn: sqlite3.Connection,
    macros: Shared[FunctionMacros],
    pool: WorkerPool,
    files: Collection[int] | None,
) -> None:
    uses = conn.execute(
        "SELECT u.name, u.text, u.scope, u.class_name, u.file_id, f.path, u.line, u.is_anonymous"
        " FROM macro_uses AS u JOIN source_files AS f ON f.id = u.file_id"
        " WHERE f.kind <> 'metal'"  # step 41 expands those
        " AND (:files IS NULL OR u.file_id IN (SELECT value FROM json_each(:files))) ORDER BY u.id",
        {"files": None if files is None else json.dumps(sorted(files))},
    ).fetchall()
    offset = made_offset(conn)
    # A file's uses stay together: what is kept of it does not depend on the number of workers.
    by_file = [tuple(group) for _, group in groupby(uses, key=lambda use: use[4])]
    tasks = ((macros, chunk) for chunk in pool.chunks(by_file))
    for found in pool.ordered_map(expand_uses, tasks):
        for file_id, rows, calls in found:
            first = first_id(conn, "functions", file_id, len(rows), offset)
            conn.executemany(
                "INSERT INTO functions (id, name, head, kind, file_id, line, end_line,"
                " is_anonymous, macro) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                ((n, *row) for n, row in enumerate(rows, first)),
            )
            if calls is not None:
                keep_calls(conn, MADE, file_id, first, calls.data)


_Use = tuple[str, str, str, str, int, str, int, int]
_Row = tuple[str, str, str, int, int, int, bool, str]
_OfFile = tuple[int, list[_Row], "PackedCalls | None"]


def expand_uses(
    task: tuple[Shared[FunctionMacros], Sequence[Sequence[_Use]]],
) -> list[_OfFile]:
    """In a worker: what macro uses make as a whole.

    Args:
        task: the macros; and by file its uses, rows of `macro_uses` with the file's path.

    Returns:
        By file its id, rows of `functions` without an id, and the calls of these, packed; None where they have none.
    """
    shared, files = task
    macros = shared.get()
    found: list[_OfFile] = []
    for uses in files:
        rows: list[_Row] = []
        calls = MadeCalls()
        for name, text, scope, class_name, file_id, path, line, anonymous in uses:
            made = macros.from_use(name, text, scope, class_name, path, line)
            if made.calls is not None:
                numbers = [None if n is None else len(rows) + n for n in made.callers]
                calls.add(made.calls, numbers, line, text)
            rows += [
                (m.name, head_of(m.name, m.signature), m.kind, file_id, line, line + text.count("\n"),
                 bool(anonymous or m.is_anonymous), name)
                for m in made.functions
            ]  # fmt: skip
        if rows:
            columns = calls.columns()
            found.append((uses[0][4], rows, None if columns is None else columns.packed()))
    return found


def _drop_unknown(conn: sqlite3.Connection) -> None:
    """A head that a macro from outside the tree makes has no name that could be known."""
    conn.execute(
        "INSERT INTO coverage (layer, file, status, detail)"
        " SELECT 'functions', f.path, 'partial', 'line ' || u.line || ': the macro ' || u.macro"
        "  || ' is not in the tree; what it makes has no known name'"
        " FROM functions AS u JOIN source_files AS f ON f.id = u.file_id WHERE u.kind = 'macro' ORDER BY u.id"
    )
    conn.execute("DELETE FROM functions WHERE kind = 'macro'")
