"""A tree that somebody checks out, or edits, while it is read: nothing fails, and the next run makes all good."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from indexer.build import build
from indexer.extract import plan
from indexer.extract.plan import Extracted, Reading
from indexer.scan.tree import open_tree
from tests.unit.support.index_dump import dump
from torchtalk.db import connect

PATH = "torch/functional.py"
Meddle = Callable[[Path, int], bool]


def _missing_first(file: Path, reading: int) -> bool:
    return reading == 1


def _missing_later(file: Path, reading: int) -> bool:
    return reading == 2


def _edited(file: Path, reading: int) -> bool:
    if reading == 2:
        file.write_text(f"{file.read_text()}\ndef later(x):\n    return x\n", encoding="utf-8")
    return False


def _removed(file: Path, reading: int) -> bool:
    file.unlink(missing_ok=True)
    return False


@pytest.mark.slow
@pytest.mark.mostly_slow(fast=1)
@pytest.mark.parametrize("meddle", [_missing_first, _missing_later, _edited, _removed])
def test_a_file_that_changes_while_it_is_read(
    fixture_tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, meddle: Meddle
) -> None:
    root = tmp_path / "tree"
    shutil.copytree(fixture_tree, root)
    (root / "torch/added.py").write_text("def added(x):\n    return x\n", encoding="utf-8")
    target = tmp_path / "x.db"
    count = 0
    extract = plan._extract

    def meddled(folder: Path, reading: Reading, bound: Callable[[float], None]) -> Extracted:
        nonlocal count
        if reading.file.path == PATH:
            count += 1
            if meddle(root / PATH, count):
                return Extracted(reading.file, "", {}, "No such file or directory")
        return extract(folder, reading, bound)

    with monkeypatch.context() as patched:
        patched.setattr(plan, "_extract", meddled)
        report = build(open_tree(root), target, workers=0)
    assert count
    assert report.shortfalls["files: failed"] == 1
    with closing(connect(target)) as conn:
        (said,) = conn.execute(
            "SELECT file FROM v_coverage WHERE layer = 'files' AND status = 'failed'"
        )
    assert said[0] == PATH

    again = build(open_tree(root), target, workers=0)
    assert again.action == "updated"
    assert "files: failed" not in again.shortfalls
    whole = tmp_path / "whole.db"
    build(open_tree(root), whole, workers=0, full=True)
    assert dump(target) == dump(whole)
    assert build(open_tree(root), target, workers=0).action == "unchanged"
