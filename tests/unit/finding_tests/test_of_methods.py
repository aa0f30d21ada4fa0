"""Tests of a method by its name, where nothing tells what it is called on; of a class by what a decorator calls it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import affected_by
from tests.unit.support.small_tree import indexed
from torchtalk.answers.tests import SimilarTestsAnswer
from torchtalk.tools import all_tools

_PIPES = """\
from torch.pipes.decorator import functional
from torch.pipes.pipe import Pipe


@functional("batch")
class BatcherPipe(Pipe):
    def __iter__(self):
        return 1


@functional("zip")
class ZipperPipe(Pipe):
    pass


class WrapperPipe(Pipe):
    pass
"""
_FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: relu(Tensor self) -> Tensor\n",
    "torch/__init__.py": "",
    "torch/hooks.py": (
        "class Module:\n"
        "    def add_late_hook(self, hook):\n        pass\n\n"
        "    def add_many_hooks(self, hook):\n        pass\n\n\n"
        "class Other:\n    def add_many_hooks(self):\n        pass\n\n\n"
        "class Third:\n    def add_many_hooks(self):\n        pass\n\n\n"
        "def made():\n    return globals()['Module']()\n"
    ),
    "torch/pipes/__init__.py": "",
    "torch/pipes/pipe.py": (
        "class Pipe:\n    functions = {}\n\n"
        "    @classmethod\n    def register_function(cls, name, function):\n        cls.functions[name] = function\n"
    ),
    "torch/pipes/decorator.py": (
        "from torch.pipes.pipe import Pipe\n\n\n"
        "class functional:\n    def __init__(self, name):\n        self.name = name\n\n"
        "    def __call__(self, cls):\n        Pipe.register_function(self.name, cls)\n        return cls\n"
    ),
    "torch/pipes/all.py": _PIPES,
    "test/test_all.py": (
        "import unittest\nfrom torch.hooks import Module\nfrom torch.pipes.all import WrapperPipe\n\n\n"
        "class TestAll(unittest.TestCase):\n"
        "    def test_module(self):\n        Module()\n\n"
        "    def test_add_late_hook(self):\n        pass\n\n"
        "    def test_late(self):\n        self.make().add_late_hook(1)\n\n"
        "    def test_many(self):\n        self.make().add_many_hooks(1)\n\n"
        "    def test_batches(self):\n        WrapperPipe().batch(2)\n\n"
        "    def test_batch_of_else(self):\n        self.make().batch(2)\n\n"
        "    def test_zips(self):\n        WrapperPipe().zip(2)\n\n"
        "    def test_own_zip(self):\n        zip(WrapperPipe(), [])\n"
    ),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("methods")) as conn:
        yield conn


def _asked(conn: sqlite3.Connection, query: str) -> SimilarTestsAnswer:
    answer = all_tools()["find_similar_tests"].ask(conn, query=query)
    assert isinstance(answer, SimilarTestsAnswer)
    return answer


def test_a_method_that_nothing_is_known_to_call_has_the_tests_of_its_name(
    conn: sqlite3.Connection,
) -> None:
    answer = _asked(conn, "torch.hooks.Module.add_late_hook")
    assert [(hit.name, hit.why) for hit in answer.hits] == [
        ("TestAll.test_add_late_hook", ("named add late hook",)),
        ("TestAll.test_late", ("its body has add_late_hook",)),
    ]
    assert answer.notes[0].startswith("no call of torch.hooks.Module.add_late_hook is known")


def test_of_a_name_that_many_have_those_of_the_class_are_shown(conn: sqlite3.Connection) -> None:
    answer = _asked(conn, "torch.hooks.Module.add_many_hooks")
    assert "TestAll.test_module" in {hit.name for hit in answer.hits}
    assert answer.notes[0].endswith("these are of its class")


@pytest.mark.parametrize(
    ("name", "given", "test"),
    [("BatcherPipe", "batch", "TestAll.test_batches"), ("ZipperPipe", "zip", "TestAll.test_zips")],
)
def test_a_class_has_the_tests_of_the_name_that_its_decorator_gives(
    conn: sqlite3.Connection, name: str, given: str, test: str
) -> None:
    full = f"torch.pipes.all.{name}"
    found = {hit.name: hit.why[0] for hit in _asked(conn, full).hits}
    assert found[test] == f"has .{given}, as which {full} is registered"
    assert not {"TestAll.test_batch_of_else", "TestAll.test_own_zip"} & found.keys()


def test_a_changed_method_of_such_a_class_leads_to_them(conn: sqlite3.Connection) -> None:
    answer = affected_by(conn, _FILES, "torch/pipes/all.py", "        return 1", "        return 2")
    reached = {one.name: one.path for one in answer.tests if "by name" not in one.path[0]}
    assert "has .batch, as which it is registered" in reached["TestAll.test_batches"]
    assert "TestAll.test_batch_of_else" not in reached
