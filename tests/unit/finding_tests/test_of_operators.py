"""Operators that no test calls: their tests are those of what runs them, in Python or in another kernel."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed

NATIVE = "aten/src/ATen/native"
FILES = {
    f"{NATIVE}/native_functions.yaml": (
        "- func: _weave_layer_fwd(Tensor self) -> Tensor\n  dispatch:\n    CPU: weave_layer_cpu\n\n"
        "- func: _hem_unsafe(Tensor self) -> Tensor\n\n"
        "- func: border(Tensor self) -> Tensor\n\n"
        "- func: _fray_twice(Tensor self) -> Tensor\n"
    ),
    f"{NATIVE}/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    f"{NATIVE}/Weave.cpp": (
        "namespace at::native {\nTensor weave_layer_cpu(const Tensor& self) { return self; }\n"
        "Tensor _hem_unsafe(const Tensor& self) { return self; }\n"
        "Tensor border(const Tensor& self) { return at::native::_hem_unsafe(self); }\n}\n"
    ),
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "from torch._C._VariableFunctions import *\n",
    "torch/weaving.py": (
        "import torch\n\n\nclass Loom:\n    def forward(self, x):\n        return torch._weave_layer_fwd(x)\n"
    ),
    "test/test_looms.py": (
        "import torch\nfrom torch.weaving import Loom\n"
        "from torch.testing._internal.common_utils import TestCase\n\n\n"
        "class TestLooms(TestCase):\n"
        "    def test_run(self):\n        Loom().forward(1)\n\n"
        "    def test_weave_layer_fwd(self):\n        pass\n\n"
        "    def test_border(self):\n        torch.border(1)\n\n"
        "    def test_fray_and_twice(self):\n        pass\n"
    ),
    "torch/testing/__init__.py": "",
    "torch/testing/_internal/__init__.py": "",
    "torch/testing/_internal/common_utils.py": "import unittest\n\n\nclass TestCase(unittest.TestCase):\n    pass\n",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("of_operators")) as connection:
        yield connection


def test_what_python_runs_has_its_callers_tests_and_those_with_its_words(
    conn: sqlite3.Connection,
) -> None:
    answer = ask(conn, "find_similar_tests", query="aten::_weave_layer_fwd")
    assert answer.subject == "aten::_weave_layer_fwd"
    assert {hit.name for hit in answer.hits} == {
        "TestLooms.test_run",
        "TestLooms.test_weave_layer_fwd",
    }
    assert "by its callers or with its words" in answer.finding
    assert (
        f"no test calls aten::_weave_layer_fwd, an operator ({NATIVE}/native_functions.yaml:1)"
        in answer.notes[-1]
    )


def test_what_a_kernel_calls_past_the_dispatcher_has_that_ones_tests(
    conn: sqlite3.Connection,
) -> None:
    answer = ask(conn, "find_similar_tests", query="aten::_hem_unsafe")
    assert [hit.name for hit in answer.hits] == ["TestLooms.test_border"]
    assert answer.hits[0].why == ("leads to it in 3 steps, by aten::border",)


def test_what_nothing_runs_is_said_to_be_an_operator(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "find_similar_tests", query="aten::_fray_twice")
    assert [hit.name for hit in answer.hits] == ["TestLooms.test_fray_and_twice"]
    assert any("aten::_fray_twice, an operator" in note for note in answer.notes)
