"""DispatchStubs into their tables."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from indexer.facts.stubs import StubDeclaration, StubFact, StubRegistration


def write_stubs(conn: sqlite3.Connection, file_id: int, facts: Iterable[StubFact]) -> None:
    """Insert one file's declarations, registrations and uses; names stay as written until linked.

    Args:
        conn: the database being built.
        file_id: of the file.
        facts: that its extractor found, in their order.
    """
    declarations, registrations, uses = [], [], []
    for fact in facts:
        if isinstance(fact, StubDeclaration):
            declarations.append(
                (fact.name, fact.kind, fact.type or None, fact.macro or None, file_id, fact.line)
            )
        elif isinstance(fact, StubRegistration):
            registrations.append(
                (fact.stub, fact.scope, fact.backend, fact.kernel, fact.template_arguments or None,
                 fact.form, fact.macro or None, fact.kernel_line or None, file_id, fact.line)
            )  # fmt: skip
        else:
            uses.append(
                (
                    fact.stub,
                    fact.scope,
                    fact.caller,
                    fact.how,
                    fact.device or None,
                    file_id,
                    fact.line,
                )
            )
    conn.executemany(
        "INSERT INTO stub_declarations (name, kind, type, macro, file_id, line)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        declarations,
    )
    conn.executemany(
        "INSERT INTO stub_registrations (stub, scope, backend, kernel, template_arguments, form,"
        " macro, kernel_line, file_id, line) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        registrations,
    )
    conn.executemany(
        "INSERT INTO stub_callers (stub, scope, function, how, device, file_id, line)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        uses,
    )
