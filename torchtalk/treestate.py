"""Whether the tree that an index was made from has changed since."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from indexer.scan.hashes import Hashes

HashesByRoot = dict[str, "Hashes"]
"""What was seen of a tree's files, by its root: kept by who compares again and again."""


@dataclass(frozen=True)
class TreeState:
    """How a tree compares with its index.

    Args:
        state: `unchanged`, `changed`, or `absent` where the tree is not on this machine.
        changed: how many files were added, removed or edited.
        examples: some of them, as `edited: path`.
    """

    state: str
    changed: int = 0
    examples: tuple[str, ...] = ()


def tree_state(
    conn: sqlite3.Connection, examples: int = 5, seen: HashesByRoot | None = None
) -> TreeState:
    """Compare the tree with the index, reading only files that were touched since they were last seen.

    Args:
        conn: an index; its `meta` names the tree.
        examples: how many changed files to name.
        seen: what the last comparison saw, if the caller keeps it; it is brought up to date.
    """
    from indexer.scan.files import list_files
    from indexer.scan.hashes import Hashes, cache_path
    from indexer.scan.tree import NotAPyTorchTree, open_tree
    from indexer.update.changes import find_changes

    row = conn.execute("SELECT value FROM meta WHERE key = 'source_root'").fetchone()
    try:
        tree = open_tree(Path(row[0]))
    except (NotAPyTorchTree, TypeError):
        return TreeState("absent")
    root = str(tree.root)
    known = None if seen is None else seen.get(root)
    if known is None:
        database = conn.execute("PRAGMA database_list").fetchone()[2]
        hashes = Hashes(tree, cache_path(Path(database)) if database else None)
    else:
        hashes = known.again()
    changes = find_changes(conn, list_files(tree), hashes)
    if seen is not None:
        seen[root] = hashes
    found = [f"{how}: {path}" for how, paths in changes.paths().items() for path in paths]
    return TreeState("changed" if found else "unchanged", len(found), tuple(found[:examples]))
