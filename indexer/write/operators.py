"""Layer 1 into its tables."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from indexer.facts.operators import DerivativeEntry, Operator, Tag, TorchgenRule
from indexer.facts.schema import FunctionSchema


def write_tags(conn: sqlite3.Connection, tags: Iterable[Tag]) -> None:
    """Insert `tags`, those of tags.yaml, into the database `conn`."""
    conn.executemany(
        "INSERT OR IGNORE INTO tags (name, description, line) VALUES (?, ?, ?)",
        ((tag.name, tag.description, tag.line) for tag in tags),
    )


def write_rules(conn: sqlite3.Connection, file_id: int, rules: Iterable[TorchgenRule]) -> None:
    """Insert the sets read from one file of the tree's generator.

    Args:
        conn: the database being built.
        file_id: of the file.
        rules: the members of the sets.
    """
    conn.executemany(
        "INSERT OR IGNORE INTO torchgen_rules (name, value, file_id, line) VALUES (?, ?, ?, ?)",
        ((rule.name, rule.value, file_id, rule.line) for rule in rules),
    )


def write_schema(conn: sqlite3.Connection, operator_id: int, schema: FunctionSchema) -> None:
    """Insert the arguments and returns of one operator.

    Args:
        conn: the database being built.
        operator_id: of the operator.
        schema: its schema.
    """
    conn.executemany(
        "INSERT INTO arguments VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (
                operator_id,
                position,
                argument.name,
                argument.type.type,
                argument.default,
                argument.type.annotation,
                argument.type.is_write,
                argument.kwarg_only,
                argument.is_out,
            )
            for position, argument in enumerate(schema.arguments)
        ),
    )
    conn.executemany(
        "INSERT INTO returns VALUES (?, ?, ?, ?, ?)",
        (
            (operator_id, position, item.name, item.type.type, item.type.annotation)
            for position, item in enumerate(schema.returns)
        ),
    )


def _in_namespace(operator: Operator, name: str | None) -> str | None:
    return f"{operator.namespace}::{name}" if name else None


def _insert_operator(conn: sqlite3.Connection, file_id: int, operator: Operator) -> int | None:
    schema = operator.schema
    cursor = conn.execute(
        "INSERT OR IGNORE INTO operators (name, namespace, base, overload, schema, signature, kind,"
        " variants, structured, structured_delegate, structured_inherits, python_module,"
        " category_override, device_check, device_guard, manual_kernel_registration,"
        " manual_cpp_binding, use_const_ref_for_mutable_tensors, dispatch_written, generated_from,"
        " origin, file_id, line) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            operator.qualified_name,
            operator.namespace,
            schema.base,
            schema.overload,
            operator.func,
            operator.signature,
            schema.kind.value,
            operator.variants,
            operator.structured,
            _in_namespace(operator, operator.structured_delegate),
            operator.structured_inherits,
            operator.python_module,
            operator.category_override,
            operator.device_check,
            operator.device_guard,
            operator.manual_kernel_registration,
            operator.manual_cpp_binding,
            operator.use_const_ref_for_mutable_tensors,
            operator.dispatch is not None,
            operator.generated_from,
            "autogen" if operator.generated_from else "yaml",
            file_id,
            operator.line,
        ),
    )
    return cursor.lastrowid if cursor.rowcount else None


def write_operators(
    conn: sqlite3.Connection, file_id: int, operators: Iterable[Operator]
) -> list[str]:
    """Insert operators with their schemas, fields and dispatch entries.

    Args:
        conn: the database being built.
        file_id: of native_functions.yaml.
        operators: as extracted, in the file's order.

    Returns:
        What was left out: names that stand in the file a second time.
    """
    repeated: list[str] = []
    for operator in operators:
        operator_id = _insert_operator(conn, file_id, operator)
        if operator_id is None:
            repeated.append(f"line {operator.line}: {operator.qualified_name} stands here again")
            continue
        write_schema(conn, operator_id, operator.schema)
        conn.executemany(
            "INSERT OR IGNORE INTO operator_tags VALUES (?, ?)",
            ((operator_id, tag) for tag in operator.tags),
        )
        conn.executemany(
            "INSERT INTO operator_fields VALUES (?, ?, ?, ?, ?)",
            ((operator_id, *field) for field in _list_fields(operator)),
        )
        conn.executemany(
            "INSERT INTO dispatch (operator_id, dispatch_key, kernel, origin, file_id, line)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (
                (
                    operator_id,
                    entry.key,
                    entry.qualified_kernel,
                    "default" if operator.generated_from else "yaml",
                    file_id,
                    entry.line,
                )
                for entry in operator.dispatch or ()
            ),
        )
    return repeated


def _list_fields(operator: Operator) -> Iterable[tuple[str, int, str | None, str]]:
    for position, name in enumerate(operator.autogen):
        yield "autogen", position, None, name
    for position, name in enumerate(operator.cpp_no_default_args):
        yield "cpp_no_default_args", position, None, name
    for position, loop in enumerate(operator.ufunc_inner_loop):
        yield "ufunc_inner_loop", position, loop.key, f"{loop.name} ({loop.dtypes})"
    for position, line in enumerate(operator.precomputed):
        yield "precomputed", position, line.replaces, line.arguments


def write_derivatives(
    conn: sqlite3.Connection, file_id: int, entries: Iterable[DerivativeEntry]
) -> None:
    """Insert the entries of derivatives.yaml, their formulas and the functions they name.

    Args:
        conn: the database being built.
        file_id: of that file.
        entries: in its order.
    """
    for entry in entries:
        conn.execute(
            "INSERT OR IGNORE INTO derivative_entries VALUES (?, NULL, ?, ?, ?, ?)",
            (
                entry.operator,
                entry.schema,
                ",".join(entry.output_differentiability) or None,
                file_id,
                entry.line,
            ),
        )
        for formula in entry.formulas:
            derivative_id = conn.execute(
                "INSERT INTO derivatives"
                " (operator, dispatch_key, inputs, formula, file_id, line)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (
                    entry.operator,
                    formula.dispatch_key,
                    formula.inputs,
                    formula.formula,
                    file_id,
                    formula.line,
                ),
            ).lastrowid
            called = [(name, 0) for name in formula.functions]
            called += [(name, 1) for name in formula.methods]
            conn.executemany(
                "INSERT INTO derivative_functions VALUES (?, ?, ?, ?)",
                ((derivative_id, at, name, method) for at, (name, method) in enumerate(called)),
            )
