"""A change in what exports an operator to ONNX: the tests of the operator that export it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.affected.graph.aspects import exported
from torchtalk.answers.affected import AffectedAnswer
from torchtalk.tools import all_tools

_SYMBOLIC = "torch/onnx/symbolic_opset9.py"
_HEAD = "import torch\nfrom torch.testing._internal.common_utils import TestCase\n"
FILES = {
    "aten/src/ATen/native/native_functions.yaml": (
        "- func: warp(Tensor self) -> Tensor\n  variants: function, method\n\n"
        "- func: weft(Tensor self) -> Tensor\n  variants: function, method\n"
    ),
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    _SYMBOLIC: (
        "import functools\nfrom torch.onnx._internal import registration\n"
        "_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=9)\n"
        '@_onnx_symbolic("aten::warp")\ndef warp(g, self):\n    return g.op("Warp", self)\n'
        '@_onnx_symbolic("aten::weft")\ndef weft(g, self):\n    return g.op("Weft", self)\n'
        '@_onnx_symbolic("quantized::weave")\ndef quantized_weave(g, self):\n    return g.op("Weave", self)\n'
        '@_onnx_symbolic("aten::_len")\ndef _length(g, self):\n    return g.op("Length", self)\n'
    ),
    "torch/onnx/_internal/registration.py": (
        "class Registry:\n    def register(self, name, func): ...\n"
        "    def group(self, name):\n        return self._registry.get(name)\n"
        "registry = Registry()\n"
        "def onnx_symbolic(name, opset):\n    def wrapper(func):\n        registry.register(name, func)\n"
        "        return func\n    return wrapper\n"
    ),
    "test/onnx/test_registration.py": (
        "from torch.onnx._internal import registration\n"
        f"{_HEAD}class TestRegistration(TestCase):\n    def test_group(self):\n"
        "        registration.registry.group('aten::woof')\n"
    ),
    "test/onnx/test_export.py": (
        f"{_HEAD}class TestExport(TestCase):\n    def test_one(self):\n        torch.warp(1)\n"
        "    def test_quantized_weave(self):\n        pass\n    def test_weave(self):\n        pass\n"
        "    def test_len(self):\n        pass\n"
    ),
    "test/test_warp.py": (
        f"{_HEAD}class TestWarp(TestCase):\n    def test_warp(self):\n        torch.warp(1)\n"
        "    def test_weft(self):\n        torch.weft(1)\n    def test_quantized_weave(self):\n        pass\n"
    ),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("onnx")) as connection:
        yield connection


def _changed(conn: sqlite3.Connection, line: int) -> AffectedAnswer:
    diff = f"--- a/{_SYMBOLIC}\n+++ b/{_SYMBOLIC}\n@@ -{line} +{line} @@\n-    return 1\n+    return 2\n"
    return all_tools()["affected"].ask(conn, diff=diff)


def test_tests_that_export_the_operator(conn: sqlite3.Connection) -> None:
    (found,) = _changed(conn, 6).tests
    assert (found.name, found.path) == (
        "TestExport.test_one",
        ("torch.onnx.symbolic_opset9.warp", "export to ONNX of aten::warp", "calls it, and is about onnx"),
    )  # fmt: skip


def test_tests_that_only_call_it_do_not_run_its_export(conn: sqlite3.Connection) -> None:
    answer = _changed(conn, 9)
    assert answer.selected == answer.by_name
    assert any("no test that is known" in note for note in answer.notes)


@pytest.mark.parametrize(("line", "test"), [(12, "test_quantized_weave"), (15, "test_len")])
def test_tests_of_exporting_that_are_called_so(
    conn: sqlite3.Connection, line: int, test: str
) -> None:
    """After the function or the operator: nothing that tests call is known to run it."""
    (found,) = _changed(conn, line).tests
    assert (found.name, found.path[-1]) == (f"TestExport.{test}", "is named after it")


@pytest.mark.parametrize(
    ("decorators", "operators"),
    [
        ('_onnx_symbolic("aten::relu")\nparse_args("v")', ("aten::relu",)),
        ('_onnx_symbolic("aten::a", decorate=[x("aten.b")])', ("aten::a",)),
        ('registration.onnx_symbolic("quantized::add", 10)', ("quantized::add",)),
        ("onnx_impl(aten.abs.default, trace_only=True)", ("aten::abs",)),
        ("onnx_impl((aten.add.Tensor, aten.add.Scalar, aten.sub.Tensor), trace_only=True)",
         ("aten::add", "aten::sub")),
        ("onnx_impl(torch.ops.aten.tanh.default, no_compile=aten.no)", ("aten::tanh",)),
        ('_onnx_symbolic_of("aten::relu")', ()),
        ('torch.library.impl("aten::relu", "CUDA")', ()),
        ("", ()),
    ],
)  # fmt: skip
def test_which_operators_are_exported(decorators: str, operators: tuple[str, ...]) -> None:
    assert exported(decorators) == operators


def test_what_finds_any_export_is_no_user_of_one(conn: sqlite3.Connection) -> None:
    """But it is known to lead to it: `calls` and `impact` say so."""
    assert "TestRegistration.test_group" not in {one.name for one in _changed(conn, 6).tests}
    found = conn.execute(
        "SELECT source FROM v_edges WHERE target = 'torch.onnx.symbolic_opset9.warp'"
    )
    assert ("torch.onnx._internal.registration.Registry.group",) in set(map(tuple, found))
