"""What stands on lines of a file: functions, operators and formulas, entries, registrations, stubs and kernels."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace

from torchtalk.affected import queries
from torchtalk.affected.diff.diffs import Span
from torchtalk.affected.graph.nodes import Node, entry, operator, spread
from torchtalk.affected.places.added import only_adds_entries
from torchtalk.affected.places.backend_lists import listed_at
from torchtalk.affected.places.bound import Bound
from torchtalk.affected.places.changes import Seed
from torchtalk.affected.places.dispatched import formula_of, keys_changed
from torchtalk.affected.places.heads import cpp_below, python_above, python_below
from torchtalk.affected.places.library import (
    block_of,
    registered_at,
    registered_for,
    registered_on,
    statement_above,
)
from torchtalk.answers.base import Place
from torchtalk.sqlfile import listed

_CLASS = 0.7
_REGISTRATION = 0.9
_HELPER = 0.8


def seeds_at(
    conn: sqlite3.Connection,
    file: sqlite3.Row,
    span: Span,
    bound: Bound | None = None,
    *,
    is_alone: bool = False,
) -> Iterator[Seed]:
    """What stands on lines of a file.

    Args:
        conn: an index.
        file: its row, as the statement `file` of `places` has it.
        span: the lines, in the file as the index read it; without text their comments count as well.
        bound: what the file binds, where more of its lines are asked for.
        is_alone: leave out what a statement of C++ registers that begins above the lines.

    Returns:
        A seed for each function, operator, entry, stub or kernel; nothing where lines stand in none.
    """
    sql = queries("places")
    at = {"file": file["id"], "first": span.first, "last": span.last}
    path = file["path"]
    if file["kind"] == "yaml":
        yield from _yaml(conn, path, at, span)
        return
    if file["kind"] == "python":
        yield from _python(conn, path, at, span)
        return
    stubs = conn.execute(sql["stubs_at"], at).fetchall()
    lines = {row["line"] for row in stubs}
    # What REGISTER_DISPATCH makes is DispatchStub::DEFAULT for all of them (aten/src/ATen/native/DispatchStub.h).
    rows = [
        row
        for row in conn.execute(sql["cpp_at"], at).fetchall()
        if row["kind"] != "variable" or row["line"] not in lines
    ]
    bound = bound or Bound(conn, file)
    binds = list(bound.on(rows, span))
    blocks = {row["id"]: block for row in rows if (block := block_of(row["name"])) is not None}
    begin = max((row["line"] for row in rows if row["id"] in blocks), default=span.first)
    is_within = bool(blocks) and not is_alone
    statement = statement_above(bound.registrations, begin, span) if is_within else None
    registered = list(registered_at(conn, file, span, statement))
    if binds:
        # A TORCH_LIBRARY block binds classes as well (`m.class_`, torch/custom_class.h).
        yield from (*binds, *registered)
        return
    if not (rows or stubs) and (below := cpp_below(conn, file["id"], span)):
        rows = [below]
    named = list(registered_on(conn, blocks.values(), path, span)) if blocks else []
    yield from named
    for row in rows:
        is_part = row["line"] < span.first or row["end_line"] > span.last
        # What a part of a block registers is not what the block's other statements do.
        if row["id"] not in blocks or not (named or (registered and is_part)):
            yield _seed("cpp", row, path, span)
    if named:
        yield from (seed for seed in registered if seed.place.line == statement)
        return
    yield from registered
    for row in stubs:
        node = Node("stub", row["name"], row["name"])
        yield Seed(node, _REGISTRATION, Place(path, row["line"]), span.lines)
    if file["kind"] == "glsl" and not path.endswith(".glsl"):
        yield from _shader_variants(conn, path, at, span)
    elif file["kind"] in ("metal", "glsl"):
        yield from _gpu_kernels(conn, path, at, span)


def _gpu_kernels(
    conn: sqlite3.Connection, path: str, at: dict[str, int], span: Span
) -> Iterator[Seed]:
    """Kernels in Metal and shaders of Vulkan; what stands above all of them is for them."""
    sql = queries("places")
    weight = 1.0
    kernels = conn.execute(sql["gpu_kernels_at"], at).fetchall()
    if not kernels:
        kernels = conn.execute(sql["gpu_kernels_of_file"], at).fetchall()
        weight = _HELPER * spread(len(kernels))
    for row in kernels:
        node = Node("kernel", row["id"], row["name"])
        yield Seed(node, weight, Place(path, row["line"]), span.lines)


def _shader_variants(
    conn: sqlite3.Connection, path: str, at: dict[str, int], span: Span
) -> Iterator[Seed]:
    """The variants of Vulkan's shaders that a YAML file has made in these lines."""
    for row in conn.execute(queries("places")["shader_variants_at"], at).fetchall():
        node = Node("kernel", row["id"], row["name"])
        yield Seed(node, 1.0, Place(path, row["line"]), span.lines)


def _seed(kind: str, row: sqlite3.Row, path: str, span: Span, weight: float = 1.0) -> Seed:
    first, last = max(span.first, row["line"]), min(span.last, row["end_line"])
    # Above it stand its decorators, its template's parameters.
    lines = last - first + 1 if span.last >= row["line"] else span.lines
    node = Node(kind, row["id"], row["name"])
    return Seed(node, weight, Place(path, row["line"]), max(1, lines))


def test_seed(row: sqlite3.Row) -> Seed:
    """A test that is itself what changed, by its `row`, with the columns path, line, id and name."""
    place = Place(row["path"], row["line"])
    return Seed(Node("test", row["id"], ""), 1.0, place, how=row["name"])


def _yaml(conn: sqlite3.Connection, path: str, at: dict[str, int], span: Span) -> Iterator[Seed]:
    if only_adds_entries(span):
        return
    yield from listed_at(conn, path, at)
    sql = queries("places")
    keys = keys_changed(span)
    for row in conn.execute(sql["operators_at"], at).fetchall():
        place = Place(path, row["line"])
        if not keys:
            yield Seed(operator(row["name"]), 1.0, place, span.lines)
        # SparseCPU and SparseCUDA are one thing.
        named = (one for key in keys for one in registered_for(row["name"], key, place, span.lines))
        yield from {seed.node: seed for seed in named}.values()
    for row in conn.execute(sql["formulas_at"], at).fetchall():
        found = conn.execute(sql["operators_named"], {"names": listed((row["operator"],))})
        within = {**at, "operator": row["operator"], "end": row["end_line"]}
        keys = tuple(one["dispatch_key"] for one in conn.execute(sql["formula_keys_at"], within))
        place = Place(path, row["line"])
        for named in found.fetchall():
            yield Seed(formula_of(named["name"], keys), 1.0, place, span.lines)


def _python(conn: sqlite3.Connection, path: str, at: dict[str, int], span: Span) -> Iterator[Seed]:
    sql = queries("places")
    found = False
    for row in conn.execute(sql["opinfos_at"], at).fetchall():
        found = True
        yield Seed(entry(row), 1.0, Place(path, row["line"]), span.lines)
    is_within = False
    for row in conn.execute(sql["python_at"], at).fetchall():
        found = True
        is_within = is_within or row["end_line"] > span.last
        yield _seed("python", row, path, span)
    for row in conn.execute(sql["assigned_at"], at).fetchall() if not found else ():
        found = True
        yield replace(test_seed(row), lines=span.lines)
    if not found and (above := python_above(conn, at["file"], span)) is not None:
        yield _seed("python", above, path, span)
        return
    # What is next below the middle of a function is its own.
    below = None if is_within else python_below(conn, at["file"], span)
    if below is not None:
        yield _seed(below["kind"], below, path, span)
    elif not found:
        # The innermost class is what its own statements belong to.
        rows = conn.execute(sql["options_at"], at).fetchall()
        for row in rows:
            node = Node("option", row["id"], row["name"])
            yield Seed(node, 1.0, Place(path, row["line"]), 1)
        for row in conn.execute(sql["classes_at"], at).fetchall()[: not rows]:
            yield _seed("class", row, path, span, _CLASS)
