"""From a file, or lines of one, to the nodes that stand there, or that what stands there belongs to."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

from torchtalk.affected import queries as affected_queries
from torchtalk.affected.diff.diffs import WHOLE_FILE, Span
from torchtalk.affected.graph.nodes import BOUND
from torchtalk.affected.places.declared import declared_on
from torchtalk.affected.places.library import block_of
from torchtalk.affected.places.standing import seeds_at
from torchtalk.affected.places.statements import beginning
from torchtalk.affected.sources import Sources
from torchtalk.counted import counted
from torchtalk.graph import nodes
from torchtalk.names.files import Written, files_named
from torchtalk.names.torchscript import registered_on
from torchtalk.testing.installed import is_installed
from torchtalk.tools.walks import queries
from torchtalk.tools.walks.file_seeds import declared_seeds
from torchtalk.tools.walks.question import Seeds, cpp_class

_WITHOUT_BODY = (nodes.OPERATOR, nodes.STUB, nodes.NATIVE, nodes.BINDING)
_MOST_READ = 12
"""So many files are looked at to tell which has a line."""


def place_seeds(conn: sqlite3.Connection, file: Written) -> Seeds:
    """What stands in a file or on lines of one, or what belongs to these.

    Args:
        conn: an index.
        file: as it was written.
    """
    rows, notes = files_named(conn, file.path)
    if len(rows) > 1 and file.first is not None:
        rows, more = _long_enough(conn, rows, file.first)
        notes += more
    if len(rows) != 1:
        behind = "" if file.first is None else f":{file.first}"
        paths = tuple(f"{row['path']}{behind}" for row in rows)
        notes = (
            ()
            if paths
            else (f"no file of this index is called {file.path}", *_not_packaged(conn, file.path))
        )
        return Seeds(candidates=paths, notes=notes, is_place=True)
    row = rows[0]
    first = 1 if file.first is None else file.first
    last = WHOLE_FILE if file.last is None else max(first, file.last)
    where = row["path"] if file.first is None else f"{row['path']}:{file.first}"
    where += f"-{file.last}" if file.last != file.first else ""
    lines = () if file.first is None else _lines(conn, row)
    if lines and first > len(lines):
        instead = f"{row['path']} has {counted(len(lines), 'line')} and no line {first}"
        return Seeds(notes=notes, is_place=True, instead=instead)
    found = _on(conn, row, first, last, lines)
    if lines and _are_outside(conn, found, first):
        start, registered = _registered_above(conn, row, first, lines)
        if registered:
            notes += (f"the statement begins in line {start}",)
            found = registered
    if lines and row["kind"] in ("cpp", "cuda"):
        notes += registered_on(conn, row["id"], first, last, lines)
    if file.first is None:
        found += _of_module(conn, row["id"])
    elif len(found) > 1:
        found = _innermost(conn, found)
    if file.first is None and not found:
        return declared_seeds(conn, row, notes)
    if found:
        return Seeds(tuple(dict.fromkeys(found)), where, notes, is_place=True)
    nothing = Seeds((), where, notes, is_place=True)
    inside = _in_class(conn, row, first, nothing)
    if not inside.nodes and row["kind"] not in ("python", "yaml", "metal", "glsl"):
        functions, told = declared_on(conn, row, first, last)
        if functions:
            codes = tuple(nodes.code(nodes.FUNCTION, function) for function in functions)
            return replace(nothing, nodes=codes, notes=(*notes, *told))
    near = () if inside.nodes else _near(conn, row["id"], first)
    return replace(inside, notes=(*inside.notes, *near))


def _on(
    conn: sqlite3.Connection, file: sqlite3.Row, first: int, last: int, lines: tuple[str, ...]
) -> list[int]:
    """The nodes that stand on lines of a file, whose text tells decorators and templates."""
    if file["kind"] == "yaml":
        at = {"file": file["id"], "first": first, "last": last}
        rows = conn.execute(queries("place_seeds")["operators_of_yaml"], at)
        return [nodes.code(nodes.OPERATOR, row["id"]) for row in rows]
    span = Span(first, last, removed=lines[first - 1 : last])
    found = [
        node
        for seed in seeds_at(conn, file, span, is_alone=True)
        for node in _of_change(conn, file["id"], seed.node.kind, seed.node.key)
    ]
    return _as_registered(conn, file, first, last, found)


def _of_module(conn: sqlite3.Connection, file: int) -> list[int]:
    """What a file of Python runs itself when it is imported: it stands on no line of its own."""
    rows = conn.execute(queries("place_seeds")["module_code"], {"file": file})
    return [nodes.code(nodes.PYTHON, row["id"]) for row in rows]


def _as_registered(
    conn: sqlite3.Connection, file: sqlite3.Row, first: int, last: int, found: list[int]
) -> list[int]:
    """What stands on lines, with those overloads alone that a statement there registers something for.

    `m.impl("pow.Scalar", f)` is of that one, and a name without a dot is the overload without a name (parseName in
    torch/csrc/jit/frontend/function_schema_parser.cpp, by Library::_impl). A macro may name others besides:
    `UNARY_POINTWISE(abs)` registers `abs_` as well.
    """
    at = {"file": file["id"], "first": first, "last": last}
    rows = conn.execute(queries("place_seeds")["registered_on"], at).fetchall()
    if not rows:
        return found
    own = {nodes.code(nodes.OPERATOR, row["id"]) for row in rows}
    others = {nodes.code(nodes.OPERATOR, row["other"]) for row in rows} - own
    return [*(n for n in found if n not in others), *sorted(own.difference(found))]


def _are_outside(conn: sqlite3.Connection, found: list[int], line: int) -> bool:
    """Whether nothing is found but the bodies of blocks that register, and functions that begin below a line."""
    known = nodes.describe(conn, found)
    return all(
        node in known
        and node & 15 == nodes.FUNCTION
        and (block_of(known[node].name) is not None or (known[node].place.line or 0) > line)
        for node in found
    )


def _registered_above(
    conn: sqlite3.Connection, file: sqlite3.Row, line: int, lines: tuple[str, ...]
) -> tuple[int, list[int]]:
    """What the statement registers or binds that goes on in a line, and where it begins."""
    begin = beginning(lines, line) if file["kind"] not in ("python", "yaml") else None
    while begin is not None:
        found = _on(conn, file, begin, begin, lines)
        if any(node & 15 in _WITHOUT_BODY for node in found):
            return begin, found
        begin = beginning(lines, begin)
    return line, []


def _long_enough(
    conn: sqlite3.Connection, rows: list[sqlite3.Row], line: int
) -> tuple[list[sqlite3.Row], tuple[str, ...]]:
    """Of files with one name the one that alone has so many lines, and what to say of that; else all."""
    if len(rows) > _MOST_READ:
        return rows, ()
    lengths = [len(_lines(conn, row)) for row in rows]
    chosen = [row for row, length in zip(rows, lengths, strict=True) if length >= line]
    if not all(lengths) or len(chosen) != 1:
        return rows, ()
    name = chosen[0]["path"].rpartition("/")[2]
    others = "the other file" if len(rows) == 2 else f"the {len(rows) - 1} other files"
    ends = "ends" if len(rows) == 2 else "end"
    return chosen, (
        f"taken as {chosen[0]['path']}: {others} called {name} {ends} before line {line}",
    )


def assigned_at(conn: sqlite3.Connection, file: Written) -> str | None:
    """The name in Python that a line gives to what another is, or a call makes: `gelu = _add_docstr(…)`.

    Args:
        conn: an index.
        file: as it was written.
    """
    rows, _ = files_named(conn, file.path)
    if len(rows) != 1 or rows[0]["kind"] != "python" or file.first is None:
        return None
    for line in (file.first, beginning(_lines(conn, rows[0]), file.first)):
        at = {"file": rows[0]["id"], "line": line}
        row = conn.execute(queries("place_seeds")["assigned_at"], at).fetchone()
        if row is not None:
            return str(row["name"])
    return None


def _lines(conn: sqlite3.Connection, file: sqlite3.Row) -> tuple[str, ...]:
    """The lines of a file; nothing where it is not here as it was indexed."""
    source = Sources(conn).read(file)
    if source is None or not source.is_indexed:
        return ()
    # A form feed ends no line.
    return tuple(source.text.removesuffix("\n").split("\n"))


def _not_packaged(conn: sqlite3.Connection, path: str) -> tuple[str, ...]:
    """Whether an installed package is why a C++ or CUDA file is not there."""
    if path.rpartition(".")[2] in ("py", "pyi", "yaml", "yml") or not is_installed(conn):
        return ()
    return (
        "this is the index of an installed package, which has headers and no other C++ sources",
    )


def _near(conn: sqlite3.Connection, file: int, line: int) -> tuple[str, ...]:
    """Which definitions stand next above and below a line."""
    rows = conn.execute(queries("place_seeds")["next_to"], {"file": file, "line": line}).fetchall()
    told = [
        f"{row['name']} ends above it in line {row['end_line']}" if row["end_line"] < line
        else f"{row['name']} begins below it in line {row['line']}"
        for row in rows
    ]  # fmt: skip
    return (", ".join(told),) if told else ()


def _in_class(conn: sqlite3.Connection, file: sqlite3.Row, line: int, nothing: Seeds) -> Seeds:
    """The C++ class whose head a line is; a line in the body of one, which no function has, says of which."""
    at = {"file": file["id"], "first": line, "last": line}
    row = conn.execute(affected_queries("places")["cpp_class_at"], at).fetchone()
    if row is None:
        return nothing
    if row["line"] == line:
        found = cpp_class(conn, row["name"], nothing.notes)
        return replace(found, is_place=True) if found.nodes else nothing
    note = f"it stands in the body of the C++ class {row['name']} ({file['path']}:{row['line']}): ask for that"
    return replace(nothing, notes=(*nothing.notes, note))


def _of_change(conn: sqlite3.Connection, file: int, kind: str, key: int | str) -> list[int]:
    """The nodes of something that `affected` knows on a line of a file."""
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
    if kind == BOUND:
        rows = conn.execute(queries("place_seeds")["bindings_named"], {"file": file, "name": key})
        return [nodes.code(nodes.BINDING, row["id"]) for row in rows]
    numbers = {
        "native": nodes.NATIVE,
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
