"""Operators that changed lines of a TORCH_LIBRARY block name: what is registered there is changed for them.

A line that a diff adds is in no index: `KERNEL_CPU(quantile, fp32)` in `TORCH_LIBRARY_IMPL(aten, AutocastCPU, m)`, or
`_(einsum)` in a list that the block hands to a macro (aten/src/ATen/autocast_mode.h). What a block's body is the
function of is in its name, as torch/library.h makes it: `TORCH_LIBRARY_IMPL_init_aten_AutocastCPU_0`.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from torchtalk.affected import queries
from torchtalk.affected.diff.diffs import Span
from torchtalk.affected.graph import aspects
from torchtalk.affected.graph.nodes import aspect, operator
from torchtalk.affected.places.changes import Seed
from torchtalk.affected.places.statements import is_open
from torchtalk.answers.base import Place

_WEIGHT = 0.9
_BLOCK = re.compile(r"(?:.*::)?TORCH_LIBRARY(?P<kind>_IMPL|_FRAGMENT)?_init_(?P<of>\w+)$")
# What begins a line there: a method of the library or a macro, and what it is given first. What wraps a kernel may
# begin a line as well, and names no operator.
_NAMED = re.compile(
    r"^[ \t]*(?:\w+\s*\.\s*(?:impl|def)|(?!(?:if|for|while|switch|return|TORCH_\w+|static_cast)\b)\w+)\s*\(\s*"
    r"(?:TORCH_SELECTIVE_(?:NAME|SCHEMA)\s*\(\s*)?\"?(?:(?P<namespace>\w+)::)?(?P<base>[A-Za-z_]\w*)",
    re.MULTILINE,
)


class Block(NamedTuple):
    """What a TORCH_LIBRARY block registers for.

    Args:
        namespace: of its operators; `_` of all.
        key: dispatch key, or empty.
    """

    namespace: str
    key: str


def block_of(function: str) -> Block | None:
    """The block that a function is the body of; None of other functions.

    Args:
        function: its name in full.
    """
    match = _BLOCK.match(function)
    if match is None:
        return None
    if not match["kind"]:
        return Block(match["of"], "")
    # Of those that a file may have several of, a number makes each name another.
    of = match["of"].rpartition("_")[0]
    if match["kind"] == "_FRAGMENT":
        return Block(of, "")
    namespace, _, key = of.rpartition("_")
    return Block(namespace, key)


def registered_on(
    conn: sqlite3.Connection, blocks: Iterable[Block], path: str, span: Span
) -> Iterator[Seed]:
    """The operators that lines of some blocks name.

    Args:
        conn: an index.
        blocks: in which the lines stand, or which use the macro that they stand in.
        path: of the lines' file.
        span: with its text.
    """
    text = "\n".join((*span.removed, *span.added))
    names = dict.fromkeys((match["namespace"], match["base"]) for match in _NAMED.finditer(text))
    place = Place(path, span.first)
    for block in blocks if names else ():
        for given, base in names:
            namespace = given or block.namespace
            values = {"namespace": namespace, "base": base}
            if conn.execute(queries("places")["has_operator"], values).fetchone():
                yield from registered_for(f"{namespace}::{base}", block.key, place, span.number)


def registered_at(
    conn: sqlite3.Connection, file: sqlite3.Row, span: Span, statement: int | None
) -> Iterator[Seed]:
    """The operators that code on lines of a C++ file registers something for.

    Args:
        conn: an index.
        file: its row.
        span: the lines.
        statement: where the one begins that the first of them stand in, if it does above them.
    """
    first = span.first if statement is None else statement
    at = {"file": file["id"], "first": first, "last": max(span.last, statement or 0)}
    for row in conn.execute(queries("places")["registrations_at"], at).fetchall():
        if row["line"] == statement or span.first <= row["line"] <= span.last:
            place = Place(file["path"], row["line"])
            yield from registered_for(row["name"], row["dispatch_key"] or "", place, span.lines)


def registered_for(name: str, key: str, place: Place, lines: int) -> Iterator[Seed]:
    """An operator that something is registered for, or what it is for a dispatch key.

    Args:
        name: of the operator.
        key: dispatch key, or empty.
        place: of what registers it.
        lines: how many of its lines changed.
    """
    of = operator(name)
    about = aspects.of_keys([key]) if key else ()
    for one in about:
        yield Seed(aspect(of, one), _WEIGHT, place, lines, f"for {one}")
    if not about:
        yield Seed(of, _WEIGHT, place, lines)


def statement_above(registering: Iterable[int], block: int, span: Span) -> int | None:
    """The first line of the statement of a block that lines stand in, where it begins above them.

    `m.impl(` may have the operator's name and the kernel on lines of their own. What the diff has above the lines tells
    whether it ends there; where that does not reach so far, the next statement above is taken for it.

    Args:
        registering: the lines of the file on which statements begin that register something.
        block: the first line of the block.
        span: the lines, with what stands above them.
    """
    is_inserted = span.last < span.first
    own = (line for line in registering if block <= line < span.first + (not is_inserted))
    begin = max(own, default=span.first)
    if begin == span.first:
        return None
    top = span.first - len(span.above)
    if begin >= top:
        return begin if is_open(span.above[begin - top :]) else None
    # Lines that are inserted may begin something.
    return None if is_inserted else begin
