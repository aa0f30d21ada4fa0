"""find_similar_tests: what is meant by words that are names as well, by classes of C++ and by names in parts."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.answers.tests import SimilarTestsAnswer
from torchtalk.tools import all_tools

_NATIVE = "aten/src/ATen/native"
_FILES = {
    f"{_NATIVE}/native_functions.yaml": (
        "- func: spin(Tensor self) -> Tensor\n  dispatch:\n    CPU: spin_cpu\n"
    ),
    f"{_NATIVE}/Spin.cpp": (
        "namespace at::native {\n"
        "struct BigWheel { int turn() { return 1; } };\n"
        "struct LoneWheel { int roll() { return 1; } };\n"
        "void threads(int n) { n++; }\n"
        "void fibres(int n) { n++; }\n"
        "Tensor spin_cpu(const Tensor& self) {\n"
        "  BigWheel wheel; wheel.turn(); LoneWheel lone; lone.roll(); threads(1); fibres(1); return self;\n}\n}\n"
    ),
    "test/cpp/api/wheels.cpp": (
        "#include <gtest/gtest.h>\nTEST(BigWheelTest, Rolls) { ASSERT_TRUE(true); }\n"
    ),
    "torch/__init__.py": "",
    "torch/utils/data/__init__.py": "from torch.utils.data.loader import DataLoader\n",
    "torch/utils/data/loader.py": "class DataLoader:\n    pass\n",
    "test/test_spin.py": (
        "import torch\nimport unittest\n"
        "class TestSpin(unittest.TestCase):\n    def test_spin(self):\n        torch.spin(1)\n"
        "    def test_many_threads(self):\n        pass\n"
        "    def test_utils_of_functional(self):\n        pass\n"
        "class TestDataLoaderUtils(unittest.TestCase):\n    def test_it(self):\n        pass\n"
        "class TestDataLoader(unittest.TestCase):\n    def test_shuffle(self):\n        pass\n"
    ),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("meant")) as connection:
        yield connection


def _asked(conn: sqlite3.Connection, query: str) -> SimilarTestsAnswer:
    return all_tools()["find_similar_tests"].ask(conn, query=query)


def _names(answer: SimilarTestsAnswer) -> list[str]:
    return [hit.name for hit in answer.hits]


def test_a_plain_word_is_that_of_tests_before_a_function_of_cpp(conn: sqlite3.Connection) -> None:
    answer = _asked(conn, "threads")
    assert (answer.subject, _names(answer)) == ("the word threads", ["TestSpin.test_many_threads"])
    assert any("at::native::threads is called so" in note for note in answer.notes)


@pytest.mark.parametrize("query", ["fibres", "at::native::threads"])
def test_a_function_that_no_test_is_named_after_is_known_by_what_runs_it(
    conn: sqlite3.Connection, query: str
) -> None:
    answer = _asked(conn, query)
    assert _names(answer) == ["TestSpin.test_spin"]
    assert any("is run by aten::spin" in note for note in answer.notes)


def test_a_class_of_cpp_has_tests_of_its_own(conn: sqlite3.Connection) -> None:
    assert _names(_asked(conn, "at::native::BigWheel")) == ["BigWheelTest.Rolls"]
    assert _names(_asked(conn, "at::native::LoneWheel")) == ["TestSpin.test_spin"]


def test_of_a_name_its_last_part_is_looked_for(conn: sqlite3.Connection) -> None:
    names = _names(_asked(conn, "torch.utils.data.DataLoader"))
    assert set(names) == {"TestDataLoader.test_shuffle", "TestDataLoaderUtils.test_it"}


def test_of_a_name_that_nothing_has_the_end_counts(conn: sqlite3.Connection) -> None:
    answer = _asked(conn, "torch.utils.functional.frobnicate")
    assert _names(answer) == []
    assert _names(_asked(conn, "torch.utils.functional.shuffling")) == [
        "TestDataLoader.test_shuffle"
    ]


def test_what_is_like_an_unknown_name_is_said(conn: sqlite3.Connection) -> None:
    assert _asked(conn, "spinn").closest[0] == "aten::spin"
    assert _asked(conn, "threads").closest == ()
