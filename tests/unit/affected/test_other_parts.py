"""Test files that are called like a changed one and stand in a folder of another part of PyTorch."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.affected.choice.similar_names import OF_FOLDER, OWN, AlikeFiles

_CASE = (
    "from torch.testing._internal.common_utils import TestCase\n\n\n"
    "class TestIt(TestCase):\n    def test_it(self):\n        pass\n"
)
FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: add(Tensor self) -> Tensor\n",
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    **{
        f"torch/{path}": "def run():\n    return 1\n"
        for path in (
            "loom/_pattern_matcher.py",
            "loom/weave_twice.py",
            "loom/profiler.py",
            "loom/spun_wool.py",
            "loom/dyed_wool.py",
        )
    },
    "c10/mobile/CPUSpinningWheel.cpp": "void spin() {}\n",
    "c10/mobile/Wheel.cpp": "void turn() {}\n",
    "aten/src/ATen/test/cpu_spinning_wheel_test.cpp": "#include <gtest/gtest.h>\nTEST(Wheel, Turns) { spin(); }\n",
    "aten/src/ATen/test/mobile_memory_test.cpp": "#include <gtest/gtest.h>\nTEST(Memory, Is) {}\n",
    "test/loom/test_loom.py": _CASE,
    "test/dyeing/test_pattern_matcher.py": _CASE,
    "test/dyeing/test_weave_twice.py": f"from torch.loom.weave_twice import run\n{_CASE}",
    "test/dyeing/test_profiler.py": _CASE,
    "test/test_spun_wool.py": f"from torch.loom.spun_wool import run\n{_CASE}",
    "test/test_dyed_wool.py": _CASE,
    "torch/testing/__init__.py": "",
    "torch/testing/_internal/__init__.py": "",
    "torch/testing/_internal/common_utils.py": "import unittest\n\n\nclass TestCase(unittest.TestCase):\n    pass\n",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("other_parts")) as connection:
        yield connection


def _levels(conn: sqlite3.Connection, path: str) -> dict[str, int]:
    return {one.path: one.level for one in AlikeFiles(conn).of(path)}


def test_those_of_its_folder_come_before_a_namesake_elsewhere(conn: sqlite3.Connection) -> None:
    levels = _levels(conn, "torch/loom/_pattern_matcher.py")
    assert [*levels.items()] == [
        ("test/loom/test_loom.py", OF_FOLDER),
        ("test/dyeing/test_pattern_matcher.py", OF_FOLDER),
    ]


def test_what_imports_it_is_its_own_wherever_it_stands(conn: sqlite3.Connection) -> None:
    levels = _levels(conn, "torch/loom/weave_twice.py")
    assert levels["test/dyeing/test_weave_twice.py"] == OWN


def test_one_word_elsewhere_is_chance(conn: sqlite3.Connection) -> None:
    assert "test/dyeing/test_profiler.py" not in _levels(conn, "torch/loom/profiler.py")


def test_what_is_called_just_so_and_imports_it_is_its_own_beside_its_folders_tests(
    conn: sqlite3.Connection,
) -> None:
    assert _levels(conn, "torch/loom/spun_wool.py")["test/test_spun_wool.py"] == OWN
    assert "test/test_dyed_wool.py" not in _levels(conn, "torch/loom/dyed_wool.py")


def test_of_three_words_no_name_is_chance(conn: sqlite3.Connection) -> None:
    """c10/mobile/CPUCachingAllocator.cpp is what aten/src/ATen/test/cpu_caching_allocator_test.cpp tests."""
    path = "aten/src/ATen/test/cpu_spinning_wheel_test.cpp"
    assert _levels(conn, "c10/mobile/CPUSpinningWheel.cpp")[path] == OWN
    assert path not in _levels(conn, "c10/mobile/Wheel.cpp")
