"""From a fact to the writer of its kind."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any

from indexer.facts.operators import DerivativeEntry, Operator, Shortfall, Tag, TorchgenRule
from indexer.write import (
    bindings,
    compile,
    cpp,
    files,
    launches,
    library_calls,
    operators,
    python,
    registrations,
    stubs,
    tests,
)

Writer = Callable[[sqlite3.Connection, int, list[Any]], None]


def _write_operators(conn: sqlite3.Connection, file_id: int, facts: list[Any]) -> None:
    by_type: dict[type, list[Any]] = {}
    for fact in facts:
        by_type.setdefault(type(fact), []).append(fact)
    operators.write_tags(conn, by_type.get(Tag, []))
    operators.write_rules(conn, file_id, by_type.get(TorchgenRule, []))
    repeated = operators.write_operators(conn, file_id, by_type.get(Operator, []))
    operators.write_derivatives(conn, file_id, by_type.get(DerivativeEntry, []))
    files.write_coverage(
        conn, _path(conn, file_id), (Shortfall("operators", "partial", text) for text in repeated)
    )


def _write_cpp(conn: sqlite3.Connection, file_id: int, facts: list[Any]) -> None:
    cpp.write_cpp(conn, _path(conn, file_id), file_id, facts)


def _path(conn: sqlite3.Connection, file_id: int) -> str:
    row = conn.execute("SELECT path FROM source_files WHERE id = ?", (file_id,)).fetchone()
    return str(row[0])


# By the module that a fact's class stands in.
WRITERS: dict[str, Writer] = {
    "indexer.facts.operators": _write_operators,
    "indexer.facts.cpp": _write_cpp,
    "indexer.facts.registrations": registrations.write_registrations,
    "indexer.facts.stubs": stubs.write_stubs,
    "indexer.facts.bindings": bindings.write_bindings,
    "indexer.facts.launches": launches.write_launches,
    "indexer.facts.library_calls": library_calls.write_library_calls,
    "indexer.facts.python": python.write_python,
    "indexer.facts.tests": tests.write_tests,
    "indexer.facts.compile": compile.write_compile,
}


def write_facts(
    conn: sqlite3.Connection, path: str, file_id: int, facts: dict[str, list[Any]]
) -> None:
    """Insert what the extractors found in one file; shortfalls become rows of coverage.

    Args:
        conn: the database being built.
        path: of the file.
        file_id: its row in `source_files`.
        facts: by extractor.
    """
    for found in facts.values():
        by_module: dict[str, list[Any]] = {}
        shortfalls: list[Shortfall] = []
        for fact in found:
            if isinstance(fact, Shortfall):
                shortfalls.append(fact)
            else:
                by_module.setdefault(type(fact).__module__, []).append(fact)
        for module, group in by_module.items():
            WRITERS[module](conn, file_id, group)
        files.write_coverage(conn, path, shortfalls)
