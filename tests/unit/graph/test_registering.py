"""impact of a TORCH_LIBRARY block, which stands for what it registers."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed

_PATH = "aten/src/ATen/native/Knit.cpp"
_FILES = {
    "aten/src/ATen/native/native_functions.yaml": (
        "- func: warp(Tensor self) -> Tensor\n- func: warp.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n"
        "- func: weft(Tensor self) -> Tensor\n"
    ),
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: x\n",
    "torch/library.h": """#pragma once
#define C10_CONCATENATE_IMPL(s1, s2) s1##s2
#define C10_CONCATENATE(s1, s2) C10_CONCATENATE_IMPL(s1, s2)
#define TORCH_LIBRARY_IMPL(ns, k, m) _TORCH_LIBRARY_IMPL(ns, k, m, __COUNTER__)
#define _TORCH_LIBRARY_IMPL(ns, k, m, uid) \\
  static void C10_CONCATENATE(TORCH_LIBRARY_IMPL_init_##ns##_##k##_, uid)(torch::Library & m)
""",
    _PATH: """#include <torch/library.h>
namespace at::native {
int knit(int x) { return x; }
TORCH_LIBRARY_IMPL(aten, XPU, m) {
  m.impl("warp", knit);

  m.impl("warp.out", knit);
}
TORCH_LIBRARY_IMPL(aten, HPU, m) {
  m.impl("weft", knit);
}
TORCH_LIBRARY_IMPL(_, Meta, m) {
  m.fallback(torch::CppFunction::makeFallthrough());
}
}
""",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("registering")) as connection:
        yield connection


@pytest.mark.parametrize(
    ("asked", "operators"),
    [
        (f"{_PATH}:4", {"aten::warp", "aten::warp.out"}),
        (f"{_PATH}:9", {"aten::weft"}),
        ("at::native::TORCH_LIBRARY_IMPL_init_aten_HPU_0", {"aten::weft"}),
        # A statement is of what it registers alone, and a fallback names no operator.
        (f"{_PATH}:5", {"aten::warp"}),
        (f"{_PATH}:12", set()),
        ("at::native::knit", set()),
    ],
)
def test_a_block_stands_for_what_it_registers(
    conn: sqlite3.Connection, asked: str, operators: set[str]
) -> None:
    answer = ask(conn, "impact", name=asked)
    assert {s.name for s in answer.subjects if s.kind == "operator"} == operators
