"""Tests for a function or class that no test uses: by its callers, else of what stands beside it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed

SPUN = "torch/csrc/spinning/wheel.cpp"
FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: weft(Tensor self) -> Tensor\n",
    "version.txt": "2.6.0\n",
    SPUN: "namespace spin {\n"
    "int inner() { return 1; }\n"
    "int middle() { return inner(); }\n"
    "int turned() { return middle(); }\n"
    "int nobody_calls_it() { return 2; }\n"
    "}\n",
    "torch/csrc/shearing/shears.cpp": "namespace shear {\nint cut_short() { return 6; }\n}\n",
    "torch/__init__.py": "",
    "torch/looms.py": "class Shuttle:\n    def throw(self):\n        return 1\n\n\n"
    "def thread_it():\n    return Shuttle().throw()\n\n\ndef weave():\n    return thread_it()\n\n\n"
    "def nobody_does():\n    return 2\n",
    "torch/alone.py": "def cut_short():\n    return 1\n",
    "test/test_looms.py": "from torch.testing._internal.common_utils import TestCase\n"
    "from torch.looms import weave\n\n\n"
    "class TestLooms(TestCase):\n    def test_cloth(self):\n        weave()\n",
    "test/cpp/spinning/test_all.cpp": "#include <gtest/gtest.h>\n"
    "TEST(Spin, Turned) { EXPECT_EQ(spin::turned(), 1); }\n"
    "TEST(Hair, CutShort) { run(); }\n"
    "TEST(Other, NobodyHere) { run(); }\n",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("farther")) as connection:
        yield connection


def test_what_calls_it_leads_to_tests(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "find_similar_tests", query="spin::inner")
    assert answer.finding == "spin::inner: no OpInfo-like entry; 1 test by its callers"
    (hit,) = answer.hits
    assert (hit.name, hit.why) == (
        "Spin.Turned",
        ("leads to spin::inner in 3 steps, by spin::turned",),
    )
    assert answer.notes[-1].startswith("no test calls spin::inner: affected follows")


def test_else_what_stands_beside_it_does(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "find_similar_tests", query="spin::nobody_calls_it")
    assert answer.finding.endswith("no OpInfo-like entry; 1 test of what stands beside it")
    (hit,) = answer.hits
    assert (hit.name, hit.why) == ("Spin.Turned", (f"of spin::turned, beside it in {SPUN}",))


def test_else_those_with_its_words(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "find_similar_tests", query="shear::cut_short")
    assert [hit.name for hit in answer.hits] == ["Hair.CutShort"]


def test_one_that_is_called_has_its_own(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "find_similar_tests", query="spin::turned")
    assert answer.finding.endswith("no OpInfo-like entry; 1 test of its own")


@pytest.mark.parametrize(
    ("name", "why", "found"),
    [
        ("thread_it", "leads to torch.looms.thread_it in 2 steps, by torch.looms.weave", "by its callers"),
        ("Shuttle", "leads to torch.looms.Shuttle in 3 steps, by torch.looms.weave", "by its callers"),
        ("Shuttle.throw", "leads to torch.looms.Shuttle.throw in 3 steps, by torch.looms.weave", "by its callers"),
        ("nobody_does", "of torch.looms.weave, beside it in torch/looms.py", "of what stands beside it"),
    ],
)  # fmt: skip
def test_of_python(conn: sqlite3.Connection, name: str, why: str, found: str) -> None:
    answer = ask(conn, "find_similar_tests", query=f"torch.looms.{name}")
    assert answer.finding == f"torch.looms.{name}: no OpInfo-like entry; 1 test {found}"
    (hit,) = answer.hits
    assert (hit.name, hit.why) == ("TestLooms.test_cloth", (why,))
    assert answer.notes[-1].startswith(f"no test is known to use torch.looms.{name}: affected")


def test_what_python_has_alone_goes_by_its_words(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "find_similar_tests", query="torch.alone.cut_short")
    assert [hit.name for hit in answer.hits] == ["Hair.CutShort"]
