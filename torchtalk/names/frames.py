"""The function that a line of a traceback names, where the indexed file has it on other lines."""

from __future__ import annotations

import re
import sqlite3

from torchtalk.names.files import files_named, written
from torchtalk.sqlfile import beside

_queries = beside(__file__)
_IN = re.compile(
    r'^\s*File "[^"]+", line \d+, in (?:[\w.<>]*\.)?([A-Za-z_]\w*)\s*(?:\(\))?\s*(?:\n|$)'
)


def of_frame(conn: sqlite3.Connection, text: str, place: str) -> tuple[str, str] | None:
    """Where the function of a frame stands in the index, whose tree may be of another version than what was run.

    Args:
        conn: an index.
        text: `File "torch/nn/modules/conv.py", line 456, in _conv_forward`, and what stands below it.
        place: the file and line in it.

    Returns:
        The line of the nearest function of that name, and a note that says so; None where the line is in one, or
        where the file has none.
    """
    frame, at = _IN.match(text), written(place)
    if frame is None or at is None or at.first is None:
        return None
    files, _ = files_named(conn, at.path)
    if len(files) != 1:
        return None
    asked = {"file": files[0]["id"], "name": frame[1]}
    rows = conn.execute(_queries("frames")["called_so"], asked).fetchall()
    line = at.first
    if not rows or any(row["line"] <= line <= row["end_line"] for row in rows):
        return None
    nearest = min(rows, key=lambda row: (abs(row["line"] - line), row["line"]))
    found = f"{files[0]['path']}:{nearest['line']}"
    which = f"the nearest of {len(rows)} such" if len(rows) > 1 else "which"
    return (
        found,
        f"line {line} of the indexed file is not in {frame[1]}, {which} begins in line {nearest['line']}",
    )
