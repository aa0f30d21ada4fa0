"""Calls of tests and their helpers: no edges of the graph, but not nothing either."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.tools import all_tools

FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: weft(Tensor self) -> Tensor\n",
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "torch/yarn.py": (
        "class Spool:\n    pass\n\ndef knit(n):\n    return pull(n)\n\ndef pull(n):\n    return n\n\ndef alone():\n    return 1\n"
    ),
    "test/test_yarn.py": (
        "import torch\nfrom torch.yarn import Spool, alone, knit, pull\n"
        "from torch.testing._internal.common_utils import TestCase\n\n"
        "def helper():\n    Spool()\n    return knit(2)\n\ndef idle():\n    return 1\n\n"
        "class TestYarn(TestCase):\n    def test_knit(self):\n        helper()\n        torch.weft(1)\n"
        "    def test_pull(self):\n        pull(1)\n        alone()\n"
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("graph_tests")) as connection:
        yield connection


@pytest.mark.parametrize(
    ("name", "what", "used"),
    [
        (
            "test.test_yarn.TestYarn.test_knit",
            "a test",
            "test.test_yarn.helper, torch._C._VariableFunctions.weft, aten::weft",
        ),
        (
            "test.test_yarn.helper",
            "a function in a file of tests",
            "torch.yarn.knit, torch.yarn.Spool",
        ),
    ],
)
def test_what_a_test_calls(conn: sqlite3.Connection, name: str, what: str, used: str) -> None:
    answer = all_tools()["calls"].ask(conn, name=name)
    assert answer.finding == f"{name} is {what}, of which the graph has no calls"
    note = answer.notes[-1]
    assert note.startswith(f"it uses {used}: SELECT ")
    rows = conn.execute(note.partition(": ")[2]).fetchall()
    assert {row["target"] for row in rows} == set(used.split(", "))


def test_a_helper_that_calls_nothing(conn: sqlite3.Connection) -> None:
    answer = all_tools()["calls"].ask(conn, name="test.test_yarn.idle")
    assert answer.notes[-1] == "nothing is known that it uses"


@pytest.mark.parametrize(
    ("name", "users"),
    [
        ("test.test_yarn.helper", "1 function of tests uses it, which the graph leaves out: test.test_yarn.TestYarn.test_knit"),
        ("torch.yarn.alone", "1 function of tests uses it, which the graph leaves out: test.test_yarn.TestYarn.test_pull"),
        ("torch.yarn.Spool", "1 function of tests uses it, which the graph leaves out: test.test_yarn.helper"),
    ],
)  # fmt: skip
def test_who_of_the_tests_calls_it(conn: sqlite3.Connection, name: str, users: str) -> None:
    answer = all_tools()["called_by"].ask(conn, name=name)
    assert answer.finding == f"{name} is used by tests alone, of which the graph has no calls"
    assert answer.notes[-1] == users


def test_tests_are_told_beside_others(conn: sqlite3.Connection) -> None:
    answer = all_tools()["called_by"].ask(conn, name="torch.yarn.pull")
    assert answer.finding == "torch.yarn.pull is used by 1, by Python call"
    assert answer.notes[-1].startswith("1 function of tests uses it")
    assert "tests" not in " ".join(
        all_tools()["called_by"].ask(conn, name="test.test_yarn.idle").notes
    )


def test_a_file_of_tests(conn: sqlite3.Connection) -> None:
    """Its classes have bases, which are in the graph; the calls of its tests are not."""
    note = all_tools()["calls"].ask(conn, name="test/test_yarn.py").notes[-1]
    assert note.startswith(
        "what 4 functions of tests use is not in the graph: test.test_yarn.helper, torch.yarn."
    )
