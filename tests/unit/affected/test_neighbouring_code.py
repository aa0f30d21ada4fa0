"""A change that leads to no test has those of what stands beside it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.answers.affected import AffectedAnswer
from torchtalk.render import to_text
from torchtalk.tools import all_tools

SPUN = "torch/csrc/spinning/wheel.cpp"
ALONE = "torch/csrc/spinning/treadle.cpp"
LONE = "torch/csrc/shearing/shears.cpp"
INNER = "torch/csrc/spinning/deep/axle.cpp"
WHOLE = "torch/csrc/spinning/bobbin.cpp"
FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: weft(Tensor self) -> Tensor\n",
    "version.txt": "2.6.0\n",
    SPUN: "namespace spin {\n"
    "int far_away() { return 1; }\n"
    "int a1() { return 0; }\n"
    "int nobody_calls_it() { return 2; }\n"
    "int close_by() { return 3; }\n"
    "}\n",
    ALONE: "namespace spin {\nint step() { return 4; }\n}\n",
    INNER: "namespace spin {\nint turn() { return 5; }\n}\n",
    LONE: "namespace shear {\nint cut() { return 6; }\n}\n",
    WHOLE: "namespace spin {\nint wind_up_the_bobbin() { return 7; }\nint unwind() { return 8; }\n}\n",
    "test/cpp/spinning/test_all.cpp": "#include <gtest/gtest.h>\n"
    "TEST(Spin, Far) { EXPECT_EQ(spin::far_away(), 1); }\n"
    "TEST(Spin, Close) { EXPECT_EQ(spin::close_by(), 3); }\n"
    "TEST(Spin, Unwind) { EXPECT_EQ(spin::unwind(), 8); }\n"
    "TEST(Spin, WindUpTheBobbin) { run(); }\n",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("beside")) as connection:
        yield connection


def _changed(conn: sqlite3.Connection, path: str, line: int) -> AffectedAnswer:
    diff = f"--- a/{path}\n+++ b/{path}\n@@ -{line} +{line} @@\n-a\n+b\n"
    return all_tools()["affected"].ask(conn, diff=diff)


def test_the_nearest_of_its_file_comes_first(conn: sqlite3.Connection) -> None:
    answer = _changed(conn, SPUN, 4)
    assert [one.name for one in answer.tests][:2] == ["Spin.Close", "Spin.Far"]
    assert answer.tests[0].path == (
        f"beside what changed in {SPUN}: spin::close_by",
        "Spin_Close_Test::TestBody calls it",
        "is this test",
    )
    assert 0.05 < answer.tests[0].weight < 0.15
    assert answer.by_name == answer.selected
    assert "no test is known to be reached: " in answer.finding
    assert "of what stands beside it" in answer.finding
    assert f"{SPUN}: what changed leads to no test that is known" in answer.notes
    assert f"beside what changed in {SPUN}: spin::close_by -> " in to_text(answer)


def test_else_those_of_its_folder(conn: sqlite3.Connection) -> None:
    answer = _changed(conn, ALONE, 2)
    beside = [one for one in answer.tests if one.path[0].startswith("beside ")]
    assert {one.name for one in beside} == {"Spin.Close", "Spin.Far", "Spin.Unwind"}


@pytest.mark.parametrize("path", [INNER, LONE])
def test_another_folder_is_not_beside_it(conn: sqlite3.Connection, path: str) -> None:
    answer = _changed(conn, path, 2)
    assert not any(one.path[0].startswith("beside ") for one in answer.tests)
    assert "beside" not in answer.finding


def test_a_test_with_the_whole_name_is_the_first(conn: sqlite3.Connection) -> None:
    answer = _changed(conn, WHOLE, 2)
    names = [one.name for one in answer.tests]
    assert {"Spin.WindUpTheBobbin", "Spin.Unwind"} <= set(names)
    assert "by name only or of what stands beside it" in answer.finding


def test_what_leads_to_tests_has_no_need_of_them(conn: sqlite3.Connection) -> None:
    answer = _changed(conn, SPUN, 5)
    assert [one.name for one in answer.tests] == ["Spin.Close"]
    assert answer.by_name == 0


def test_of_several_files_each_has_its_own(conn: sqlite3.Connection) -> None:
    diff = "".join(
        f"--- a/{path}\n+++ b/{path}\n@@ -{line} +{line} @@\n-a\n+b\n"
        for path, line in ((SPUN, 5), (WHOLE, 2))
    )
    answer = all_tools()["affected"].ask(conn, diff=diff)
    ways = {one.name: one.path[0] for one in answer.tests}
    assert ways["Spin.Close"] == "spin::close_by"
    assert ways["Spin.Unwind"] == f"beside what changed in {WHOLE}: spin::unwind"


_WHORL = (
    "def _made():\n    return 1\n\n\ndef whorl():\n    return 2\n\n\n"
    "@_register(3)\ndef _found_by_a_table():\n    return 3\n"
)
_PYTHON = {
    "aten/src/ATen/native/native_functions.yaml": "- func: weft(Tensor self) -> Tensor\n",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "torch/spindle/__init__.py": "",
    "torch/spindle/_whorl.py": _WHORL,
    "torch/spindle/_shaft.py": "def bend():\n    return 4\n",
    "test/test_everything.py": "from torch.testing._internal.common_utils import TestCase\n"
    "from torch.spindle._whorl import whorl\n"
    "class TestAll(TestCase):\n    def test_turning(self):\n        self.assertEqual(whorl(), 2)\n",
}


def test_python_has_those_of_its_file_alone(tmp_path: Path) -> None:
    with indexed(_PYTHON, tmp_path) as conn:
        found = _changed(conn, "torch/spindle/_whorl.py", 11)
        shaft = _changed(conn, "torch/spindle/_shaft.py", 2)
    (turning,) = found.tests
    assert turning.path == (
        "beside what changed in torch/spindle/_whorl.py: torch.spindle._whorl.whorl",
        "calls it",
    )
    assert not shaft.tests
