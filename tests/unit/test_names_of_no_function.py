"""Names that are known, though no function has them: macros, operators of TorchScript alone."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.asking import ask
from tests.unit.small_tree import indexed

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
