"""The embedded tree's index, the files of it that the graph's tests read, and where they say what."""

from __future__ import annotations

from pathlib import Path

from indexer.build import build
from indexer.scan.tree import open_tree

CPP = "aten/src/ATen/native/SoftCap.cpp"
CU = "aten/src/ATen/native/cuda/SoftCap.cu"
KERNEL = "aten/src/ATen/native/cpu/SoftCapKernel.cpp"
YAML = "aten/src/ATen/native/native_functions.yaml"
NATIVE = "at::native::"

_TREE = Path(__file__).parents[3] / "fixtures" / "pytorch"


def make_index(fixture: Path, folder: Path) -> Path:
    """An index of the tree."""
    database = folder / "graph.db"
    build(open_tree(fixture), database, workers=0)
    return database


def line_of(path: str, text: str) -> int:
    """The first line of a file that has a text in it."""
    lines = (_TREE / path).read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)
