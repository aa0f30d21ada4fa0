"""Writing a snapshot's file for another machine."""

from __future__ import annotations

import shutil
from pathlib import Path

from indexer.scan.tree import SourceTree
from indexer.snapshot.archive import Archive, kept_as, write_archive
from indexer.snapshot.databases import describe, opened
from indexer.snapshot.errors import NoSuchSnapshot
from indexer.snapshot.manifest import Manifest
from indexer.snapshot.store import Store


def export_index(database: Path, tree: SourceTree | None, target: Path) -> Manifest:
    """Write an index as it is now.

    Args:
        database: the index.
        tree: that it was made from, if it is here.
        target: the file to write.

    Raises:
        SnapshotError: the index cannot be read, or the file not be written.
    """
    with opened(database) as (conn, file):
        manifest = describe(conn, file, tree)
        write_archive(manifest, file, target)
    return manifest


def export_kept(store: Store, name: str, target: Path) -> Manifest:
    """Write a snapshot of a store.

    Args:
        store: that has it.
        name: of the snapshot.
        target: the file that is written, in one step.

    Raises:
        SnapshotError: there is none, it cannot be used, or the file not be written.
    """
    path = store.path(name)
    if not path.is_file():
        raise NoSuchSnapshot(store.none(name))
    with kept_as(target) as copy:
        shutil.copyfile(path, copy)
        with Archive(copy) as archive:
            return archive.manifest
