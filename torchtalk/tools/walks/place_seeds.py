"""From a file, or lines of one, to the nodes that stand there, or that what stands there belongs to."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

from torchtalk.affected import queries
from torchtalk.affected.diff.diffs import Span
from torchtalk.affected.places.declared import declared_on
from torchtalk.affected.places.lines import WHOLE_FILE, seeds_at
from torchtalk.graph import nodes
from torchtalk.names.files import Written, files_named
from torchtalk.testing.installed import is_installed
from torchtalk.tools.walks.meant import Seeds, cpp_class


def place_seeds(conn: sqlite3.Connection, file: Written) -> Seeds:
    """What stands in a file or on lines of one, or what belongs to these.

    Args:
        conn: an index.
        file: as it was written.
    """
    rows, notes = files_named(conn, file.path)
    if len(rows) != 1:
        paths = tuple(row["path"] for row in rows)
        notes = (
            ()
            if paths
            else (f"no file of this index is called {file.path}", *_not_packaged(conn, file.path))
        )
        return Seeds(candidates=paths, notes=notes, is_place=True)
    row = rows[0]
    first = 1 if file.first is None else file.first
    last = WHOLE_FILE if file.last is None else file.last
    found: list[int] = []
    for seed in seeds_at(conn, row, Span(first, max(first, last))):
        found += _of_change(conn, seed.node.kind, seed.node.key)
    where = row["path"] if file.first is None else f"{row['path']}:{file.first}"
    where += f"-{file.last}" if file.last != file.first else ""
    if file.first is not None and len(found) > 1:
        found = _innermost(conn, found)
    if file.first is None or found:
        return Seeds(tuple(dict.fromkeys(found)), where, notes, is_place=True)
    nothing = Seeds((), where, notes, is_place=True)
    inside = _in_class(conn, row, first, nothing)
    if not inside.nodes and row["kind"] not in ("python", "yaml", "metal"):
        functions, told = declared_on(conn, row, first, max(first, last))
        if functions:
            codes = tuple(nodes.code(nodes.FUNCTION, function) for function in functions)
            return replace(nothing, nodes=codes, notes=(*notes, *told))
    near = () if inside.nodes else _near(conn, row["id"], first)
    return replace(inside, notes=(*inside.notes, *near))


def _not_packaged(conn: sqlite3.Connection, path: str) -> tuple[str, ...]:
    """Whether an installed package is why a C++ or CUDA file is not there."""
    if path.rpartition(".")[2] in ("py", "pyi", "yaml", "yml") or not is_installed(conn):
        return ()
    return (
        "this is the index of an installed package, which has headers and no other C++ sources",
    )


def _near(conn: sqlite3.Connection, file: int, line: int) -> tuple[str, ...]:
    """Which definitions stand next above and below a line."""
    rows = conn.execute(nodes.sql()["next_to"], {"file": file, "line": line}).fetchall()
    told = [
        f"{row['name']} ends above it in line {row['end_line']}" if row["end_line"] < line
        else f"{row['name']} begins below it in line {row['line']}"
        for row in rows
    ]  # fmt: skip
    return (", ".join(told),) if told else ()


def _in_class(conn: sqlite3.Connection, file: sqlite3.Row, line: int, nothing: Seeds) -> Seeds:
    """The C++ class whose head a line is; a line in the body of one, which no function has, says of which."""
    at = {"file": file["id"], "first": line, "last": line}
    row = conn.execute(queries("places")["cpp_class_at"], at).fetchone()
    if row is None:
        return nothing
    if row["line"] == line:
        found = cpp_class(conn, row["name"], nothing.notes)
        return replace(found, is_place=True) if found.nodes else nothing
    note = f"it stands in the body of the C++ class {row['name']} ({file['path']}:{row['line']}): ask for that"
    return replace(nothing, notes=(*nothing.notes, note))


def _of_change(conn: sqlite3.Connection, kind: str, key: int | str) -> list[int]:
    """The nodes of something that `affected` knows."""
    if kind in ("operator", "aspect"):
        namespace, _, base = str(key).partition("\t")[0].partition("::")
        rows = conn.execute(
            "SELECT id FROM operators WHERE base = ? AND namespace = ? ORDER BY id",
            (base, namespace),
        )
        return [nodes.code(nodes.OPERATOR, row["id"]) for row in rows]
    if kind == "stub":
        rows = conn.execute(nodes.sql()["stub_named"], {"name": key})
        return [nodes.code(nodes.STUB, row["id"]) for row in rows]
    numbers = {
        "cpp": nodes.FUNCTION,
        "kernel": nodes.KERNEL,
        "python": nodes.PYTHON,
        "class": nodes.CLASS,
    }
    return [nodes.code(numbers[kind], int(key))] if kind in numbers else []


def _innermost(conn: sqlite3.Connection, found: list[int]) -> list[int]:
    """Without Python functions and classes that only stand around another that is meant."""
    known = nodes.describe(conn, found)
    python = [known[n] for n in found if n & 15 in (nodes.PYTHON, nodes.CLASS) and n in known]
    around = {
        outer.code for outer in python for inner in python
        if inner.code != outer.code and inner.name.startswith(f"{outer.name}.")
    }  # fmt: skip
    return [n for n in found if n not in around]
