"""Operators that only code defines: their schemas into `operators`."""

from __future__ import annotations

import sqlite3

from indexer.facts.operators import Shortfall
from indexer.facts.schema import FunctionSchema, SchemaError
from indexer.write.files import write_coverage
from indexer.write.operators import write_schema
from indexer.write.registrations import LAYER


def write_defined_operators(conn: sqlite3.Connection) -> None:
    """Insert the operators of `registrations` that native_functions.yaml does not have.

    TorchScript's own operators (`kind = 'jit'`) are none of the dispatcher's and stay out. A definition without a
    schema text has it inferred from its kernel by torch: `schema` is NULL. Of several definitions under different
    `#if`s the first counts.

    Args:
        conn: the database, in a transaction; `registrations` must be filled.
    """
    rows = conn.execute(
        "SELECT r.operator, r.schema, r.tags, r.file_id, r.line, f.path FROM registrations AS r"
        " JOIN source_files AS f ON f.id = r.file_id WHERE r.kind = 'def' ORDER BY r.id"
    ).fetchall()
    written = {operator: schema for operator, schema, *_ in reversed(rows)}
    for operator, schema, tags, file_id, line, path in rows:
        namespace, _, name = operator.partition("::")
        base, _, overload = name.partition(".")
        if schema and schema.startswith("= "):
            like = written.get(schema[2:]) or ""
            schema = f"{operator}{like[like.index('(') :]}" if "(" in like else None
        parsed: FunctionSchema | None = None
        if schema:
            try:
                parsed = FunctionSchema.parse(schema)
            except SchemaError as error:
                detail = f"line {line}: schema of {operator}: {error}"
                write_coverage(conn, path, [Shortfall(LAYER, "partial", detail)])
        # PyTorch's own spelling of an in-place operator, where there is no schema to tell.
        kind = parsed.kind.value if parsed else "inplace" if base.endswith("_") else "functional"
        text = schema.split("::", 1)[-1] if schema else None
        cursor = conn.execute(
            "INSERT OR IGNORE INTO operators (name, namespace, base, overload, schema, kind, origin, file_id, line)"
            " VALUES (?, ?, ?, ?, ?, ?, 'library', ?, ?)",
            (operator, namespace, base, overload, text, kind, file_id, line),
        )
        if not cursor.rowcount or cursor.lastrowid is None:
            continue
        if parsed is not None:
            write_schema(conn, cursor.lastrowid, parsed)
        conn.executemany(
            "INSERT OR IGNORE INTO operator_tags VALUES (?, ?)",
            ((cursor.lastrowid, tag) for tag in (tags or "").split(",") if tag),
        )
