"""Two readings of a tree come to the rows that one would give."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from indexer.build import build
from indexer.extract.plan import extractors_for, in_two
from indexer.layers import FAST_LAYERS
from indexer.scan.files import SourceFile, list_files
from indexer.scan.tree import open_tree

_REGISTERS = """\
import torch.library
library = torch.library.Library("capped", "DEF")
library.define("cap(Tensor x) -> Tensor")
"""


@pytest.fixture
def tree(fixture_tree: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(fixture_tree, tmp_path / "tree"))


def test_each_extractor_reads_a_file_once(tree: Path) -> None:
    found = open_tree(tree)
    files = [entry for entry in list_files(found) if isinstance(entry, SourceFile)]
    first, rest = in_two(found, files, FAST_LAYERS)
    read: dict[str, list[str]] = {file.path: [] for file in files}
    for reading in (*first, *rest):
        read[reading.file.path] += reading.extractors
    for file in files:
        assert sorted(read[file.path]) == sorted(extractors_for(found, file, FAST_LAYERS))
    assert {reading.file.path for reading in (*first, *rest)} == set(read)


@pytest.mark.parametrize(
    ("path", "is_registered"),
    [("torch/capped.py", True), ("torch/test_capped.py", True), ("test/test_capped.py", False)],
)
def test_what_torch_registers_is_there_whatever_the_file_is_called(
    tree: Path, tmp_path: Path, path: str, is_registered: bool
) -> None:
    (tree / path).write_text(_REGISTERS)
    build(open_tree(tree), tmp_path / "x.db", workers=0)
    conn = sqlite3.connect(tmp_path / "x.db")
    found = conn.execute("SELECT origin FROM operators WHERE name = 'capped::cap'").fetchall()
    conn.close()
    assert found == ([("library",)] if is_registered else [])


def test_what_two_readings_say_stands_in_the_order_of_the_files(tree: Path, tmp_path: Path) -> None:
    broken = "def f(:\n" + _REGISTERS
    for path in ("aten/a.py", "torch/z.py", "torch/a.py"):
        (tree / path).write_text(broken)
    build(open_tree(tree), tmp_path / "x.db", workers=0)
    conn = sqlite3.connect(tmp_path / "x.db")
    rows = conn.execute(
        "SELECT file, layer FROM coverage WHERE file GLOB '*/[az].py' AND step = 0 ORDER BY id"
    ).fetchall()
    conn.close()
    files = ["aten/a.py", "torch/a.py", "torch/z.py"]
    assert list(dict.fromkeys(file for file, _ in rows)) == files
    layers = [layer for file, layer in rows if file == "torch/a.py"]
    assert layers[:2] == ["python", "registrations"]
