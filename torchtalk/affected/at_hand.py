"""The text of one file as the index read it: the tree's own, or what that was before a diff was applied to it."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Sequence

from torchtalk.affected.diff.diffs import FileChange, Span
from torchtalk.affected.sources import Sources


def as_indexed(
    conn: sqlite3.Connection, file: sqlite3.Row, change: FileChange | None = None
) -> str | None:
    """The text whose lines are those of the index; None where neither the tree nor the diff has it.

    Args:
        conn: an index.
        file: its row, with id, path and sha.
        change: what a diff says of the file, where one is asked about. Its lines are taken back where the tree has
            them already, and put in where only the index does.
    """
    source = Sources(conn).read(file)
    if source is None or source.is_indexed:
        return None if source is None else source.text
    if change is None:
        return None
    before = _replaced(source.text, change.new, [span.removed for span in change.new])
    after = _replaced(source.text, change.old, [span.added for span in change.old])
    return next((text for text in (before, after) if _blob(text) == file["sha"]), None)


def _replaced(text: str, spans: Sequence[Span], by: Sequence[tuple[str, ...]]) -> str:
    lines = text.split("\n")
    for span, other in sorted(zip(spans, by, strict=True), key=lambda one: -one[0].first):
        lines[span.first - 1 : span.last] = other
    return "\n".join(lines)


def _blob(text: str) -> str:
    data = text.encode("utf-8", "replace")
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
