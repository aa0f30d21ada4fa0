"""Which rows belong to a file as it was read, and taking them out or putting them in order again."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable

from indexer.sql_lists import INSIDE, chosen
from indexer.update.kept import kept_rows
from indexer.write.kept import remove_kept

# Rows whose ids depend on their file: deleted and written anew, nothing else moves.
_OF_FILES = (
    "functions",
    "macro_definitions",
    "macro_uses",
    "class_specializations",
    "operator_handles",
    "library_calls",
    "torchgen_rules",
    "documented_names",
    "python_docstrings",
    "artifact_uses",
)

# Numbered from one in the order of the files: put in order when one of their files changed.
_IN_ORDER = (
    "cpp_usings",
    "stub_declarations",
    "binding_owners",
    "kernels",
    "kernel_arguments",
    "python_binding_rules",
    "python_native_bindings",
    "written_calls",
    "opinfo_classes",
    "test_mains",
    "test_imports",
    "test_utility_uses",
    "test_messages",
    "compile_registrations",
    "compile_table_steps",
    "compile_lists",
    "compile_names",
    "compile_functions",
    "higher_order_operators",
    "dynamo_rules",
    "compile_options",
)

# What has no file of its own: the table above it, and the column that leads there.
_BELOW = (
    ("cpp_bases", "class_id", "cpp_classes", "file_id"),
    ("cpp_classes", "file_id", None, ""),
    ("python_bases", "class_id", "python_classes", "module_id"),
    ("python_exports", "module_id", "python_modules", "file_id"),
    ("python_bindings", "module_id", "python_modules", "file_id"),
    ("python_classes", "module_id", "python_modules", "file_id"),
    ("python_functions", "module_id", "python_modules", "file_id"),
    ("python_modules", "file_id", None, ""),
)

_OPERATORS = (
    "derivative_uses",
    "derivative_functions",
    "derivatives",
    "derivative_entries",
    "dispatch_replacements",
    "dispatch_registrations",
    "dispatch_kernels",
    "dispatch",
    "operator_fields",
    "operator_tags",
    "returns",
    "arguments",
    "operators",
    "tags",
)
"""What the YAML files say, and what is made of it; all of it is read again where one of them changed."""


def remove_files(
    conn: sqlite3.Connection, files: Collection[int], layer_of_tests: bool
) -> set[str]:
    """Take out what was read from some files; returns the tables that had any of it.

    Args:
        conn: the database that is brought up to date.
        files: their ids.
        layer_of_tests: whether bodies of test files are indexed.
    """
    parameter = (chosen(files),)
    changed: set[str] = set()

    def delete(table: str, condition: str) -> None:
        if conn.execute(f"DELETE FROM {table} WHERE {condition}", parameter).rowcount:
            changed.add(table)

    if layer_of_tests:
        _remove_bodies(conn, files)
    modules = f"module_id IN (SELECT id FROM python_modules WHERE file_id {INSIDE})"
    for table, column, above, key in _BELOW:
        if above is None:
            delete(table, f"file_id {INSIDE}")
        elif key == "file_id":
            delete(table, f"{column} IN (SELECT id FROM {above} WHERE file_id {INSIDE})")
        else:
            delete(table, f"{column} IN (SELECT id FROM {above} WHERE {modules})")
    delete(
        "compile_pattern_operators",
        f"pattern_id IN (SELECT id FROM compile_patterns WHERE file_id {INSIDE})",
    )
    for table in ("compile_patterns", *_OF_FILES, *_IN_ORDER):
        delete(table, f"file_id {INSIDE}")
    remove_kept(conn, files)
    conn.execute(
        "DELETE FROM coverage WHERE step = 0"
        f" AND file IN (SELECT path FROM source_files WHERE id {INSIDE})",
        parameter,
    )
    return changed


def _remove_bodies(conn: sqlite3.Connection, files: Collection[int]) -> None:
    # An index without content is told what it had.
    for _, rows in kept_rows(conn, "python_body_methods", files):
        conn.executemany(
            "INSERT INTO tests_bodies (tests_bodies, rowid, names) VALUES ('delete', ?, ?)",
            ((function_id, names) for function_id, _, names, _ in rows),
        )


def remove_operators(conn: sqlite3.Connection) -> None:
    """Take out of the database `conn` what the YAML files say."""
    for table in _OPERATORS:
        conn.execute(f"DELETE FROM {table}")


def put_in_order(conn: sqlite3.Connection, tables: Iterable[str], files: Collection[int]) -> None:
    """Number rows anew, in the order of the files, as a full build does.

    Args:
        conn: the database that is brought up to date.
        tables: that had rows of the files before they were read again.
        files: ids of those that were read.
    """
    parameter = (chosen(files),)
    touched = set(tables)
    for table in (*_IN_ORDER, "compile_patterns"):
        if table not in touched:
            row = conn.execute(
                f"SELECT 1 FROM {table} WHERE file_id {INSIDE} LIMIT 1", parameter
            ).fetchone()
            if row is None:
                continue
        if table == "compile_patterns":
            _order_patterns(conn)
        else:
            _order(conn, table)


def _order(conn: sqlite3.Connection, table: str) -> list[int]:
    """Rewrite a table; returns its old rowids, in the order of the new ones."""
    columns = [row[0] for row in conn.execute("SELECT name FROM pragma_table_info(?)", (table,))]
    columns = [name for name in columns if name != "id"]
    rows = conn.execute(
        f"SELECT rowid, {', '.join(columns)} FROM {table} ORDER BY file_id, rowid"
    ).fetchall()
    conn.execute(f"DELETE FROM {table}")
    conn.executemany(
        f"INSERT INTO {table} (rowid, {', '.join(columns)}) VALUES (?{', ?' * len(columns)})",
        ((n, *row[1:]) for n, row in enumerate(rows, 1)),
    )
    return [row[0] for row in rows]


def _order_patterns(conn: sqlite3.Connection) -> None:
    numbers = {old: new for new, old in enumerate(_order(conn, "compile_patterns"), 1)}
    rows = conn.execute("SELECT * FROM compile_pattern_operators").fetchall()
    conn.execute("DELETE FROM compile_pattern_operators")
    conn.executemany(
        "INSERT INTO compile_pattern_operators VALUES (?, ?, ?, ?)",
        sorted((numbers[row[0]], *row[1:]) for row in rows),
    )
