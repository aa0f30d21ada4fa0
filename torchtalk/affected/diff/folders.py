"""Diffs whose paths begin in another folder than the index's: `git diff --relative`, a tree within a repository."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from torchtalk.affected import queries
from torchtalk.affected.diff.diffs import FileChange
from torchtalk.affected.diff.outside import what_is

# So many files tell where a diff's paths begin.
_MOST_LOOKED_AT = 12


class _Shift(NamedTuple):
    """What is put before paths, and how many folders are taken away there."""

    before: str
    without: int

    def of(self, path: str | None) -> str | None:
        return None if path is None else self.before + path.split("/", self.without)[-1]


def placed(
    conn: sqlite3.Connection, files: tuple[FileChange, ...]
) -> tuple[tuple[FileChange, ...], str]:
    """The changes of a diff with paths as the index has them, and what was done to the paths, or nothing.

    A diff of which any file is in the index is left as it is, and so is one that fits several folders.

    Args:
        conn: an index.
        files: what a diff changes.
    """
    sql = queries("places")
    files = tuple(map(_without_root, files))
    for change in files:
        for path in {change.old_path, change.new_path} - {None}:
            if conn.execute(sql["file"], {"path": path}).fetchone():
                return files, ""
    fitting: set[_Shift] | None = None
    telling = [one for one in files if one.old_path and what_is(one.path) is None]
    for change in telling[:_MOST_LOOKED_AT]:
        of_this = set(_fitting(conn, change))
        if of_this:
            fitting = of_this if fitting is None else fitting & of_this
    if fitting is None or len(fitting) != 1:
        return files, ""
    (shift,) = fitting
    example = telling[0]
    note = f"paths of the diff are taken to begin elsewhere: {example.path} for {shift.of(example.path)}"
    moved = tuple(
        replace(change, old_path=shift.of(change.old_path), new_path=shift.of(change.new_path))
        for change in files
    )
    return moved, note


def _without_root(change: FileChange) -> FileChange:
    """A change of which one side is told as `diff -u /tree/torch/x.py torch/x.py` does: no file moved."""
    old, new = change.old_path, change.new_path
    if old is None or new is None:
        return change
    if old.startswith(("/", "../")) and old.endswith(f"/{new}"):
        return replace(change, old_path=new)
    if new.startswith(("/", "../")) and new.endswith(f"/{old}"):
        return replace(change, new_path=old)
    return change


def _fitting(conn: sqlite3.Connection, change: FileChange) -> Iterator[_Shift]:
    """What makes a file's path one of the index; where its content is known, only those of this content."""
    sql = queries("places")
    path = change.path
    blobs = [blob for blob in (change.old_blob, change.new_blob) if blob.strip("0")]
    longer = {
        _Shift(row["path"][: -len(path)], 0): row["sha"]
        for row in conn.execute(sql["ending_so"], {"ending": f"/{path}"})
    }
    shorter: dict[_Shift, str] = {}
    # A file of the outermost folder may be one that is not indexed.
    for without in range(1, path.count("/")):
        shift = _Shift("", without)
        row = conn.execute(sql["file"], {"path": shift.of(path)}).fetchone()
        if row is not None:
            shorter[shift] = row["sha"]
            break
    every = longer | shorter
    same = [shift for shift, sha in every.items() if any(sha.startswith(blob) for blob in blobs)]
    if same:
        yield from same
    elif blobs or "/" not in path:
        # So may one that is called like the end of another's path.
        yield from shorter
    else:
        yield from every
