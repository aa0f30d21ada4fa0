"""Functions, classes and objects of Python by the ends of their names, beside what C++ calls alike."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.support.asking import ask, text
from tests.unit.support.small_tree import indexed
from torchtalk.names import resolve
from torchtalk.testing.subject import understand

FILES = {
    "version.txt": "2.6.0\n",
    "aten/src/ATen/native/native_functions.yaml": (
        "- func: knit(Tensor self) -> Tensor\n  variants: function, method\n"
        "- func: purl(Tensor self) -> Tensor\n  variants: function, method\n"
    ),
    "torch/csrc/api/fold.cpp": (
        "namespace torch::nn {\n"
        "void weave(int x) {}\n"
        "void _stitch(int x) {}\n"
        "struct Loom { void run(); };\n"
        "void Loom::run() { weave(1); _stitch(1); }\n"
        "}\n"
    ),
    "torch/__init__.py": "from torch import nn\n",
    "torch/nn/__init__.py": "from torch.nn.modules import *\nfrom torch.nn import functional\n",
    "torch/nn/modules/__init__.py": "from torch.nn.modules.loom import Loom\n__all__ = ['Loom']\n",
    "torch/nn/modules/module.py": "class Module:\n    pass\n",
    "torch/nn/modules/loom.py": (
        "from torch.nn.modules.module import Module\n"
        "class Loom(Module):\n    def forward(self, x): return x\n    def _thread(self, x): return x\n"
    ),
    "torch/nn/functional.py": (
        "import torch\n__all__ = ['weave']\n"
        "def weave(x): return torch.knit(torch.purl(x))\n"
        "def _stitch(x): return x\n"
    ),
    "torch/nn/quantized/__init__.py": "from torch.nn.quantized.functional import weave, spin\n",
    "torch/nn/quantized/functional.py": "def weave(x): return x\ndef spin(x): return x\n",
    "torch/fx/__init__.py": "from torch.fx.wheel import spin\n",
    "torch/fx/wheel.py": "__all__ = ['spin']\ndef spin(x): return x\ndef _turn(x): return _turn(x)\n",
    "torch/fx/_turn.py": "",
    "torch/fx/gauge.py": "",
    "torch/fx/wheel/passes.py": "",
    "torch/nn/passes.py": "",
    "torch/nn/turned.py": "",
    "tools/turning.py": "def turned(x): return x\n",
    "torch/_ops.py": "class HigherOrderOperator:\n    def __call__(self): ...\n",
    "torch/_higher_order_ops/__init__.py": "from torch._higher_order_ops.loop import loop_op\n",
    "torch/_higher_order_ops/loop.py": (
        "from torch._ops import HigherOrderOperator\n"
        "from torch._C import DispatchKey\n"
        "class LoopOp(HigherOrderOperator):\n"
        '    def __init__(self): super().__init__("loop")\n'
        "loop_op = LoopOp()\n"
        "@loop_op.py_impl(DispatchKey.CPU)\n"
        "def on_cpu(x): ...\n"
        "def looped(x): return loop_op(x)\n"
    ),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("endings")) as connection:
        yield connection


def test_a_public_function_comes_before_namesakes(conn: sqlite3.Connection) -> None:
    found = resolve(conn, "weave")
    assert found.api == "torch.nn.functional.weave"
    (also,) = [note for note in found.notes if "also of this name" in note]
    assert "torch.nn.quantized.weave" in also
    assert "torch::nn::weave" in also
    assert resolve(conn, "quantized.functional.weave").api == "torch.nn.quantized.functional.weave"


def test_a_function_is_the_subject_and_not_what_it_calls(conn: sqlite3.Connection) -> None:
    by_end, in_full = understand(conn, "weave"), understand(conn, "torch.nn.functional.weave")
    assert replace(by_end, words=(), notes=()) == replace(in_full, words=(), notes=())
    assert by_end.functions
    impact = ask(conn, "impact", name="weave")
    assert [subject.name for subject in impact.subjects] == ["torch.nn.functional.weave"]


def test_equally_likely_names_are_listed(conn: sqlite3.Connection) -> None:
    found = resolve(conn, "spin")
    assert found.target is None
    assert found.candidates == ("torch.fx.spin", "torch.nn.quantized.spin")


def test_a_class_comes_before_the_one_of_cpp(conn: sqlite3.Connection) -> None:
    found = resolve(conn, "Loom")
    assert found.target is not None
    assert (found.target.kind, found.target.name) == ("class", "torch.nn.Loom")
    assert "torch::nn::Loom" in found.notes[0]


@pytest.mark.parametrize(
    ("written", "kind", "name"),
    [
        ("_turn", "internal", "torch.fx.wheel._turn"),
        ("wheel._turn", "internal", "torch.fx.wheel._turn"),
        ("_thread", "method", "torch.nn.modules.loom.Loom._thread"),
        ("_stitch", "function", "torch::nn::_stitch"),
        ("loop_op", "operator", "higher_order::loop"),
        ("torch._higher_order_ops.loop.loop_op", "operator", "higher_order::loop"),
        ("torch._higher_order_ops.loop_op", "operator", "higher_order::loop"),
    ],
)
def test_what_is_not_public(conn: sqlite3.Connection, written: str, kind: str, name: str) -> None:
    found = resolve(conn, written)
    assert found.target is not None
    assert (found.target.kind, found.target.name) == (kind, name)


def test_all_functions_of_a_name_are_meant(conn: sqlite3.Connection) -> None:
    impact = ask(conn, "called_by", name="spin")
    assert {subject.name for subject in impact.subjects} == {
        "torch.fx.wheel.spin",
        "torch.nn.quantized.functional.spin",
    }


def test_cpp_says_that_python_has_one_too(conn: sqlite3.Connection) -> None:
    assert resolve(conn, "_stitch").notes == (
        "also a function of Python: torch.nn.functional._stitch",
    )


def test_a_call_of_the_object_runs_the_operator(conn: sqlite3.Connection) -> None:
    lines = text(conn, "impact", name="torch._higher_order_ops.loop.on_cpu")
    assert any(
        "-python-> torch.ops.higher_order.loop -bind-> higher_order::loop" in line for line in lines
    )


def test_a_module_is_meant_where_nothing_public_is_called_so(conn: sqlite3.Connection) -> None:
    found = resolve(conn, "gauge")
    assert found.target is not None
    assert (found.target.kind, found.target.name) == ("module", "torch.fx.gauge")
    assert resolve(conn, "passes").candidates == ("torch.nn.passes", "torch.fx.wheel.passes")
    found = resolve(conn, "turned")
    assert found.target is not None
    assert found.target.name == "tools.turning.turned"
    assert "also a module of Python: torch.nn.turned" in found.notes
    assert not any("module" in note for note in resolve(conn, "weave").notes)


def test_a_class_in_another_case_is_said_to_be_one(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "trace_module", name="loom")
    assert answer.notes[0] == "there is no class loom; Loom differs in case only"
    assert not any("case" in note for note in ask(conn, "trace_module", name="Loom").notes)
    answer = ask(conn, "trace_module", name="weave")
    assert answer.finding == "weave is no class that Python defines: ask trace for it"
    assert not answer.closest


def test_a_class_that_is_called_so_but_for_underscores_is_named(tmp_path: Path) -> None:
    tree = {
        "aten/src/ATen/native/native_functions.yaml": "[]",
        "torch/nn/__init__.py": "from torch.nn.norms import LayerCap\n",
        "torch/nn/norms.py": "class LayerCap:\n    pass\n",
        "torch/nn/functional.py": "def layer_cap(x):\n    return x\n",
    }
    with indexed(tree, tmp_path) as conn:
        answer = ask(conn, "trace_module", name="layer_cap")
        assert (
            answer.finding
            == "layer_cap is no class that Python defines: ask trace for it, or trace_module for torch.nn.LayerCap"
        )
        answer = ask(conn, "cuda_kernels", name="LayerCap")
        assert answer.notes[0].startswith("torch.nn.LayerCap is a Python class: trace_module")
        assert not answer.closest
