"""Bindings into their tables."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from indexer.facts.bindings import Binding, BindingFact, OperatorHandle


def write_bindings(conn: sqlite3.Connection, file_id: int, facts: Iterable[BindingFact]) -> None:
    """Insert one file's bindings and what they say of owners; paths are found by linking.

    Args:
        conn: the database being built.
        file_id: of the file.
        facts: that its extractor found, in their order.
    """
    bindings, owners, handles = [], [], []
    for fact in facts:
        if isinstance(fact, Binding):
            bindings.append(
                (fact.name, fact.owner or None, fact.cpp_name or None, fact.scope, fact.form,
                 file_id, fact.line)
            )  # fmt: skip
        elif isinstance(fact, OperatorHandle):
            handles.append((file_id, fact.line, fact.operator))
        else:
            owners.append((fact.node, fact.parent, fact.name, fact.scope, file_id, fact.line))
    conn.executemany(
        "INSERT INTO bindings (name, owner, cpp_name, scope, form, file_id, line)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        bindings,
    )
    conn.executemany("INSERT INTO binding_owners VALUES (?, ?, ?, ?, ?, ?)", owners)
    conn.executemany("INSERT OR IGNORE INTO operator_handles VALUES (?, ?, ?)", handles)
