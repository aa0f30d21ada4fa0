"""Functions that their decorators register: for an operator in a part of PyTorch, for a higher-order operator."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.affected.graph import registered
from torchtalk.tools import all_tools

_HEAD = "import torch\nfrom torch.testing._internal.common_utils import TestCase\n"
_NATIVE = "aten/src/ATen/native"
FILES = {
    f"{_NATIVE}/native_functions.yaml": (
        "- func: warp(Tensor self) -> Tensor\n  variants: function, method\n"
        "  dispatch:\n    CPU: warp_cpu\n    MkldnnCPU: warp_mkldnn\n\n"
        "- func: fold(Tensor self) -> Tensor\n  variants: function\n"
        "- func: _fold(Tensor self) -> Tensor\n  variants: function\n"
        "  dispatch:\n    CPU: fold_cpu\n    MkldnnCPU: fold_mkldnn\n"
    ),
    f"{_NATIVE}/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    f"{_NATIVE}/mkldnn/Warp.cpp": (
        "namespace at::native {\nTensor warp_mkldnn(const Tensor& self) { return self; }\n"
        "Tensor fold_mkldnn(const Tensor& self) { return self; }\n"
        "Tensor fold(const Tensor& self) { return at::_fold(self); }\n}\n"
    ),
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "torch/distributed/tensor/_ops/_rules.py": (
        "import torch\nfrom torch.distributed.tensor._ops.utils import register_op_strategy\n\naten = torch.ops.aten\n"
        "@register_op_strategy([aten.warp.default, aten.weft.default])\ndef warp_strategy(mesh, schema):\n    return 1\n\n"
        "@register_op_strategy(aten._fold.default)\ndef fold_strategy(mesh, schema):\n    return 1\n"
    ),
    "torch/_ops.py": "class HigherOrderOperator:\n    def __call__(self, *args):\n        return 1\n",
    "torch/_higher_order_ops/fold.py": (
        "from torch._ops import HigherOrderOperator\n\n\n"
        "class FoldOp(HigherOrderOperator):\n    def __init__(self):\n        super().__init__('fold')\n\n"
        "    def __call__(self, f, x):\n        return super().__call__(f, x)\n\n\n"
        "fold_op = FoldOp()\n\n\ndef fold(f, x):\n    return fold_op(f, x)\n\n\n"
        "def loop(f, x):\n    return f(x)\n\n\n"
        "@fold_op.py_impl(1)\ndef fold_dense(f, x):\n    return loop(f, x)\n"
    ),
    "torch/_inductor/lowering.py": (
        "import torch\nfrom torch._higher_order_ops.fold import fold_op as folded\n\n"
        "def register_lowering(op):\n    return lambda f: f\n\n"
        "@register_lowering(torch.ops.higher_order.fold)\ndef fold_lowering(f, x):\n    return 1\n\n"
        "@register_lowering(folded)\ndef fold_lowering_too(f, x):\n    return 1\n"
    ),
    "test/test_fold.py": (
        f"{_HEAD}from torch._higher_order_ops.fold import fold\n"
        "class TestFold(TestCase):\n    def test_one(self):\n        fold(1, 2)\n"
    ),
    "test/distributed/tensor/test_rules.py": (
        f"{_HEAD}class TestRules(TestCase):\n    def test_it(self):\n        torch.warp(1)\n"
        "    def test_fold(self):\n        torch.fold(1)\n"
    ),
    "test/test_mkldnn.py": f"{_HEAD}class TestMkldnn(TestCase):\n    def test_warp(self):\n        Warp()(1)\n"
    "    def test_fold(self):\n        Fold()(1)\n",
    "test/test_warp.py": f"{_HEAD}class TestWarp(TestCase):\n    def test_warp(self):\n        torch.warp(1)\n",
}  # fmt: skip


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("registered")) as connection:
        yield connection


def test_a_rule_of_another_part_of_pytorch(conn: sqlite3.Connection) -> None:
    (found,) = (
        all_tools()["affected"]
        .ask(conn, names="torch.distributed.tensor._ops._rules.warp_strategy")
        .tests
    )
    assert found.name == "TestRules.test_it"
    assert found.path[1:] == (
        "function of distributed tensor of aten::warp",
        "calls it, and is about distributed tensor",
        "its file is called like torch/distributed/tensor/_ops/_rules.py",
    )


def test_tests_of_a_part_call_what_runs_the_operator(conn: sqlite3.Connection) -> None:
    (found,) = (
        all_tools()["affected"]
        .ask(conn, names="torch.distributed.tensor._ops._rules.fold_strategy")
        .tests
    )
    assert found.name == "TestRules.test_fold"
    assert found.path[1:3] == (
        "function of distributed tensor of aten::_fold",
        "aten::fold runs it",
    )


@pytest.mark.parametrize(
    "name",
    [
        "torch._higher_order_ops.fold.fold_dense",
        "torch._higher_order_ops.fold.loop",
        "torch._inductor.lowering.fold_lowering",
        "torch._inductor.lowering.fold_lowering_too",
    ],
)
def test_implementations_of_higher_order_operators(conn: sqlite3.Connection, name: str) -> None:
    (found,) = all_tools()["affected"].ask(conn, names=name).tests
    assert found.name == "TestFold.test_one"
    assert "implementation of torch._higher_order_ops.fold.FoldOp.__call__" in found.path


def test_a_backends_test_that_is_named_after_the_operator_comes_first(
    conn: sqlite3.Connection,
) -> None:
    first = all_tools()["affected"].ask(conn, names="at::native::warp_mkldnn").tests[0]
    assert first.name == "TestMkldnn.test_warp"
    assert first.path[-1] == "is named after it, and is about mkldnn"


def test_a_backends_tests_call_what_runs_the_operator(conn: sqlite3.Connection) -> None:
    first = all_tools()["affected"].ask(conn, names="at::native::fold_mkldnn").tests[0]
    assert first.name == "TestMkldnn.test_fold"
    assert first.path[-2:] == ("aten::fold runs it", "is named after it, and is about mkldnn")


@pytest.mark.parametrize(
    ("decorators", "operators"),
    [
        ("register_op_strategy(aten.mm.default)", ("aten::mm",)),
        ("register_prop_rule([aten.mm.default, torch.ops.aten.t.default])", ("aten::mm", "aten::t")),
        ("register_decomposition(aten.mm)\nout_wrapper()", ()),
        ("_inductor.register_lowering(aten.mm)", ()),
        ("register_graph_pattern(CallFunction(aten.mm, Arg()))", ()),
        ("aten.mm.default.py_impl(DispatchKey.Autograd)", ()),
        ("ops.x(my_aten.mm)", ()),
    ],
)  # fmt: skip
def test_operators_of_decorators(decorators: str, operators: tuple[str, ...]) -> None:
    assert registered.operators(decorators) == operators


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("torch/distributed/tensor/_ops/_matrix_ops.py", ("distributed", "tensor")),
        ("torch/masked/maskedtensor/unary.py", ("maskedtensor",)),
        ("torch/utils/flop_counter.py", ("flop", "counter")),
    ],
)
def test_the_part_that_a_file_belongs_to(path: str, words: tuple[str, ...]) -> None:
    assert registered.part_of(path) == words
