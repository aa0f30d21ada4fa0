"""The facts of torch.compile into their tables."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Any

from indexer.facts.compile import (
    ArtifactUse,
    CompileOption,
    CompileRegistration,
    DynamoRule,
    GraphBreak,
    GraphBreakCode,
    GraphPattern,
    HigherOrderOperator,
    NameEntry,
    NestedFunction,
    OperatorListing,
    TableStep,
)

_INSERTS: dict[type, str] = {
    CompileRegistration: "INSERT INTO compile_registrations (role, operator, all_overloads, function,"
    " function_line, table_name, how, kernels, condition, line, file_id)"
    " VALUES (?, ?, ?, nullif(?, ''), nullif(?, 0), nullif(?, ''), ?, nullif(?, ''), nullif(?, ''), ?, ?)",
    TableStep: "INSERT INTO compile_table_steps (table_name, action, source, operator, all_overloads,"
    " line, file_id) VALUES (?, ?, ?, ?, ?, ?, ?)",
    OperatorListing: "INSERT INTO compile_lists (name, operator, all_overloads, line, file_id)"
    " VALUES (?, ?, ?, ?, ?)",
    NameEntry: "INSERT INTO compile_names (table_name, key, field, value, line, file_id)"
    " VALUES (?, ?, ?, ?, ?, ?)",
    NestedFunction: "INSERT INTO compile_functions (name, declines, line, file_id) VALUES (?, ?, ?, ?)",
    HigherOrderOperator: "INSERT INTO higher_order_operators (name, variable, class_name, line, file_id)"
    " VALUES (?, nullif(?, ''), nullif(?, ''), ?, ?)",
    DynamoRule: "INSERT INTO dynamo_rules (kind, name, target, target_line, line, file_id)"
    " VALUES (?, ?, ?, nullif(?, 0), ?, ?)",
    GraphBreak: "INSERT INTO graph_breaks (code, message, context, explanation, hints, function, line,"
    " file_id) VALUES (nullif(?, ''), ?, nullif(?, ''), nullif(?, ''), nullif(?, ''), nullif(?, ''), ?, ?)",
    CompileOption: "INSERT INTO compile_options (kind, name, default_value, description, environment,"
    " details, line, file_id) VALUES (?, ?, nullif(?, ''), nullif(?, ''), nullif(?, ''), nullif(?, ''), ?, ?)",
    ArtifactUse: "INSERT OR IGNORE INTO artifact_uses (artifact, line, file_id) VALUES (?, ?, ?)",
}


def write_compile(conn: sqlite3.Connection, file_id: int, facts: Iterable[Any]) -> None:
    """Insert what one file has of torch.compile, in the order in which it was found.

    Args:
        conn: the database being built.
        file_id: of the file.
        facts: from `indexer.extract.python.compile` or `indexer.extract.cpp.environment`.
    """
    by_kind: dict[type, list[tuple[Any, ...]]] = {}
    for fact in facts:
        if isinstance(fact, GraphPattern):
            _write_pattern(conn, file_id, fact)
        elif isinstance(fact, GraphBreakCode):
            _write_code(conn, file_id, fact)
        else:
            by_kind.setdefault(type(fact), []).append((*fact, file_id))
    for kind, rows in by_kind.items():
        conn.executemany(_INSERTS[kind], rows)


def _write_pattern(conn: sqlite3.Connection, file_id: int, fact: GraphPattern) -> None:
    cursor = conn.execute(
        "INSERT INTO compile_patterns (form, function, function_line, replacement, passes, file_id, line)"
        " VALUES (?, nullif(?, ''), nullif(?, 0), nullif(?, ''), nullif(?, ''), ?, ?)",
        (
            fact.form,
            fact.function,
            fact.function_line,
            fact.replacement,
            fact.passes,
            file_id,
            fact.line,
        ),
    )
    conn.executemany(
        "INSERT INTO compile_pattern_operators VALUES (?, ?, ?, ?)",
        (
            (cursor.lastrowid, position, name, base_name(name))
            for position, name in enumerate(fact.operators)
        ),
    )


def open_codes(conn: sqlite3.Connection) -> None:
    """Make the table in `conn` in which the codes of graph breaks wait for the link step, unless it is there."""
    conn.execute(
        "CREATE TEMP TABLE IF NOT EXISTS graph_break_codes (file_id INTEGER, code TEXT, message TEXT)"
    )


def _write_code(conn: sqlite3.Connection, file_id: int, fact: GraphBreakCode) -> None:
    open_codes(conn)
    conn.execute("INSERT INTO graph_break_codes VALUES (?, ?, ?)", (file_id, *fact))


def base_name(name: str) -> str:
    """The base of `name`: `mm` of `aten::mm.out`, of `torch.mm` and of `aten.mm.default`."""
    if "::" in name:
        return name.partition("::")[2].partition(".")[0]
    parts = name.split(".")
    if parts[0] in ("aten", "prims", "quantized", "quantized_decomposed") and len(parts) > 1:
        return parts[1]
    return parts[-1]
