"""The fuzzer finds what is wrong, and a few hundred damaged files find nothing."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.fuzz import check
from tests.fuzz.__main__ import Round, Seeds
from tests.fuzz.check import Checker, TooSlow
from tests.fuzz.mutate import LONGEST, mutated
from tests.unit.support.command import environment


def _fuzz(findings: Path, *more: str) -> tuple[int, dict[str, object]]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz", "--rounds", "1", "--seconds", "300", "--seed", "1",
         "--findings", str(findings), *more],
        capture_output=True, text=True, env=environment(), cwd=ROOT, check=False, timeout=400,
    )  # fmt: skip
    return done.returncode, json.loads(done.stdout)


@pytest.mark.slow
def test_damaged_files_end_nothing(tmp_path: Path) -> None:
    code, report = _fuzz(tmp_path / "findings")
    assert (code, report["defects"]) == (0, []), report
    assert report["inputs"] == 150


def test_mutations_are_the_same_for_a_seed_and_bounded() -> None:
    data = (ROOT / "fixtures/pytorch/aten/src/ATen/native/native_functions.yaml").read_bytes()
    for seed in range(60):
        one, two = (mutated(random.Random(seed), data, b"other") for _ in range(2))
        assert one == two
        assert len(one) <= LONGEST
    assert len({mutated(random.Random(seed), data, b"other") for seed in range(60)}) > 50


def test_a_defect_is_kept_with_its_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(path: str, data: bytes) -> Iterator[object]:
        raise KeyError("a defect")
        yield

    monkeypatch.setattr("indexer.extract.plan._extractor", lambda name: broken)
    (tmp_path / "findings").mkdir()
    work = Round(Seeds(None), tmp_path / "findings", tmp_path)
    work.run("seed", 0, float("inf"))
    reports = list((tmp_path / "findings").glob("*.txt"))
    assert reports
    assert all("KeyError" in report.read_text(encoding="utf-8") for report in reports)
    assert all(report.with_suffix(".input").exists() for report in reports)


def test_what_is_slow_is_a_defect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(path: str, data: bytes) -> Iterator[object]:
        while True:
            pass
        yield

    monkeypatch.setattr("indexer.extract.plan._extractor", lambda name: endless)
    monkeypatch.setattr(check, "BASE_SECONDS", 0.1)
    checker = Checker(tmp_path)
    with pytest.raises(TooSlow):
        checker("a.py", b"")
    checker.close()


@pytest.mark.mostly_slow(fast=2)
@pytest.mark.parametrize(
    "piece", [b'R"(', b"/**a", b"__global__ ", b"f(", b"k<<<", b"REGISTER_DISPATCH(", b"x = "]
)
def test_endless_pieces_keep_within_the_bound(tmp_path: Path, piece: bytes) -> None:
    """What the fuzzer found: each was quadratic, and took many times as long."""
    checker = Checker(tmp_path)
    checker("aten/src/ATen/native/cuda/endless.cu", piece * (60_000 // len(piece)))
    checker.close()
