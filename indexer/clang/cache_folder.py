"""The folder that everything made of trees is kept in: shared by trees and runs, one file at a time."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from indexer.progress import Progress

_KEPT_DAYS = 14.0
_MOST = 4 << 30
"""Bytes that are kept at most; one state of a tree takes about half a gigabyte."""
_FOLDER = 100 << 20  # about what generated headers take


@contextlib.contextmanager
def parsing_lock(folder: Path, root: Path, progress: Progress) -> Iterator[None]:
    """Let one process at a time parse a tree: the next one finds what this one has parsed.

    The kernel frees it however a process ends.

    Args:
        folder: where what is parsed is kept.
        root: of the tree.
        progress: told where there is somebody to wait for.

    Raises:
        OSError: the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(_of_tree(folder, root, "lock"), os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            progress.stage("wait for another process that parses this tree", 0)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def texts_path(folder: Path, root: Path) -> Path:
    """Where the texts of the tree at `root` are kept in the cache `folder`, between its runs."""
    return _of_tree(folder, root, "texts")


def _of_tree(folder: Path, root: Path, suffix: str) -> Path:
    """A file of a tree in the folder that all trees share."""
    return folder / f"{hashlib.sha256(os.fsencode(root)).hexdigest()[:24]}.{suffix}"


def tidy(folder: Path, begun: float, most: int = _MOST) -> None:
    """Throw away what no run has used for some time, and what has been unused for longest where there is too much.

    Args:
        folder: where everything is kept.
        begun: when this run began, in seconds since the epoch; what it used is kept.
        most: how many bytes may be kept, as far as what was used before this run is concerned.
    """
    entries = []
    for entry in folder.iterdir():
        with contextlib.suppress(OSError):
            status = entry.stat()
            entries.append((status.st_mtime, _FOLDER if entry.is_dir() else status.st_size, entry))
    total = sum(size for _, size, _ in entries)
    for modified, size, entry in sorted(entries):
        if modified < begun and (modified < begun - _KEPT_DAYS * 86400 or total > most):
            total -= size
            if entry.is_dir():
                shutil.rmtree(entry, ignore_errors=True)
            else:
                with contextlib.suppress(OSError):
                    entry.unlink()
