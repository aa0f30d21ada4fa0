"""An update gives what a full build gives, row for row, whatever was edited."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexer.build import build
from indexer.errors import SourceError
from indexer.scan.tree import NotAPyTorchTree, open_tree
from tests.unit.support.index_dump import differences, dump
from tests.unit.support.tree_edits import EDITS, apply
from tests.unit.support.update_tree import make

NO_ROOM = "there is no room for more ids between two files"
EXAMPLES = int(os.environ.get("TORCHTALK_UPDATE_EXAMPLES", "8"))


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory, fixture_tree: Path) -> tuple[Path, Path]:
    """The tree as it is at first, and its index."""
    folder = tmp_path_factory.mktemp("update")
    tree = make(folder / "pristine", fixture_tree)
    build(open_tree(tree), folder / "x.db", workers=0)
    return tree, folder / "x.db"


@pytest.mark.slow
@settings(
    max_examples=EXAMPLES, deadline=None, derandomize=EXAMPLES < 50,
    suppress_health_check=list(HealthCheck),
)  # fmt: skip
@given(rounds=st.lists(EDITS, min_size=1, max_size=3))
def test_random_edits(start: tuple[Path, Path], rounds: list[list[tuple[str, int, int]]]) -> None:
    pristine, index = start
    with tempfile.TemporaryDirectory() as folder:
        tree, target = Path(folder, "tree"), Path(folder, "x.db")
        shutil.copytree(pristine, tree)
        shutil.copyfile(index, target)
        for edits in rounds:
            for edit in edits:
                apply(tree, pristine, edit)
            try:
                whole = build(open_tree(tree), Path(folder, "whole.db"), workers=0, full=True)
            except (SourceError, NotAPyTorchTree):
                return  # no index can be made of it
            report = build(open_tree(tree), target, workers=0)
            assert (report.counts, report.shortfalls) == (whole.counts, whole.shortfalls)
            assert report.action != "built" or report.reason == NO_ROOM
            assert differences(dump(target), dump(Path(folder, "whole.db"))) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("namespace n { struct Other { void run(); }; }\n", "Net::run"),
        ("namespace m { struct Net { void run(); }; }\n", "m::Net::run"),
    ],
)
def test_a_class_elsewhere_gives_members_another_name(
    tmp_path: Path, header: str, name: str
) -> None:
    tree, target = tmp_path / "tree", tmp_path / "x.db"
    files = {
        "aten/src/ATen/native/native_functions.yaml": "- func: plain(Tensor self) -> Tensor\n",
        "torch/csrc/net.h": "namespace n { struct Net { void run(); }; }\n",
        "torch/csrc/net.cpp": "using namespace m;\nusing namespace n;\nvoid Net::run() { }\n"
        "void all(Net& net) { net.run(); }\n",
    }
    for path, text in files.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text)
    build(open_tree(tree), target, workers=0)
    for text, meant in ((header, name), (files["torch/csrc/net.h"], "n::Net::run")):
        (tree / "torch/csrc/net.h").write_text(text)
        assert build(open_tree(tree), target, workers=0).action == "updated"
        build(open_tree(tree), tmp_path / "whole.db", workers=0, full=True)
        assert differences(dump(target), dump(tmp_path / "whole.db")) == []
        with contextlib.closing(sqlite3.connect(target)) as conn:
            rows = conn.execute("SELECT name FROM functions WHERE last = 'run'").fetchall()
        assert rows == [(meant,)]
