"""search for what no table of names has: methods, modules and classes of C++."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import text
from tests.unit.support.small_tree import indexed
from torchtalk.tools import all_tools

_FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: weft(Tensor self) -> Tensor\n",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "torch/loom.py": (
        "class Loom:\n    def throw_shuttle(self):\n        return 1\n\n"
        "    def throw_shuttle_back(self):\n        return 2\n\n\n"
        "class Knot:\n    def weft(self):\n        return 3\n"
    ),
    "torch/old_loom.py": "from torch.loom import Loom\n",
    "torch/bare_loom.py": "import torch\n",
    "torch/csrc/spin/Wheel.h": "struct SpinningWheelOnly {\n  int spokes;\n};\n",
    "torch/csrc/spin/Other.h": "struct SpinningWheelOnly;\nstruct Rim {\n  int width;\n};\n",
    "test/cpp/loom/test_loom.cpp": "#include <gtest/gtest.h>\nTEST(LoomOfAll, WeavesOnlyTwice) {}\n",
    "test/test_loom.py": (
        "import unittest\nclass TestLoom(unittest.TestCase):\n    def test_thrown_so(self):\n        pass\n"
    ),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("elsewhere")) as connection:
        yield connection


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("throw_shuttle", [("python", "torch.loom.Loom.throw_shuttle", "torch/loom.py:2")]),
        ("Loom.throw_shuttle_back", [("python", "torch.loom.Loom.throw_shuttle_back", "torch/loom.py:5")]),
        (
            "throw_shut",
            [
                ("python", "torch.loom.Loom.throw_shuttle", "torch/loom.py:2"),
                ("python", "torch.loom.Loom.throw_shuttle_back", "torch/loom.py:5"),
            ],
        ),
        ("TestLoom.test_thrown_so", [("python", "test.test_loom.TestLoom.test_thrown_so", "test/test_loom.py:3")]),
        ("SpinningWheelOnly", [("class", "SpinningWheelOnly", "torch/csrc/spin/Wheel.h:1")]),
        ("old_loom", [("module", "torch.old_loom", "torch/old_loom.py:1")]),
        ("WeavesOnlyTwice", [("test", "LoomOfAll.WeavesOnlyTwice", "test/cpp/loom/test_loom.cpp:2")]),
        ("LoomOfAll.WeavesOnlyTwice", [("test", "LoomOfAll.WeavesOnlyTwice", "test/cpp/loom/test_loom.cpp:2")]),
        ("Other.WeavesOnlyTwice", []),
        ("throw_%", []),
        ("thr", []),
    ],
)  # fmt: skip
def test_what_is_found(
    conn: sqlite3.Connection, query: str, found: list[tuple[str, str, str]]
) -> None:
    answer = all_tools()["search"].ask(conn, query=query)
    assert [(one.kind, one.name, str(one.place)) for one in answer.others] == found
    assert answer.page.total == 0
    assert answer.others_page.total == len(found)


def test_how_it_is_said(conn: sqlite3.Connection) -> None:
    lines = text(conn, "search", query="throw_shut")
    assert lines[0] == "no operator fits 'throw_shut'; 2 other names do"
    assert lines[1] == "other names:"
    assert lines[2].endswith("[part of the name]")
    said, *_ = text(conn, "search", query="torch.bare_loom")
    assert (
        said == "torch.bare_loom is a module, torch/bare_loom.py, that defines no function or class"
    )


def test_the_very_name_comes_before_what_has_words_of_it(conn: sqlite3.Connection) -> None:
    answer = all_tools()["search"].ask(conn, query="torch.loom.Knot.weft")
    assert answer.finding.startswith(
        "torch.loom.Knot.weft is the first of the other names; 1 operator fits"
    )
    assert [one.name for one in answer.others][:1] == ["torch.loom.Knot.weft"]
    assert answer.others_page.total == answer.others_page.shown == len(answer.others)
    second = all_tools()["search"].ask(conn, query="torch.loom.Knot.weft", offset=1)
    assert "torch.loom.Knot.weft" not in [one.name for one in second.others]
