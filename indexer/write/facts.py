"""From the name of an extractor to the writer of its facts."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any

from indexer.facts.operators import Shortfall
from indexer.write import files, operators

Writer = Callable[[sqlite3.Connection, int, list[Any]], None]


def _write_native_functions(conn: sqlite3.Connection, file_id: int, facts: list[Any]) -> None:
    repeated = operators.write_operators(conn, file_id, facts)
    if repeated:
        path = conn.execute("SELECT path FROM source_files WHERE id = ?", (file_id,)).fetchone()[0]
        files.write_coverage(
            conn, path, (Shortfall("operators", "partial", detail) for detail in repeated)
        )


def _write_tags(conn: sqlite3.Connection, file_id: int, facts: list[Any]) -> None:
    operators.write_tags(conn, facts)


WRITERS: dict[str, Writer] = {
    "native_functions": _write_native_functions,
    "tags": _write_tags,
    "derivatives": operators.write_derivatives,
    "torchgen_rules": operators.write_rules,
}


def write_facts(
    conn: sqlite3.Connection, path: str, file_id: int, facts: dict[str, list[Any]]
) -> None:
    """Insert what the extractors found in one file; shortfalls become rows of coverage."""
    for extractor, found in facts.items():
        shortfalls = [fact for fact in found if isinstance(fact, Shortfall)]
        if shortfalls:
            files.write_coverage(conn, path, shortfalls)
            found = [fact for fact in found if not isinstance(fact, Shortfall)]
        WRITERS[extractor](conn, file_id, found)
