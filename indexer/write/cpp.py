"""Layers 2 and 3 into their tables: C++ functions, classes and macros."""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections.abc import Iterable, Iterator

from indexer.facts.cpp import (
    CallColumns,
    ClassDefinition,
    FunctionDefinition,
    MacroDefinition,
    MacroHead,
    MacroUse,
    UnreadText,
    UsingDeclaration,
)
from indexer.facts.operators import Shortfall
from indexer.write.files import write_coverage

_FUNCTION = (
    "INSERT INTO functions (id, name, signature, kind, file_id, line, end_line, is_anonymous,"
    " origin, macro, scope, class_name) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


def next_function_id(conn: sqlite3.Connection) -> int:
    """The id that the next function gets; ids are given in the order of the files."""
    return int(conn.execute("SELECT coalesce(max(id), 0) + 1 FROM functions").fetchone()[0])


def write_functions(
    conn: sqlite3.Connection,
    file_id: int,
    functions: Iterable[FunctionDefinition | MacroHead],
    first_id: int,
) -> None:
    """Insert one file's functions; number n becomes the id `first_id + n`.

    A macro's head is inserted under its own text; the link step that expands macros names it.
    """
    rows: list[tuple[object, ...]] = []
    for f in functions:
        identity = first_id + f.number
        if isinstance(f, MacroHead):
            rows.append((identity, f.text, f.text, "macro", file_id, f.line, f.end_line,
                         f.is_anonymous, "macro", f.text.partition("(")[0].split()[-1],
                         f.scope, f.class_name))  # fmt: skip
        else:
            rows.append((identity, f.name, f.signature, f.kind, file_id, f.line, f.end_line,
                         f.is_anonymous, "macro" if f.macro else "syntax", f.macro or None,
                         None, None))  # fmt: skip
    conn.executemany(_FUNCTION, rows)


def write_classes(
    conn: sqlite3.Connection, file_id: int, classes: Iterable[ClassDefinition]
) -> None:
    """Insert one file's classes and the names of their bases."""
    for c in classes:
        class_id = conn.execute(
            "INSERT INTO cpp_classes (name, scope, file_id, line, end_line) VALUES (?, ?, ?, ?, ?)",
            (c.name, c.scope, file_id, c.line, c.end_line),
        ).lastrowid
        if c.bases:
            conn.executemany(
                "INSERT INTO cpp_bases (class_id, position, base) VALUES (?, ?, ?)",
                ((class_id, position, base) for position, base in enumerate(c.bases)),
            )


_COLUMNS = ("callers", "callees", "receivers", "forms", "arguments", "lines")


def write_call_columns(
    conn: sqlite3.Connection, file_id: int, first_id: int, calls: CallColumns
) -> None:
    """Keep one file's calls for the link step that resolves them; they are no part of the index.

    The columns stay packed: half a million rows would take longer to insert than to resolve.
    """
    open_call_columns(conn)
    packed = [getattr(calls, column).tobytes() for column in _COLUMNS]
    conn.execute(
        "INSERT INTO call_columns VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (file_id, first_id, json.dumps(calls.texts), *packed),
    )


def open_call_columns(conn: sqlite3.Connection) -> None:
    """Make the table that holds calls until they are resolved."""
    conn.execute(
        "CREATE TEMP TABLE IF NOT EXISTS call_columns (file_id INTEGER NOT NULL, first_id INTEGER NOT NULL,"
        f" texts TEXT NOT NULL, {', '.join(f'{column} BLOB NOT NULL' for column in _COLUMNS)})"
    )


def read_call_columns(conn: sqlite3.Connection) -> Iterator[tuple[int, CallColumns]]:
    """Each file's calls, with the id of its first function."""
    open_call_columns(conn)
    for first_id, texts, *packed in conn.execute(
        f"SELECT first_id, texts, {', '.join(_COLUMNS)} FROM call_columns ORDER BY file_id"
    ):
        columns = [array("B" if c in ("forms", "arguments") else "i", data)
                   for c, data in zip(_COLUMNS, packed, strict=True)]  # fmt: skip
        yield first_id, CallColumns(tuple(json.loads(texts)), *columns)


def write_cpp(conn: sqlite3.Connection, path: str, file_id: int, facts: Iterable[object]) -> None:
    """Insert what `definitions` and `macros` found in one file; other facts are passed over."""
    functions: list[FunctionDefinition | MacroHead] = []
    classes: list[ClassDefinition] = []
    uses: list[MacroUse] = []
    usings: list[UsingDeclaration] = []
    macros: list[MacroDefinition] = []
    unread: list[UnreadText] = []
    first_id = next_function_id(conn)
    for fact in facts:
        if isinstance(fact, (FunctionDefinition, MacroHead)):
            functions.append(fact)
        elif isinstance(fact, ClassDefinition):
            classes.append(fact)
        elif isinstance(fact, MacroUse):
            uses.append(fact)
        elif isinstance(fact, UsingDeclaration):
            usings.append(fact)
        elif isinstance(fact, MacroDefinition):
            macros.append(fact)
        elif isinstance(fact, CallColumns):
            write_call_columns(conn, file_id, first_id, fact)
        elif isinstance(fact, UnreadText):
            unread.append(fact)
    # A statement costs even where it has no rows, and most files have few kinds.
    if functions:
        write_functions(conn, file_id, functions, first_id)
    write_classes(conn, file_id, classes)
    if macros:
        conn.executemany(
            "INSERT INTO macro_definitions (name, params, body, file_id, line)"
            " VALUES (?, ?, ?, ?, ?)",
            ((m.name, None if m.params is None else json.dumps(m.params), m.body, file_id, m.line)
             for m in macros),
        )  # fmt: skip
    if uses:
        conn.executemany(
            "INSERT INTO macro_uses (name, text, scope, class_name, file_id, line, is_anonymous)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                (u.name, u.text, u.scope, u.class_name, file_id, u.line, u.is_anonymous)
                for u in uses
            ),
        )
    if usings:
        conn.executemany(
            "INSERT INTO cpp_usings (keyword, text, scope, file_id, line) VALUES (?, ?, ?, ?, ?)",
            ((u.keyword, u.text, u.scope, file_id, u.line) for u in usings),
        )
    if unread:
        write_coverage(
            conn,
            path,
            (Shortfall("functions", "partial", f"line {u.line}: {u.detail}") for u in unread),
        )


def read_macros(conn: sqlite3.Connection) -> list[MacroDefinition]:
    """Every macro definition in the database, for a `MacroTable`."""
    return [
        MacroDefinition(
            name, None if params is None else tuple(json.loads(params)), body, path, line
        )
        for name, params, body, path, line in conn.execute(
            "SELECT m.name, m.params, m.body, f.path, m.line FROM macro_definitions AS m"
            " JOIN source_files AS f ON f.id = m.file_id ORDER BY m.id"
        )
    ]
