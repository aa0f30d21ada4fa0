"""Which files of a tree are not as the index has them."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from indexer.scan.files import SourceFile, Unreadable
from indexer.scan.hashes import Hashes


class CannotUpdate(Exception):
    """Only a full build can do it; the message says why."""


@dataclass(frozen=True)
class Changes:
    """How a tree differs from its index.

    Args:
        added: files that the index has not.
        edited: files whose content or kind is another.
        removed: paths that the tree has no more.
        unreadable: whether what is passed over is not what the index says is.
    """

    added: list[SourceFile] = field(default_factory=list)
    edited: list[SourceFile] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    unreadable: bool = False

    def __bool__(self) -> bool:
        return bool(self.added or self.edited or self.removed or self.unreadable)

    @property
    def read(self) -> list[SourceFile]:
        """The files to be read."""
        return self.edited + self.added

    def paths(self) -> dict[str, list[str]]:
        """The paths by what happened to them; what did not happen is left out."""
        found = {
            "edited": [file.path for file in self.edited],
            "added": [file.path for file in self.added],
            "removed": self.removed,
        }
        return {how: paths for how, paths in found.items() if paths}


def find_changes(
    conn: sqlite3.Connection, listed: Iterable[SourceFile | Unreadable], hashes: Hashes
) -> Changes:
    """Compare a tree with its index.

    Args:
        conn: the index.
        listed: the tree's files.
        hashes: gives the content hash of each.
    """
    indexed = {
        path: (kind, sha)
        for path, kind, sha in conn.execute(
            "SELECT path, kind, sha FROM source_files WHERE kind NOT IN ('generated', 'external')"
        )
    }
    found = Changes()
    passed: list[tuple[str, str]] = []
    files = []
    for entry in listed:
        if isinstance(entry, Unreadable):
            passed.append((entry.path, entry.reason))
        else:
            files.append(entry)
    shas = hashes.of(files)
    unread = {
        row[0]
        for row in conn.execute(
            "SELECT file FROM coverage WHERE step = 0 AND layer = 'files' AND status = 'failed'"
        )
    }
    for file in files:
        known = indexed.pop(file.path, None)
        if known is None:
            # One that could not be read then and still cannot is no news.
            if shas[file.path] or file.path not in unread:
                found.added.append(file)
        elif known != (file.kind, shas[file.path]):
            found.edited.append(file)
    found.removed.extend(indexed)
    said = conn.execute(
        "SELECT file, detail FROM coverage WHERE step = 0 AND layer = 'files' AND status = 'skipped'"
        " ORDER BY id"
    ).fetchall()
    # What could not be read while it was being removed is not there any more.
    is_gone = not unread <= {file.path for file in files}
    return Changes(found.added, found.edited, found.removed, said != passed or is_gone)


def with_files(changes: Changes, files: Collection[SourceFile]) -> Changes:
    """The same changes, with further files to be read again.

    Args:
        changes: of the tree.
        files: those of them that are read anyway are left out.
    """
    have = {file.path for file in changes.read}
    more = [file for file in files if file.path not in have]
    return Changes(changes.added, changes.edited + more, changes.removed, changes.unreadable)
