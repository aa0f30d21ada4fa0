"""Assertions: those of PyTorch's own are functions like others, calls of unittest's are not kept, which is said."""

from __future__ import annotations

import sqlite3
import unittest
from collections.abc import Iterator

import pytest

from indexer.facts.assertions import INHERITED
from tests.unit.support.small_tree import indexed
from torchtalk.tools import all_tools

FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: weft(Tensor self) -> Tensor\n",
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "torch/testing/_internal/common_utils.py": (
        "import unittest\n\nclass TestCase(unittest.TestCase):\n    def assertEqual(self, x, y):\n        pass\n"
        "    def assertWoven(self, x):\n        self.assertEqual(x, x)\n"
    ),
    "test/test_cloth.py": (
        "from torch.testing._internal.common_utils import TestCase\n\n"
        "class TestCloth(TestCase):\n    def test_weave(self):\n        self.assertEqual(1, 1)\n"
        "        self.assertWoven(1)\n        self.assertFrayed(2)\n"
        "    def assertFrayed(self, x):\n        self.assertTrue(x)\n"
    ),
}  # fmt: skip
SAID = "calls `self.assertEqual(…)` are not in the index, as of no assertion that unittest has: the text has 2"
EQUAL = "torch.testing._internal.common_utils.TestCase.assertEqual"


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("assertions")) as connection:
        yield connection


@pytest.mark.parametrize(
    "name", ["torch.testing._internal.common_utils.TestCase.assertWoven", "test.test_cloth.TestCloth.assertFrayed"]
)  # fmt: skip
def test_an_assertion_of_the_trees_own_has_its_users(conn: sqlite3.Connection, name: str) -> None:
    answer = all_tools()["called_by"].ask(conn, name=name)
    users = "1 function of tests uses it, which the graph leaves out: test.test_cloth.TestCloth.test_weave"
    assert answer.notes[-1] == users


@pytest.mark.parametrize("tool", ["called_by", "impact"])
def test_who_asks_for_one_of_unittest_is_told_that_its_calls_are_not_kept(
    conn: sqlite3.Connection, tool: str
) -> None:
    assert SAID in all_tools()[tool].ask(conn, name=EQUAL).notes
    other = all_tools()[tool].ask(conn, name=f"{EQUAL.removesuffix('Equal')}Woven").notes
    assert not [note for note in other if "unittest" in note]


def test_so_is_who_changes_one(conn: sqlite3.Connection) -> None:
    assert SAID in all_tools()["affected"].ask(conn, names=EQUAL).notes


def test_this_pythons_unittest_has_no_other() -> None:
    assert {name for name in dir(unittest.TestCase) if name.startswith("assert")} <= INHERITED
