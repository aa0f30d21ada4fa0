"""A tree of a few files and its index, for tests that need all layers of something small."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path

from indexer.build import build
from indexer.scan.tree import open_tree
from torchtalk.db import connect


@contextlib.contextmanager
def indexed(files: Mapping[str, str], folder: Path) -> Iterator[sqlite3.Connection]:
    """A connection to the index of a tree of these files, as tools have it.

    Args:
        files: content by path.
        folder: where the tree and the index are put.
    """
    root = folder / "tree"
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    database = folder / "small.db"
    build(open_tree(root), database, workers=0)
    connection = connect(database)
    yield connection
    connection.close()
