"""find_similar_tests of a function of C++ that tests call themselves, or whose file has one of tests called like it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.answers.tests import SimilarTestsAnswer
from torchtalk.tools import all_tools

_NATIVE = "aten/src/ATen/native"
_INTERNAL = "torch/testing/_internal"
_FILES = {
    f"{_NATIVE}/native_functions.yaml": (
        "- func: weft(Tensor self) -> Tensor\n  variants: function, method\n  dispatch:\n    CPU: weft_cpu\n"
    ),
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    f"{_NATIVE}/Weft.cpp": (
        "namespace at::native {\nTensor weft_cpu(const Tensor& self) { c10::spin_it(1); c10::reel_off(1); return self; }\n}\n"
    ),
    "c10/util/SpinWheel.h": (
        "namespace c10 {\ninline int spin_it(int x) { return x; }\ninline int reel_off(int x) { return x; }\n}\n"
    ),
    "c10/test/util/spin_wheel_test.cpp": (
        "#include <gtest/gtest.h>\n#include <c10/util/SpinWheel.h>\n"
        "TEST(SpinWheel, Empty) { EXPECT_TRUE(1); }\nTEST(SpinWheel, ReelOffTwice) { call_it(1); }\n"
        "TEST(SpinWheel, Spins) { c10::spin_it(2); }\n"
    ),
    "c10/test/util/other_test.cpp": (
        "#include <gtest/gtest.h>\nTEST(Other, Spins) { c10::spin_it(2); }\nTEST(Other, SpinItTwice) { c10::spin_it(2); }\n"
        "TEST(Other, Weaves) { at::native::weft_cpu(x); }\n"
    ),
    f"{_INTERNAL}/opinfo/core.py": "class OpInfo:\n    pass\n",
    f"{_INTERNAL}/common_methods_invocations.py": (
        f"from {_INTERNAL.replace('/', '.')}.opinfo.core import OpInfo\nop_db = [OpInfo('weft')]\n"
    ),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("direct")) as connection:
        yield connection


def _asked(conn: sqlite3.Connection, query: str) -> SimilarTestsAnswer:
    return all_tools()["find_similar_tests"].ask(conn, query=query)


def test_who_calls_it_comes_before_operators_that_run_it(conn: sqlite3.Connection) -> None:
    """LoopNest::splitWithTail has 21 tests of its own, and had those of all operators of static runtime."""
    answer = _asked(conn, "c10::spin_it")
    assert [hit.name for hit in answer.hits] == [
        "SpinWheel.Spins",
        "Other.SpinItTwice",
        "Other.Spins",
    ]
    assert {hit.why for hit in answer.hits} == {("calls c10::spin_it",)}


def test_else_the_file_of_tests_that_is_called_so(conn: sqlite3.Connection) -> None:
    """c10::SmallVectorImpl::clear is a part of hundreds of kernels, and has small_vector_test.cpp."""
    answer = _asked(conn, "c10::reel_off")
    names = [hit.name for hit in answer.hits]
    assert names == ["SpinWheel.ReelOffTwice", "SpinWheel.Empty", "SpinWheel.Spins"]
    assert answer.hits[0].why == ("its file is called like c10/util/SpinWheel.h",)
    assert answer.finding.endswith("3 tests of the file that is called like its own")
    assert any(note.startswith("no test is known to call c10::reel_off") for note in answer.notes)


def test_a_kernel_has_the_entries_of_its_operator_as_well(conn: sqlite3.Connection) -> None:
    names = [hit.name for hit in _asked(conn, "at::native::weft_cpu").hits]
    assert sorted(names) == ["Other.Weaves", "weft"]
