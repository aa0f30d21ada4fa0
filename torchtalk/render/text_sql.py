"""The text of sql: a table whose values are parted by bars."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from torchtalk.answers.sql import SqlAnswer
from torchtalk.render.text import lines_of

_MOST_VALUE = 200  # characters of a value where not all of them have room
_ROOM = 20_000  # characters of the table
# What a terminal would take for an order: all of C0 but the tab, DEL, and C1.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@lines_of.register
def _(answer: SqlAnswer) -> Iterator[str]:
    if not answer.columns:
        return
    head = " | ".join(_text(column) for column in answer.columns)
    yield (
        head
        if len(head) <= _ROOM // 4
        else f"{head[: _ROOM // 4]}… ({len(answer.columns)} columns)"
    )
    if not answer.rows:
        return
    rows = [[_text(value) for value in row] for row in answer.rows]
    cut = 0
    if sum(len(value) + 3 for row in rows for value in row) > _ROOM:
        cut = sum(len(value) > _MOST_VALUE for row in rows for value in row)
        rows = [
            [v if len(v) <= _MOST_VALUE else f"{v[: _MOST_VALUE - 1]}…" for v in row]
            for row in rows
        ]
    room = _ROOM
    shown = 0
    for row in rows:
        line = " | ".join(row)
        if shown == 0 and len(line) > _ROOM // 2:
            line = f"{line[: _ROOM // 2]}…"
            cut += 1
        if len(line) >= room:
            break
        room -= len(line) + 1
        shown += 1
        yield line
    if shown < len(rows):
        yield f"cut here: {len(rows) - shown} of {len(rows)} rows left out; a smaller limit, or fewer columns"
    if cut:
        yield f"{cut} values cut at {_MOST_VALUE} characters; substr(x, n) shows the rest, --json all"


def _text(value: Any) -> str:
    """A value on one line."""
    if value is None:
        return "NULL"
    if not isinstance(value, str):
        return str(value)
    shown = value.replace("\\", "\\\\").replace("\r", "\\r").replace("\n", "\\n")
    return _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", shown)
