"""What a macro of C++ makes of code of its own for an operator: Static Runtime's functors."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import affected_by
from tests.unit.support.small_tree import indexed

_FUNCTORS = "torch/csrc/jit/runtime/static/ops.cpp"
_OPERATOR = "- func: {}(Tensor self) -> Tensor\n  variants: function\n  dispatch:\n    {}: {}\n\n"
FILES = {
    "aten/src/ATen/native/native_functions.yaml": (
        _OPERATOR.format("warp", "CPU", "warp_cpu")
        + _OPERATOR.format("weft", "CPU", "weft_cpu")
        + _OPERATOR.format("braid", "CompositeImplicitAutograd", "braid")
    ),
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "aten/src/ATen/native/Looms.cpp": (
        "namespace at::native {\nTensor warp_cpu(const Tensor& self) { return self; }\n"
        "Tensor weft_cpu(const Tensor& self) { return self; }\n"
        "Tensor braid(const Tensor& self) { return at::weft(self); }\n}\n"
    ),
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "torch/csrc/jit/runtime/static/ops.h": (
        "#define REGISTER_FUNCTOR(name, id, ...) \\\n"
        "  struct Functor_##id { static int make(int n) { return run(__VA_ARGS__); } };\n"
    ),
    _FUNCTORS: (
        '#include "ops.h"\nnamespace torch::jit {\n'
        "REGISTER_FUNCTOR(aten::warp, aten_warp, [](int n) { return n + 1; })\n"
        "REGISTER_FUNCTOR(aten::weft, aten_weft, [](int n) { return n + 2; })\n}\n"
    ),
    "benchmarks/static_runtime/test_ops.cc": (
        "TEST(StaticRuntime, Warp) { check(at::warp(1)); }\n"
        "TEST(StaticRuntime, Braid) { check(at::braid(1)); }\n"
    ),
    "test/cpp/api/looms.cpp": "TEST(Looms, Warp) { at::warp(1); }\nTEST(Looms, Weft) { at::weft(1); }\n",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("made_for")) as connection:
        yield connection


def test_the_parts_tests_of_the_operator(conn: sqlite3.Connection) -> None:
    answer = affected_by(conn, FILES, _FUNCTORS, "n + 1", "n + 3")
    assert answer.tests[0].name == "StaticRuntime.Warp"
    assert answer.tests[0].path[1:3] == (
        "function of runtime static of aten::warp", "named after it and calls it, and is about runtime static",
    )  # fmt: skip
    assert "Looms.Warp" not in [test.name for test in answer.tests if test.weight > 0.1]


def test_what_runs_the_operator_elsewhere_does_not_run_it(conn: sqlite3.Connection) -> None:
    """A program of Static Runtime has braid as one node, whatever its kernel calls."""
    answer = affected_by(conn, FILES, _FUNCTORS, "n + 2", "n + 3")
    steps = [step for test in answer.tests for step in test.path]
    assert not any("weft" in step for step in steps if " of aten::" in step or "runs it" in step)
