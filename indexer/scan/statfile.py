"""What was seen of a tree, kept beside its database as `NAME.stat`.

Three parts, a line feed between them: the first and the second are JSON, of the whole and of each file; the third has
the paths whose times tell that nothing has changed, and only the bytes of zero between them, since a path may hold any
other. Whoever only asks whether something has changed leaves the second unread, which is the most.
"""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import Any, NamedTuple

from indexer.replacing import replace_file
from indexer.scan.stamps import Stamps

_VERSION = 2
_NOTHING: dict[str, Any] = {}


class Seen(NamedTuple):
    """What an earlier look saw.

    Args:
        looked: when it began, in nanoseconds.
        database: what its database's file was like.
        files: size, times, inode and content hash of each, by its path.
    """

    looked: int
    database: list[int] | None
    files: dict[str, list[Any]]


def stat_path(target: Path) -> Path:
    """The file beside the database `target` that says what was seen of the tree's files."""
    return target.with_name(target.name + ".stat")


def database_stamp(target: Path) -> list[int] | None:
    """What tells whether the database's file at `target` is the one that was written: its size, time and inode.

    Returns:
        None where there is none.
    """
    try:
        status = target.stat()
    except OSError:
        return None
    return [status.st_size, status.st_mtime_ns, status.st_ino]


def read_seen(path: Path | None, root: str) -> Seen:
    """What was kept of a tree's files; nothing where nothing was, or of another tree.

    Args:
        path: of the file, or None.
        root: of the tree.
    """
    with contextlib.suppress(OSError, ValueError, TypeError):
        if path is not None:
            head, files, _ = _parts(path)
            found, known = _header(head), json.loads(files)
            if found.get("root") == root and isinstance(known, dict):
                return Seen(int(found.get("looked", 0)), found.get("database"), known)
    return Seen(0, None, {})


def read_stamps(target: Path) -> Stamps | None:
    """What the tree looked like from which a database's file was made; None where that is not known.

    Args:
        target: the database's file, as it is now.
    """
    with contextlib.suppress(OSError, ValueError, TypeError):
        head, _, paths = _parts(stat_path(target))
        found = _header(head)
        digest = found.get("stamps")
        if isinstance(digest, int) and found.get("database") == database_stamp(target):
            return Stamps.kept([os.fsdecode(path) for path in paths.split(b"\0")], digest)
    return None


def write_seen(path: Path, root: str, seen: Seen, stamps: Stamps | None) -> None:
    """Keep what was seen.

    Args:
        path: of the file.
        root: of the tree.
        seen: of its files.
        stamps: of its folders and files, if they can be trusted.

    Raises:
        OSError: the folder refuses.
    """
    head = {"version": _VERSION, "root": root, "looked": seen.looked, "database": seen.database}
    head["stamps"] = None if stamps is None else stamps.digest
    paths = [] if stamps is None else stamps.paths
    _write(path, _packed(head), _packed(seen.files), b"\0".join(map(os.fsencode, paths)))


def note_database(target: Path) -> None:
    """Note that the database `target` was replaced without a look at the tree's files; nothing where none was noted."""
    path = stat_path(target)
    with contextlib.suppress(OSError, ValueError, TypeError):
        head, files, paths = _parts(path)
        if found := _header(head):
            _write(path, _packed({**found, "database": database_stamp(target)}), files, paths)


def _header(head: bytes) -> dict[str, Any]:
    found = json.loads(head)
    return found if isinstance(found, dict) and found.get("version") == _VERSION else _NOTHING


def _packed(values: dict[str, Any]) -> bytes:
    return json.dumps(values, separators=(",", ":")).encode()


def _parts(path: Path) -> tuple[bytes, bytes, bytes]:
    head, files, paths = path.read_bytes().split(b"\n", 2)
    return head, files, paths


def _write(path: Path, head: bytes, files: bytes, paths: bytes) -> None:
    replace_file(path, head, b"\n", files, b"\n", paths)
