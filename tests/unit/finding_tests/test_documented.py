"""Concepts in everyday words, which lead by docstrings to what tests use."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed

_FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
    "torch/__init__.py": "from torch import loom as loom\n",
    "torch/loom.py": (
        'def trim_threads_(threads):\n    """Trims the thread length of a warp."""\n\n\n'
        'def _trim(threads):\n    """Trimming of thread, for what stands here."""\n\n\n'
        'def spin(threads):\n    """Spins."""\n'
    ),
    "test/test_loom.py": (
        "import torch\nimport unittest\nfrom torch.loom import trim_threads_, spin, _trim\n\n\n"
        "class TestLoom(unittest.TestCase):\n"
        "    def test_cut(self):\n        trim_threads_(1)\n\n"
        "    def test_more(self):\n        trim_threads_(1)\n        trim_threads_(2)\n\n"
        "    def test_else(self):\n        spin(1)\n        _trim(1)\n\n\n"
        "class TestPicking(unittest.TestCase):\n"
        "    def test_a(self):\n        pass\n\n\n"
        "class TestOther(unittest.TestCase):\n"
        "    def test_picking_of_all(self):\n        pass\n\n\n"
        "class TestFar(unittest.TestCase):\n"
        "    def test_wq(self):\n        pass\n"
    ),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    place: Path = tmp_path_factory.mktemp("documented")
    with indexed(_FILES, place) as connection:
        yield connection


def test_what_is_documented_so_has_the_tests_that_use_it(conn: sqlite3.Connection) -> None:
    """`trimming` is `trims`; what is private is no concept."""
    answer = ask(conn, "find_similar_tests", query="thread trimming")
    assert [(hit.name, hit.why) for hit in answer.hits] == [
        ("TestLoom.test_more", ("uses torch.loom.trim_threads_",)),
        ("TestLoom.test_cut", ("uses torch.loom.trim_threads_",)),
    ]
    assert answer.notes == ("their docstrings have these words: torch.loom.trim_threads_",)


def test_a_word_that_no_test_has_is_named(conn: sqlite3.Connection) -> None:
    """Of the other one a test's own name says more than its class's."""
    answer = ask(conn, "find_similar_tests", query="shuttle picking")
    assert [hit.name for hit in answer.hits] == [
        "TestOther.test_picking_of_all",
        "TestPicking.test_a",
    ]
    assert answer.notes[0].endswith("or all but one of them; none has shuttle as well")


def test_the_word_for_a_kind_of_thing_may_be_one_of_a_name(conn: sqlite3.Connection) -> None:
    """`scheduler` of `lr scheduler` is left out where the other is what has a name."""
    files = {
        "test/test_sched.py": (
            "import unittest\n\n\nclass TestLRScheduler(unittest.TestCase):\n    def test_it(self):\n        pass\n\n\n"
            "class TestLR(unittest.TestCase):\n    def test_lr(self):\n        pass\n"
        )
    }
    assert (
        ask(conn, "find_similar_tests", query="torch.loom.spin function").subject
        == "torch.loom.spin"
    )
    place = Path(conn.execute("PRAGMA database_list").fetchone()[2]).parent / "again"
    place.mkdir()
    with indexed({**_FILES, **files}, place) as other:
        answer = ask(other, "find_similar_tests", query="lr scheduler")
        assert [hit.name for hit in answer.hits] == ["TestLRScheduler.test_it"]
        alone = ask(other, "find_similar_tests", query="wq optimizer")
        assert "TestFar.test_wq" in [hit.name for hit in alone.hits]
