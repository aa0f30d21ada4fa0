"""Layer 5 into its tables, as the files tell it; indexer/link/60_tests.py makes tests of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from typing import Any

from indexer.facts.tests import (
    BodyNames,
    ExpectedMessages,
    InfoClass,
    Instantiation,
    ListPart,
    RunsTests,
    TestFact,
    TestImport,
    TestInfo,
    UtilityUses,
)
from indexer.write.ids import STRIDE, ceiling

# What only the link step needs, for as long as the connection lasts.
_UNLINKED = """
CREATE TEMP TABLE IF NOT EXISTS python_body_methods (
    function_id INTEGER PRIMARY KEY, methods TEXT NOT NULL, names TEXT NOT NULL,
    file_id INTEGER NOT NULL)
"""


def create_unlinked(conn: sqlite3.Connection) -> None:
    """Make the temporary table in `conn` that writing fills and linking reads, unless it is there."""
    conn.execute(_UNLINKED)


def write_tests(conn: sqlite3.Connection, file_id: int, facts: Iterable[TestFact]) -> None:
    """Insert what one Python file holds; its functions must be there already.

    Args:
        conn: the database being built.
        file_id: of the file.
        facts: that its extractor found, in their order.
    """
    by_type: dict[type, list[Any]] = {}
    for fact in facts:
        by_type.setdefault(type(fact), []).append(fact)
    for kind, write in _WRITERS.items():
        if kind in by_type:
            write(conn, file_id, by_type[kind])


def _write_infos(conn: sqlite3.Connection, file_id: int, infos: list[TestInfo]) -> None:
    # Until it is linked, an entry has the class as the file names it, and no kind.
    conn.executemany(
        "INSERT INTO opinfos (name, variant, aten_name, kind, class, class_name, aliases, subject,"
        " dtypes, sample_inputs, inplace, skips, maker_line, list_name, given_name, given_aten_name,"
        " given_variant, ref_name, ref_variant, file_id, line, end_line, fields)"
        " VALUES (?, ?, ?, 'other', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (
                info.name, info.variant or "", info.aten_name,
                info.class_target.rpartition(".")[2], info.class_target, info.aliases or None,
                info.subject or None, info.dtypes or None, info.sample_inputs or None,
                info.inplace or None, info.skips or None, info.maker_line, info.list_name or None, info.name,
                info.aten_name, info.variant, info.ref_name, info.ref_variant, file_id, info.line,
                info.end_line, info.fields,
            )
            for info in infos
        ),
    )  # fmt: skip


def _write_classes(conn: sqlite3.Connection, file_id: int, classes: list[InfoClass]) -> None:
    module = _module(conn, file_id)
    conn.executemany(
        "INSERT INTO opinfo_classes (name, template, file_id, line, fields) VALUES (?, ?, ?, ?, ?)",
        ((f"{module}.{c.name}", c.template, file_id, c.line, c.fields) for c in classes),
    )


def _write_parts(conn: sqlite3.Connection, file_id: int, parts: list[ListPart]) -> None:
    module = _module(conn, file_id)
    conn.executemany(
        "INSERT INTO opinfo_list_parts (list, target, class_target, condition, file_id, line)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (
            (
                f"{module}.{part.list_name}", part.target, part.class_target or None,
                part.condition or None, file_id, part.line,
            )
            for part in parts
        ),
    )  # fmt: skip


def _write_instantiations(
    conn: sqlite3.Connection, file_id: int, found: list[Instantiation]
) -> None:
    conn.executemany(
        "INSERT INTO test_instantiations (class_name, function, kind, arguments, file_id, line)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (
            (i.class_target, i.function, _kind(i.function), i.arguments, file_id, i.line)
            for i in found
        ),
    )


def _write_mains(conn: sqlite3.Connection, file_id: int, found: list[RunsTests]) -> None:
    conn.executemany(
        "INSERT INTO test_mains (file_id, line) VALUES (?, ?)",
        ((file_id, main.line) for main in found),
    )


def _write_imports(conn: sqlite3.Connection, file_id: int, found: list[TestImport]) -> None:
    conn.executemany(
        "INSERT INTO test_imports (target, file_id, line) VALUES (?, ?, ?)",
        ((imported.target, file_id, imported.line) for imported in found),
    )


def _write_uses(conn: sqlite3.Connection, file_id: int, found: list[UtilityUses]) -> None:
    conn.executemany(
        "INSERT INTO test_utility_uses (uses, file_id) VALUES (?, ?)",
        ((used.uses, file_id) for used in found),
    )


def _write_messages(conn: sqlite3.Connection, file_id: int, found: list[ExpectedMessages]) -> None:
    conn.executemany(
        "INSERT INTO test_messages (messages, file_id) VALUES (?, ?)",
        ((expected.messages, file_id) for expected in found),
    )


def _kind(function: str) -> str:
    last = function.rpartition(".")[2]
    if last.startswith("copy") or last == "del":
        return "copy"
    return "devices" if "device" in last else "parameters"


def _module(conn: sqlite3.Connection, file_id: int) -> str:
    """Name of the file's module, found by its id: there is no other index yet."""
    row = conn.execute(
        "SELECT name FROM python_modules WHERE id >= ? AND id < ? AND file_id = ?",
        (file_id * STRIDE, ceiling(conn, file_id), file_id),
    ).fetchone()
    if row is None:
        raise ValueError("a file's Python facts are written before those of its tests")
    return str(row[0])


def _functions(conn: sqlite3.Connection, file_id: int) -> dict[int, int]:
    """The functions of a file by line; of several on one line the first."""
    rows = conn.execute(
        "SELECT p.line, p.id FROM python_functions AS p JOIN python_modules AS m ON m.id = p.module_id"
        " WHERE p.id >= ? AND p.id < ? AND m.file_id = ? ORDER BY p.id DESC",
        (file_id * STRIDE, ceiling(conn, file_id), file_id),
    )
    return dict(rows.fetchall())


def _write_names(conn: sqlite3.Connection, file_id: int, found: list[BodyNames]) -> None:
    create_unlinked(conn)
    _module(conn, file_id)
    ids = _functions(conn, file_id)
    known = [(ids[names.line], names) for names in found if names.line in ids]
    conn.executemany(
        "INSERT INTO tests_bodies (rowid, names) VALUES (?, ?)",
        ((identity, names.names) for identity, names in known),
    )
    conn.executemany(
        "INSERT INTO python_body_methods VALUES (?, ?, ?, ?)",
        ((identity, names.methods, names.names, file_id) for identity, names in known),
    )


_WRITERS: dict[type, Callable[[sqlite3.Connection, int, list[Any]], None]] = {
    InfoClass: _write_classes,
    TestInfo: _write_infos,
    ListPart: _write_parts,
    Instantiation: _write_instantiations,
    RunsTests: _write_mains,
    TestImport: _write_imports,
    UtilityUses: _write_uses,
    ExpectedMessages: _write_messages,
    BodyNames: _write_names,
}
