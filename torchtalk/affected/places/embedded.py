"""Kernels in strings that are compiled at run time: a line of one is that kernel's, not of all that uses the string.

Metal's stand in sources of Objective-C++ and in headers (aten/src/ATen/native/mps/operations/BitwiseOps.mm,
aten/src/ATen/native/metal/MetalShaders.h).
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence

from torchtalk.affected import queries
from torchtalk.affected.at_hand import AtHand
from torchtalk.affected.diff.diffs import Span
from torchtalk.affected.graph.nodes import Node
from torchtalk.affected.places.changes import Seed
from torchtalk.answers.base import Place

# What is put in where the string is formatted, whose own brackets are written twice.
_FILLED_IN = re.compile(r"\{\d*\}")
_BRACKETS = re.compile(r"[{}]")
_ENDS = re.compile(r'R"([^()\\\s]{0,16})\(|\)([^()\\\s"]{0,16})"')


def embedded_at(
    conn: sqlite3.Connection, file: sqlite3.Row, span: Span, at_hand: AtHand
) -> list[Seed]:
    """The kernels within whose text lines stand.

    Args:
        conn: an index.
        file: its row.
        span: the lines.
        at_hand: the file's text.
    """
    rows = conn.execute(queries("places")["embedded_kernels"], {"file": file["id"]}).fetchall()
    if not rows:
        return []
    lines = at_hand.lines
    if len(lines) < span.last or not _in_string(lines[: span.first - 1]):
        return []
    found = [row for row in rows if span.first <= row["line"] <= span.last]
    above = max((row["line"] for row in rows if row["line"] < span.first), default=0)
    # Between kernels stand functions for them, and what the string begins with.
    if above and _is_open(lines[above - 1 : span.first - 1]):
        found += [row for row in rows if row["line"] == above]
    if not all(row["is_launched"] for row in found):
        return []  # by a name that is put together: who uses the string may
    return [
        Seed(
            Node("kernel", row["id"], row["name"]),
            1.0,
            Place(file["path"], row["line"]),
            span.lines,
        )
        for row in found
    ]


def _in_string(above: Sequence[str]) -> bool:
    """Whether a raw string begins above a line and does not end there."""
    delimiter = None
    for match in _ENDS.finditer("\n".join(above)):
        opened, closed = match.groups()
        if delimiter is None and opened is not None:
            delimiter = opened
        elif closed is not None and closed == delimiter:
            delimiter = None
    return delimiter is not None


def _is_open(lines: Sequence[str]) -> bool:
    """Whether a function that begins on the first line goes on behind the last: in its head, or in its body."""
    text = _FILLED_IN.sub("", "\n".join(lines))
    depth = 0
    for sign in _BRACKETS.findall(text):
        depth += 1 if sign == "{" else -1
        if depth <= 0:
            return False
    return depth > 0 or ";" not in text
