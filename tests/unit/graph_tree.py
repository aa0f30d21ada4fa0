"""The embedded tree's index, and where its C++ says what."""

from __future__ import annotations

from pathlib import Path

from indexer.build import build
from indexer.scan.tree import open_tree

_TREE = Path(__file__).parents[2] / "fixtures" / "pytorch"


def make_index(fixture: Path, folder: Path) -> Path:
    """An index of the tree."""
    database = folder / "graph.db"
    build(open_tree(fixture), database, workers=0)
    return database


def line_of(path: str, text: str) -> int:
    """The first line of a file that has a text in it."""
    lines = (_TREE / path).read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)
