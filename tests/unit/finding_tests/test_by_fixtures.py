"""C++ tests that call a function through their fixture, or through what stands beside them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.tools import all_tools

TREE = {
    "version.txt": "2.6.0\n",
    "aten/src/ATen/native/native_functions.yaml": "[]\n",
    "aten/src/ATen/native/tags.yaml": "[]\n",
    "tools/autograd/derivatives.yaml": "[]\n",
    "torch/csrc/jit/mover.h": "namespace t { struct Mover { bool move(int a); bool shift(int a); }; }\n",
    "torch/csrc/jit/mover.cpp": (
        "namespace t {\n"
        "bool Mover::move(int a) { return a; }\n"
        "bool Mover::shift(int a) { return move(a); }\n"
        "void run() { Mover mover; mover.shift(1); }\n"
        "}\n"
    ),
    "test/cpp/jit/test_mover.cpp": (
        "namespace t {\n"
        "class MoverTest : public ::testing::Test {\n"
        " protected:\n"
        "  bool moved(int a) { return mover.move(a); }\n"
        "  Mover mover;\n"
        "};\n"
        "TEST_F(MoverTest, Once) { EXPECT_TRUE(moved(1)); }\n"
        "TEST_F(MoverTest, Directly) { mover.move(2); }\n"
        "TEST(Mover, Runs) { run(); }\n"
        "}\n"
    ),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(TREE, tmp_path_factory.mktemp("module")) as connection:
        yield connection


@pytest.mark.parametrize("name", ["t::Mover::move", "Mover::move"])
def test_they_come_behind_those_that_call_it(name: str, conn: sqlite3.Connection) -> None:
    hits = all_tools()["find_similar_tests"].ask(conn, query=name).hits
    assert [(hit.name, hit.why[0]) for hit in hits] == [
        ("MoverTest.Directly", "calls t::Mover::move"),
        ("MoverTest.Once", "calls t::MoverTest::moved, which calls t::Mover::move"),
    ]


def test_what_the_library_itself_calls_is_no_helper(conn: sqlite3.Connection) -> None:
    hits = all_tools()["find_similar_tests"].ask(conn, query="t::Mover::shift").hits
    assert not [hit for hit in hits if any(why.startswith("calls") for why in hit.why)]
