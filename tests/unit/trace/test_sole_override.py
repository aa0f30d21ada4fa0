"""trace goes on to the only method that a call of a pure virtual one may run, of which the text keeps no base."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import text
from tests.unit.support.small_tree import indexed

_FOLDER = "aten/src/ATen/native/packed"
# As ConvOpContext has it (aten/src/ATen/native/mkldnn/OpContext.h).
_CONTEXT = """#pragma once
namespace at::native {
class Context : public torch::jit::CustomClassHolder {
 public:
  virtual Tensor run(const Tensor& input) = 0;
};
class PackedContext final : public Context {
 public:
  Tensor run(const Tensor& input) override;
};
struct Alone {
  virtual Tensor ask(const Tensor& input) { return input; }
};
}
"""
_RUN = """#include <ATen/native/packed/Context.h>
namespace at::native {
Tensor PackedContext::run(const Tensor& input) {
  xnn_run_operator(op, pool);
  return input;
}
Tensor packed_run(const Tensor& input, const c10::intrusive_ptr<Context>& context) {
  return context->run(input);
}
Tensor alone_run(const Tensor& input, Alone* alone) { return alone->ask(input); }
TORCH_LIBRARY(packed, m) {
  m.def("run(Tensor x) -> Tensor");
  m.def("alone(Tensor x) -> Tensor");
}
TORCH_LIBRARY_IMPL(packed, CPU, m) {
  m.impl("run", TORCH_FN(packed_run));
  m.impl("alone", TORCH_FN(alone_run));
}
}
"""
_FILES = {
    "aten/src/ATen/native/native_functions.yaml": (
        "- func: relu(Tensor self) -> Tensor\n  dispatch:\n    CPU: relu\n"
    ),
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: x\n",
    f"{_FOLDER}/Context.h": _CONTEXT,
    f"{_FOLDER}/Run.cpp": _RUN,
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("sole")) as connection:
        yield connection


def test_the_only_override_is_what_runs_with_the_library_behind_it(
    conn: sqlite3.Connection,
) -> None:
    lines = [line.strip() for line in text(conn, "trace", name="packed::run", focus="dispatch")]
    at = lines.index(f"calls a virtual method at {_FOLDER}/Run.cpp:8: one of")
    assert lines[at + 1 : at + 3] == [
        f"at::native::PackedContext::run  {_FOLDER}/Run.cpp:3",
        f"calls XNNPACK: xnn_run_operator  at {_FOLDER}/Run.cpp:4",
    ]


def test_a_method_that_overrides_nothing_is_no_work_of_another_class(
    conn: sqlite3.Connection,
) -> None:
    assert "virtual" not in "\n".join(text(conn, "trace", name="packed::alone", focus="dispatch"))
