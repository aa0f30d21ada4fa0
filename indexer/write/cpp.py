"""Layers 2 and 3 into their tables: C++ functions, classes and macros."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable
from typing import Any

from indexer.facts.cpp import (
    ClassDefinition,
    FunctionDefinition,
    MacroDefinition,
    MacroHead,
    MacroUse,
    PackedCalls,
    PackedFields,
    PackedSlots,
    UnreadText,
    UsingDeclaration,
)
from indexer.facts.operators import Shortfall
from indexer.write.calls import WRITTEN, keep_calls
from indexer.write.files import write_coverage
from indexer.write.heads import head_of
from indexer.write.ids import first_id
from indexer.write.kept import put_kept

FIELDS = "fields"
"""In the table `kept`: the data members of a file's classes."""

SLOTS = "slots"
"""The same of members that hold functions, and what a file puts into such."""

_FUNCTION = (
    "INSERT INTO functions (id, name, head, kind, file_id, line, end_line, is_anonymous,"
    " macro, scope, class_name) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


def write_functions(
    conn: sqlite3.Connection,
    file_id: int,
    functions: Iterable[FunctionDefinition | MacroHead],
    first: int,
) -> None:
    """Insert one file's functions; number n becomes the id `first + n`.

    A macro's head is inserted under its own text; the link step that expands macros names it.

    Args:
        conn: the database being built.
        file_id: of the file.
        functions: in the order of their numbers.
        first: the id of number 0.
    """
    rows: list[tuple[object, ...]] = []
    for f in functions:
        identity = first + f.number
        if isinstance(f, MacroHead):
            rows.append((identity, f.text, head_of(f.text, f.text), "macro", file_id, f.line, f.end_line,
                         f.is_anonymous, f.text.partition("(")[0].split()[-1],
                         f.scope, f.class_name))  # fmt: skip
        else:
            rows.append((identity, f.name, head_of(f.name, f.signature), f.kind, file_id, f.line, f.end_line,
                         f.is_anonymous, f.macro or None, None, None))  # fmt: skip
    conn.executemany(_FUNCTION, rows)


def write_classes(
    conn: sqlite3.Connection, file_id: int, classes: Iterable[ClassDefinition]
) -> None:
    """Insert one file's classes and the names of their bases.

    Args:
        conn: the database being built.
        file_id: of the file.
        classes: in the file's order.
    """
    found = list(classes)
    numbered = list(enumerate(found, first_id(conn, "cpp_classes", file_id, len(found))))
    conn.executemany(
        "INSERT INTO cpp_classes (id, name, scope, file_id, line, end_line) VALUES (?, ?, ?, ?, ?, ?)",
        ((n, c.name, c.scope, file_id, c.line, c.end_line) for n, c in numbered),
    )
    conn.executemany(
        "INSERT INTO cpp_bases (class_id, position, base) VALUES (?, ?, ?)",
        ((n, position, base) for n, c in numbered for position, base in enumerate(c.bases)),
    )


def write_cpp(conn: sqlite3.Connection, path: str, file_id: int, facts: Iterable[object]) -> None:
    """Insert what `definitions` and `macros` found in one file; other facts are passed over.

    Args:
        conn: the database being built.
        path: of the file.
        file_id: its id.
        facts: what extractors found.
    """
    found: dict[type, list[Any]] = {}
    for fact in facts:
        kind = type(fact)
        found.setdefault(FunctionDefinition if kind is MacroHead else kind, []).append(fact)
    for kind, name in _KEPT.items():
        for packed in found.get(kind, ()):
            put_kept(conn, name, [(file_id, packed.data)])
    functions = found.get(FunctionDefinition, [])
    first = first_id(conn, "functions", file_id, len(functions))
    for calls in found.get(PackedCalls, ()):
        keep_calls(conn, WRITTEN, file_id, first, calls.data)
    # A statement costs even where it has no rows, and most files have few kinds.
    if functions:
        write_functions(conn, file_id, functions, first)
    for kind, write in _WRITERS.items():
        if kind in found:
            write(conn, file_id, found[kind])
    if UnreadText in found:
        write_coverage(
            conn,
            path,
            (
                Shortfall("functions", "partial", f"line {u.line}: {u.detail}")
                for u in found[UnreadText]
            ),
        )


def _write_macros(conn: sqlite3.Connection, file_id: int, macros: list[MacroDefinition]) -> None:
    numbers = enumerate(macros, first_id(conn, "macro_definitions", file_id, len(macros)))
    conn.executemany(
        "INSERT INTO macro_definitions (id, name, params, body, file_id, line)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (
            (n, m.name, None if m.params is None else json.dumps(m.params), m.body, file_id, m.line)
            for n, m in numbers
        ),
    )


def _write_uses(conn: sqlite3.Connection, file_id: int, uses: list[MacroUse]) -> None:
    numbers = enumerate(uses, first_id(conn, "macro_uses", file_id, len(uses)))
    conn.executemany(
        "INSERT INTO macro_uses (id, name, text, scope, class_name, file_id, line, is_anonymous)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (n, u.name, u.text, u.scope, u.class_name, file_id, u.line, u.is_anonymous)
            for n, u in numbers
        ),
    )


def _write_usings(conn: sqlite3.Connection, file_id: int, usings: list[UsingDeclaration]) -> None:
    conn.executemany(
        "INSERT INTO cpp_usings (keyword, text, scope, file_id, line) VALUES (?, ?, ?, ?, ?)",
        ((u.keyword, u.text, u.scope, file_id, u.line) for u in usings),
    )


_KEPT = {PackedFields: FIELDS, PackedSlots: SLOTS}
"""Facts that stay as they are in the table `kept`."""

_WRITERS: dict[type, Callable[[sqlite3.Connection, int, list[Any]], None]] = {
    ClassDefinition: write_classes,
    MacroDefinition: _write_macros,
    MacroUse: _write_uses,
    UsingDeclaration: _write_usings,
}
"""The writers of facts that have tables of their own, but for functions, in the order of writing."""


def read_macros(conn: sqlite3.Connection, holding: str = "") -> list[MacroDefinition]:
    """Macro definitions of a tree, in the order of the files.

    Args:
        conn: the database being built.
        holding: what the body of each has in it; "" for all.
    """
    return [
        MacroDefinition(
            name, None if params is None else tuple(json.loads(params)), body, path, line
        )
        for name, params, body, path, line in conn.execute(
            "SELECT m.name, m.params, m.body, f.path, m.line FROM macro_definitions AS m"
            " JOIN source_files AS f ON f.id = m.file_id WHERE ? = '' OR instr(m.body, ?) ORDER BY m.id",
            (holding, holding),
        )
    ]
