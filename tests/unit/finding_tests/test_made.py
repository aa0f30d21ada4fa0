"""Tests that a file makes when it runs: their names nobody can tell without that, so the file is said to have them."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from indexer.build import build
from indexer.extract.python.testing import extract
from indexer.facts.operators import Shortfall
from indexer.scan.tree import open_tree
from tests.unit.support.small_tree import indexed
from torchtalk.db import connect
from torchtalk.render.text import to_text
from torchtalk.tools import all_tools

_MADE = """\
from torch.testing._internal.common_utils import TestCase


class TestNN(TestCase):
    def test_one(self):
        pass


def add_test(test):
    setattr(
        TestNN, test.get_name(), lambda self: (test(self), [1]),
    )
"""


def lines(text: str, path: str = "test/test_nn.py") -> list[str]:
    facts = extract(path, text.encode())
    return [fact.detail.rpartition("line ")[2] for fact in facts if isinstance(fact, Shortfall)]


@pytest.mark.parametrize(
    ("statement", "is_told"),
    [
        ("setattr(T, test_name, fn)", True),
        ("setattr(cls, name, make_test(op))", True),
        ("setattr(test_class, 'test_' + name, fn)", True),
        ("setattr(T, f'test_{name}', fn)", True),
        ("setattr(T, name_of(op), make_test(op))", True),
        ("setattr(T, name, fn)", False),
        ("setattr(T, 'latest', fn)", False),
        ("setattr(module, test_name, fn)", False),
        ("setattr(self, test_name, fn)", False),
        ("x.setattr(T, test_name, fn)", False),
        ("# setattr(T, test_name, fn)", False),
        ("setattr(T, name, fn), test(1)", False),
        ("optests.generate_opcheck_tests(T, [], fn)", True),
        ("optests.generate_opcheck_tests(U, [], fn)", False),
        ("# optests.generate_opcheck_tests(T, [], fn)", False),
    ],
)
def test_what_makes_tests(statement: str, is_told: bool) -> None:
    text = f"class T:\n    pass\n\n\n{statement}\n"
    assert lines(text) == (["5"] if is_told else [])


def test_what_makes_them_for_others() -> None:
    text = "def instantiate(cls, test):\n    setattr(cls, test.name, test)\n"
    assert lines(text, "torch/testing/_internal/common_device_type.py") == []


def test_the_answer_says_so(tmp_path: Path) -> None:
    files = {
        "aten/src/ATen/native/native_functions.yaml": "- func: t(Tensor self) -> Tensor\n",
        "torch/testing/_internal/common_utils.py": "import unittest\nclass TestCase(unittest.TestCase):\n    pass\n",
        "test/test_nn.py": _MADE,
    }
    tool = all_tools()["test_file_info"]
    with indexed(files, tmp_path) as conn:
        said = to_text(tool.ask(conn, path="test_nn"))
    (tmp_path / "tree/test/test_nn.py").write_text(_MADE.partition("def add")[0])
    assert build(open_tree(tmp_path / "tree"), tmp_path / "small.db", workers=0).action == "updated"
    with contextlib.closing(connect(tmp_path / "small.db")) as conn:
        assert "not in the index" not in to_text(tool.ask(conn, path="test_nn"))
    assert "note: not in the index: tests that setattr makes when the file runs, line 10" in said
    assert said.startswith("test/test_nn.py: 1 test in 1 class")
