"""Whether the tree that an index was made from has changed since."""

from __future__ import annotations

import datetime
import sqlite3
from dataclasses import dataclass
from pathlib import Path


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


def tree_state(conn: sqlite3.Connection, examples: int = 5) -> TreeState:
    """Compare the tree with the index, reading only files that were touched since it was built.

    Args:
        conn: an index; its `meta` names the tree.
        examples: how many changed files to name.
    """
    from indexer.scan.files import SourceFile, blob_id, list_files
    from indexer.scan.tree import NotAPyTorchTree, open_tree

    meta = dict(conn.execute("SELECT key, value FROM meta").fetchall())
    try:
        tree = open_tree(Path(meta["source_root"]))
    except (NotAPyTorchTree, KeyError, TypeError):
        return TreeState("absent")
    built = datetime.datetime.fromisoformat(meta["built_at"]).timestamp() * 1e9
    indexed = {
        path: (size, sha) for path, size, sha in
        conn.execute("SELECT path, size, sha FROM source_files")
    }  # fmt: skip
    passed_over = {
        row[0] for row in conn.execute("SELECT file FROM coverage WHERE layer = 'files'")
    }
    found: list[str] = []
    for file in list_files(tree):
        known = indexed.pop(file.path, None)
        if not isinstance(file, SourceFile) or file.path in passed_over:
            continue
        if known is None:
            found.append(f"added: {file.path}")
        elif file.size != known[0]:
            found.append(f"edited: {file.path}")
        elif file.mtime_ns >= built:
            try:
                edited = blob_id((tree.root / file.path).read_bytes()) != known[1]
            except OSError:
                edited = True
            if edited:
                found.append(f"edited: {file.path}")
    found += [f"removed: {path}" for path in sorted(indexed)]
    return TreeState("changed" if found else "unchanged", len(found), tuple(found[:examples]))
