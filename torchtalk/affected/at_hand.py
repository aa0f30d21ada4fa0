"""The text of one file as the index read it: the tree's own, or what that was before a diff was applied to it."""

from __future__ import annotations

import functools
import hashlib
import sqlite3
from collections.abc import Sequence

from torchtalk.affected.diff.diffs import FileChange, Span
from torchtalk.affected.sources import Sources


class AtHand:
    """A file whose text is read where it is asked for.

    Args:
        conn: an index.
        file: its row, with id, path and sha.
        change: what a diff says of the file, where one is asked about. Its lines are taken back where the tree has
            them already, and put in where only the index does.
    """

    def __init__(
        self, conn: sqlite3.Connection, file: sqlite3.Row, change: FileChange | None = None
    ) -> None:
        self._conn = conn
        self._file = file
        self._change = change

    @functools.cached_property
    def text(self) -> str | None:
        """The text whose lines are those of the index; None where neither the tree nor the diff has it."""
        source = Sources(self._conn).read(self._file)
        if source is None or source.is_indexed:
            return None if source is None else source.text
        if self._change is None:
            return None
        old, new = self._change.old, self._change.new
        before = _replaced(source.text, new, [span.removed for span in new])
        after = _replaced(source.text, old, [span.added for span in old])
        return next((text for text in (before, after) if _blob(text) == self._file["sha"]), None)

    @functools.cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines of the text; none where it is not at hand."""
        return tuple(self.text.split("\n")) if self.text is not None else ()

    def above(self, span: Span) -> tuple[str, ...]:
        """The lines above a span: all of the file, or as many as a diff has."""
        return self.lines[: span.first - 1] or span.above


def _replaced(text: str, spans: Sequence[Span], by: Sequence[tuple[str, ...]]) -> str:
    lines = text.split("\n")
    for span, other in sorted(zip(spans, by, strict=True), key=lambda one: -one[0].first):
        lines[span.first - 1 : span.last] = other
    return "\n".join(lines)


def _blob(text: str) -> str:
    data = text.encode("utf-8", "replace")
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
