"""Names that are known, though no function has them: macros, operators of TorchScript alone."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed
from torchtalk.tools import all_tools

YAML = "aten/src/ATen/native/native_functions.yaml"
_FILES = {
    "version.txt": "2.6.0\n",
    "aten/src/ATen/native/native_functions.yaml": "- func: relu(Tensor self) -> Tensor\n",
    "c10/util/Exception.h": "#define WEAVE_CHECK(cond) if (!(cond)) { fail(); }\n",
    "aten/src/ATen/core/interned_strings.h": (
        "namespace c10 {\nnamespace prim {\nSymbol Weave(int x) { return Symbol(x); }\n}\n}\n"
    ),
    "torch/csrc/jit/runtime/register_prim_ops.cpp": (
        "namespace torch::jit {\nstatic void weave(Stack& stack) { stack.pop(); }\n"
        "RegisterOperators reg({\n"
        '    Operator("prim::Weave(Tensor x) -> ()", weave, aliasAnalysisFromSchema()),\n});\n}\n'
    ),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("no_function")) as connection:
        yield connection


@pytest.mark.parametrize("tool", ["trace", "compile_path"])
def test_a_macro_is_said_to_be_one(conn: sqlite3.Connection, tool: str) -> None:
    answer = ask(conn, tool, name="WEAVE_CHECK")
    assert answer.finding == (
        "WEAVE_CHECK is a macro, defined at c10/util/Exception.h:1: impact follows the functions that use it"
    )
    assert not answer.closest


def test_a_symbol_is_an_operator_of_torchscript(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "trace", name="prim::Weave")
    assert answer.finding.startswith("c10::prim::Weave is a C++ function")
    assert answer.notes[0].startswith(
        "prim::Weave is an operator of TorchScript alone  torch/csrc/jit/runtime/register_prim_ops.cpp:4"
    )


def test_operators_of_torchscript_are_no_c_functions(tmp_path: Path) -> None:
    files = {
        YAML: "- func: f(Tensor self) -> Tensor\n",
        "aten/src/ATen/core/interned_strings.h": (
            "namespace c10 { Symbol intern(int a) { return a; }\n"
            "namespace prim { static const Symbol Spin = intern(1); static const Symbol Other = intern(2); } }\n"
        ),
        "torch/csrc/jit/runtime/register_prim_ops.cpp": (
            "namespace torch::jit {\nvoid turn(Stack& stack) {}\nvoid spin(Stack& stack) { turn(stack); }\n"
            "RegisterOperators reg({\n"
            '    Operator("prim::Spin.int(int x) -> ()", spin, aliasAnalysisFromSchema()),\n});\n}\n'
        ),
    }
    own = "is an operator of TorchScript's interpreter, which no dispatcher knows"
    with indexed(files, tmp_path) as found:
        findings = [
            ask(found, "trace", name=name).finding
            for name in ("prim::Spin", "prim::Spin.int", "prim::Other")
        ]
        assert findings[0] == f"prim::Spin {own}; c10::prim::Spin is its Symbol"
        assert findings[1] == f"prim::Spin.int {own}"
        assert findings[2].startswith("c10::prim::Other is a variable of C++")
        for name in ("torch::jit::spin", "torch::jit::turn"):
            notes = ask(found, "impact", name=name).notes
            assert (
                "it reaches 1 operator of TorchScript's interpreter, which no dispatcher knows: prim::Spin.int"
                in notes
            )


def test_lines_tell_what_they_give_to_torchscript(tmp_path: Path) -> None:
    path = "torch/csrc/jit/runtime/register_prim_ops.cpp"
    files = {
        YAML: "- func: f(Tensor self) -> Tensor\n",
        path: """\
namespace torch::jit {
void spin(Stack& stack) {}
RegisterOperators reg({
    OperatorGenerator(
        TORCH_SELECTIVE_SCHEMA(
            "prim::Spin.int(int x) -> ()"),
        spin,
        aliasAnalysisFromSchema()),

    OperatorGenerator(
        TORCH_SELECTIVE_SCHEMA("prim::Turn(int x) -> ()"),
        [](Stack& stack) {
          pop(stack);
        },
        aliasAnalysisFromSchema()),
});
}
""",
    }
    spin = (
        "there TorchScript's interpreter is given prim::Spin.int, of which no dispatcher knows,"
        " which runs torch::jit::spin"
    )
    turn = "there TorchScript's interpreter is given prim::Turn, of which no dispatcher knows"
    wanted = {3: None, 4: spin, 6: spin, 8: spin, 9: None, 10: turn, 13: turn, 15: turn, 16: None}
    with indexed(files, tmp_path) as found:
        said = {
            line: [n for n in ask(found, "impact", name=f"{path}:{line}").notes if n.startswith("there")]
            for line in wanted
        }  # fmt: skip
        both = ask(found, "impact", name=f"{path}:4-12").notes
    assert said == {line: [note] if note else [] for line, note in wanted.items()}
    assert any("given prim::Spin.int, prim::Turn, of which" in note for note in both)


def test_what_is_an_overload_as_well_is_not_taken_for_a_method(tmp_path: Path) -> None:
    operators = (
        "- func: twist.fold(Tensor self) -> Tensor\n"
        "- func: fold(Tensor self) -> Tensor\n  variants: function, method\n"
    )
    with indexed({YAML: operators, "torch/__init__.py": ""}, tmp_path) as found:
        assert all_tools()["trace"].ask(found, name="x.fold").closest[:1] != ("torch.Tensor.fold",)
        assert all_tools()["trace"].ask(found, name="twsit.fold").closest[0] == "aten::twist"


def test_a_binding_known_from_a_stub_alone_is_not_called_unknown(tmp_path: Path) -> None:
    files = {
        YAML: "- func: f(Tensor self) -> Tensor\n",
        "torch/__init__.py": "from torch import _C\n",
        "torch/_C/__init__.pyi": "def _set_mood(mood: bool) -> bool: ...\n",
        "torch/user.py": "import torch\ndef f():\n    return torch._C._set_mood(True)\n",
    }
    with indexed(files, tmp_path) as found:
        answer = all_tools()["calls"].ask(found, name="torch._C._set_mood")
    assert not answer.found
    assert answer.finding.startswith("torch._C._set_mood is bound in C++, known here from a stub")
