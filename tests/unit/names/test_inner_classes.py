"""Classes without a public name, and their methods, by the names that people write in code."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.names import resolve
from torchtalk.testing.subject import understand
from torchtalk.tools import all_tools

_FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: relu(Tensor self) -> Tensor\n",
    "torch/__init__.py": "",
    "torch/_loom/__init__.py": "",
    "torch/_loom/heddles.py": (
        "class HeddleKernel:\n    def thread(self):\n        pass\n\n    def warp(self):\n        self.thread()\n\n\n"
        "class Twice:\n    def turn(self):\n        pass\n"
    ),
    "torch/_loom/others.py": "class Twice:\n    def turn(self):\n        pass\n",
    "c10/loom.cpp": (
        "namespace c10::one { struct Reed { int beat(int n) { return n; } }; }\n"
        "namespace c10::two { struct Reed { int beat(int n) { return n + 1; } }; }\n"
    ),
    "test/test_loom.py": (
        "import unittest\nfrom torch._loom.heddles import HeddleKernel\n\n\n"
        "class TestLoom(unittest.TestCase):\n    def test_it(self):\n        HeddleKernel().thread()\n\n\n"
        "class Helper:\n    pass\n"
    ),
    "tools/test/test_thread.py": "def test_thread():\n    pass\n",
}
_CLASS = "torch._loom.heddles.HeddleKernel"


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("inner")) as connection:
        yield connection


def test_a_class_by_its_last_part(conn: sqlite3.Connection) -> None:
    target = resolve(conn, "HeddleKernel").target
    assert target is not None
    assert (target.kind, target.name) == ("class", _CLASS)
    assert understand(conn, "HeddleKernel").classes


def test_several_are_listed_and_those_of_tests_are_none(conn: sqlite3.Connection) -> None:
    found = resolve(conn, "Twice")
    assert (found.target, found.candidates) == (
        None, ("torch._loom.others.Twice", "torch._loom.heddles.Twice"),
    )  # fmt: skip
    for name in ("TestLoom", "Helper", "heddlekernel"):
        assert resolve(conn, name).target is None


@pytest.mark.parametrize("name", ["HeddleKernel.thread", f"{_CLASS}.thread"])
def test_a_method_by_its_class(conn: sqlite3.Connection, name: str) -> None:
    similar = all_tools()["find_similar_tests"].ask(conn, query=name)
    assert similar.subject == f"{_CLASS}.thread"
    assert similar.hits[0].name == "TestLoom.test_it"
    answer = all_tools()["affected"].ask(conn, names=name)
    assert [thing.name for thing in answer.changed] == [f"{_CLASS}.thread"]
    assert answer.tests[0].name == "TestLoom.test_it"


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("Twice.turn", ["torch._loom.heddles.Twice.turn", "torch._loom.others.Twice.turn"]),
        ("Reed::beat", ["c10::one::Reed::beat", "c10::two::Reed::beat"]),
    ],
)
def test_few_things_of_one_name_are_all_meant(
    conn: sqlite3.Connection, name: str, meant: list[str]
) -> None:
    answer = all_tools()["affected"].ask(conn, names=name)
    assert sorted(thing.name for thing in answer.changed) == meant
    assert not answer.unseen


def test_what_is_called_nothing_is_said_so(conn: sqlite3.Connection) -> None:
    answer = all_tools()["affected"].ask(conn, names="Twice.heddle")
    assert not answer.changed
    assert answer.unseen
