"""Keeping what was seen of a tree beside the index that was made of it."""

from __future__ import annotations

from pathlib import Path

from indexer.scan.files import list_files
from indexer.scan.hashes import Hashes
from indexer.scan.stamps import Stamps
from indexer.scan.tree import SourceTree
from indexer.update.changes import find_changes
from indexer.update.previous import connect_read_only


def keep_seen(tree: SourceTree, target: Path, hashes: Hashes, stamps: Stamps) -> None:
    """Write down what the next look at the tree need not find out again.

    Args:
        tree: that was read.
        target: its index, as it is now.
        hashes: of the tree's files.
        stamps: of its listing, before anything was read.
    """
    hashes.save(target, stamps if stamps.can_be_trusted else _again(tree, target, hashes, stamps))


def _again(tree: SourceTree, target: Path, hashes: Hashes, stamps: Stamps) -> Stamps | None:
    """Of a tree that had only just been made when it was listed: another look, if it is still as it was read."""
    if not stamps.can_be_trusted_by_now:
        return None
    again = Stamps()
    conn = connect_read_only(target)
    try:
        changes = find_changes(conn, list_files(tree, again), hashes.again())
    finally:
        conn.close()
    return again if again.can_be_trusted and not changes else None
