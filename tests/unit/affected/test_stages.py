"""A change in what torch.compile makes of an operator: who compiles at all comes before who only runs it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.tools import all_tools

NATIVE = "aten/src/ATen/native"
_TEST = (
    "import torch\nfrom torch.testing._internal.common_utils import TestCase\n"
    "class Test{0}(TestCase):\n    def test_{1}(self):\n        torch.{2}(1)\n"
)
FILES = {
    f"{NATIVE}/native_functions.yaml": (
        "- func: warp(Tensor self) -> Tensor\n  variants: function\n  dispatch:\n    CPU: warp_cpu\n\n"
        "- func: _inner(Tensor self) -> Tensor\n  variants: function\n  dispatch:\n    CPU: inner_cpu\n\n"
        "- func: outer(Tensor self) -> Tensor\n  variants: function\n"
    ),
    f"{NATIVE}/Looms.cpp": (
        "namespace at::native {\nTensor warp_cpu(const Tensor& self) { return self; }\n"
        "Tensor inner_cpu(const Tensor& self) { return self; }\n"
        "Tensor outer(const Tensor& self) { return at::_inner(self); }\n}\n"
    ),
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "torch/_decomp/__init__.py": "def register_decomposition(op):\n    return op\n",
    "torch/_decomp/decompositions.py": (
        "import torch\nfrom torch._decomp import register_decomposition\naten = torch.ops.aten\n\n\n"
        "@register_decomposition(aten.warp)\ndef warp(a):\n    return a\n\n\n"
        "@register_decomposition(aten._inner)\ndef _inner(a):\n    return a\n"
    ),
    "test/test_decomp.py": _TEST.format("Decomp", "warp", "warp")
    + "    def test_outer(self):\n        torch.outer(1)\n",
    "test/export/test_export.py": _TEST.format("Export", "it", "warp"),
    "aten/src/ATen/test/warp_test.cpp": "TEST(WarpTest, warp) {\n  at::warp(1);\n}\n",
    "test/test_eager.py": _TEST.format("Eager", "it", "warp")
    + "    def test_more(self):\n        torch.outer(1)\n",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("stages")) as connection:
        yield connection


def test_who_compiles_comes_before_who_only_runs(conn: sqlite3.Connection) -> None:
    tests = all_tools()["affected"].ask(conn, names="torch._decomp.decompositions.warp").tests
    assert [test.name for test in tests] == [
        "TestDecomp.test_warp", "TestExport.test_it", "TestEager.test_it",
    ]  # fmt: skip
    assert tests[1].path[-1] == "calls it, and is about compiling"
    assert tests[2].weight < tests[1].weight / 2


def test_tests_in_cpp_run_nothing_that_python_has_for_a_graph(conn: sqlite3.Connection) -> None:
    """The operator's kernel they do run."""
    tests = all_tools()["affected"].ask(conn, names="at::native::warp_cpu").tests
    assert "WarpTest.warp" in [test.name for test in tests]


def test_the_stage_is_looked_for_among_the_tests_of_what_runs_the_operator(
    conn: sqlite3.Connection,
) -> None:
    tests = all_tools()["affected"].ask(conn, names="torch._decomp.decompositions._inner").tests
    assert [test.name for test in tests] == ["TestDecomp.test_outer", "TestEager.test_more"]
    assert tests[0].path[1:] == (
        "decomposition of aten::_inner", "aten::outer runs it",
        "named after it and calls it, and is about decomposition",
    )  # fmt: skip
