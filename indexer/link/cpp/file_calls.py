"""The calls that are to be resolved, file by file, and their division among workers."""

from __future__ import annotations

import sqlite3
from itertools import accumulate
from typing import NamedTuple

from indexer.facts.cpp import CallColumns
from indexer.write import calls as kept_calls
from indexer.write.kept import kept_sizes

_ORIGINS = {kept_calls.WRITTEN: "syntax", kept_calls.MADE: "macro"}
"""What is kept of calls, and their origin."""


class FileCalls(NamedTuple):
    """Some calls of one file.

    Args:
        file_id: of the file.
        first_id: of the function that the calls number 0.
        calls: as extracted.
        origin: syntax, or macro where a macro's expansion holds them.
    """

    file_id: int
    first_id: int
    calls: CallColumns
    origin: str


def read_calls(conn: sqlite3.Connection, part: int = 0, parts: int = 1) -> list[FileCalls]:
    """The calls that are to be resolved, those that files write out and those of what macros make.

    Args:
        conn: the database.
        part: which of them, by their size.
        parts: how many there are; one is all.
    """
    sizes = [(size, what, file_id) for what in _ORIGINS for file_id, size in kept_sizes(conn, what)]
    ends = list(accumulate(size for size, _, _ in sizes))
    share = -(-ends[-1] // parts) if ends else 0
    chosen: dict[str, list[int]] = {what: [] for what in _ORIGINS}
    for end, (_, what, file_id) in zip(ends, sizes, strict=True):
        if (end - 1) // share == part:
            chosen[what].append(file_id)
    return [
        FileCalls(*row, _ORIGINS[what])
        for what, files in chosen.items()
        for row in kept_calls.read_calls(conn, what, files)
    ]
