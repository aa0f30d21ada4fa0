"""Layer 4 into its tables."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator

from indexer.facts.python import (
    BINDING_KINDS,
    FUNCTION_KINDS,
    BindingRule,
    DocumentedName,
    NativeBinding,
    PythonFile,
    WrittenCall,
)
from indexer.write.calls import PYTHON, keep_calls
from indexer.write.ids import first_id

_BINDINGS = {kind: code for code, kind in enumerate(BINDING_KINDS)}
_FUNCTIONS = {kind: code for code, kind in enumerate(FUNCTION_KINDS)}

PythonFact = PythonFile | DocumentedName | BindingRule | NativeBinding | WrittenCall


def write_python(conn: sqlite3.Connection, file_id: int, facts: Iterable[PythonFact]) -> None:
    """Insert what one source file says about Python.

    Args:
        conn: the database being built.
        file_id: the file's row in `source_files`.
        facts: what the extractors of the python package found in it.
    """
    names: list[DocumentedName] = []
    rules: list[BindingRule] = []
    bindings: list[NativeBinding] = []
    written: list[WrittenCall] = []
    for fact in facts:
        if isinstance(fact, PythonFile):
            _write_file(conn, file_id, fact)
        elif isinstance(fact, DocumentedName):
            names.append(fact)
        elif isinstance(fact, BindingRule):
            rules.append(fact)
        elif isinstance(fact, WrittenCall):
            written.append(fact)
        else:
            bindings.append(fact)
    _write_documented(conn, file_id, names)
    _write_rules(conn, file_id, rules)
    _write_native_bindings(conn, file_id, bindings)
    conn.executemany(
        "INSERT INTO written_calls (name, is_called, line, writer, file_id) VALUES (?, ?, ?, ?, ?)",
        ((*call, file_id) for call in written),
    )


def _write_file(conn: sqlite3.Connection, file_id: int, file: PythonFile) -> None:
    module_id = first_id(conn, "python_modules", file_id, 1)
    conn.execute(
        "INSERT INTO python_modules (id, name, is_package, has_all, doc, file_id)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (
            module_id,
            file.module,
            file.is_package,
            file.exports is not None,
            file.doc or None,
            file_id,
        ),
    )
    conn.executemany(
        "INSERT INTO python_exports VALUES (?, ?, ?)",
        ((module_id, at, name) for at, name in enumerate(file.exports or ())),
    )
    conn.executemany(
        "INSERT INTO python_bindings (id, module_id, scope, name, code, target, line, guarded)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (n, module_id, b.scope, b.name, _BINDINGS[b.kind], b.target, b.line, b.guarded)
            for n, b in enumerate(
                file.bindings, first_id(conn, "python_bindings", file_id, len(file.bindings))
            )
        ),
    )
    conn.executemany(
        "INSERT INTO python_docstrings VALUES (?, ?, ?)",
        ((file_id, *lines) for lines in file.doc_lines),
    )
    class_ids = _write_classes(conn, file_id, module_id, file)
    first = _write_functions(conn, file_id, module_id, file, class_ids)
    if file.calls.data:
        keep_calls(conn, PYTHON, file_id, first, file.calls.data)


def _write_classes(
    conn: sqlite3.Connection, file_id: int, module_id: int, file: PythonFile
) -> dict[str, int]:
    first = first_id(conn, "python_classes", file_id, len(file.classes))
    # Where a name is defined twice (under `if`), its methods belong to the one above them.
    ids = {found.name: first + at for at, found in enumerate(file.classes)}
    conn.executemany(
        "INSERT INTO python_classes"
        " (id, module_id, name, last, decorators, doc, line, end_line, guarded)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (
                first + at,
                module_id,
                f"{file.module}.{found.name}",
                found.name.rpartition(".")[2],
                "\n".join(found.decorators) or None,
                found.doc or None,
                found.line,
                found.end_line,
                found.guarded,
            )
            for at, found in enumerate(file.classes)
        ),
    )
    conn.executemany(
        "INSERT INTO python_bases (class_id, position, written, target, name)"
        " VALUES (?, ?, ?, ?, ?)",
        (
            (first + at, position, written, target, target or written)
            for at, found in enumerate(file.classes)
            for position, (written, target) in enumerate(
                zip(found.bases, found.targets, strict=True)
            )
        ),
    )
    return ids


def _class_of(file: PythonFile, scope: str, line: int, ids: dict[str, int]) -> int | None:
    """The class that a function stands in: the last one of that name that begins above it."""
    if not scope:
        return None
    first = ids[file.classes[-1].name] - len(file.classes) + 1
    found = ids[scope]
    for at, candidate in enumerate(file.classes):
        if candidate.name == scope and candidate.line <= line:
            found = first + at
    return found


def _write_functions(
    conn: sqlite3.Connection,
    file_id: int,
    module_id: int,
    file: PythonFile,
    class_ids: dict[str, int],
) -> int:
    first = first_id(conn, "python_functions", file_id, len(file.functions))
    repeated = len(class_ids) != len(file.classes)

    def rows() -> Iterator[tuple[object, ...]]:
        for at, found in enumerate(file.functions):
            class_id = (
                _class_of(file, found.scope, found.line, class_ids)
                if repeated
                else class_ids.get(found.scope)
            )
            yield (
                first + at,
                module_id,
                class_id,
                found.name,
                _FUNCTIONS[found.kind],
                found.signature,
                found.returns,
                "\n".join(found.decorators) or None,
                found.doc or None,
                found.line,
                found.end_line,
                found.guarded,
            )

    conn.executemany(
        "INSERT INTO python_functions"
        " (id, module_id, class_id, name, code, signature, returns, decorators, doc, line,"
        " end_line, guarded) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        rows(),
    )
    return first


def _write_documented(
    conn: sqlite3.Connection, file_id: int, names: Iterable[DocumentedName]
) -> None:
    conn.executemany(
        "INSERT OR IGNORE INTO documented_names (name, section, position, line, file_id)"
        " VALUES (?, ?, ?, ?, ?)",
        ((*name, file_id) for name in names),
    )


def _write_rules(conn: sqlite3.Connection, file_id: int, rules: Iterable[BindingRule]) -> None:
    conn.executemany(
        "INSERT INTO python_binding_rules (kind, value, line, file_id) VALUES (?, ?, ?, ?)",
        ((*rule, file_id) for rule in rules),
    )


def _write_native_bindings(
    conn: sqlite3.Connection, file_id: int, bindings: Iterable[NativeBinding]
) -> None:
    conn.executemany(
        "INSERT INTO python_native_bindings (owner, name, operators, how, line, file_id)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        ((b.owner, b.name, ",".join(b.operators), b.how, b.line, file_id) for b in bindings),
    )
