"""Stubs behind overloads between which a template's parameter decides."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from indexer.facts.edges import call_code
from tests.unit.support.small_tree import indexed
from torchtalk.tools.kernels.entries import reached

_FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: knit(Tensor self) -> Tensor\n  dispatch:\n    CPU: knit_cpu\n",
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: x\n",
    "aten/src/ATen/native/Knit.cpp": """namespace at::native {
DEFINE_DISPATCH(knit_stub);
static Tensor inner(const Tensor& x) { knit_stub(x.device().type(), x); return x; }
Tensor knit_cpu(const Tensor& x) { return inner(x); }
static void knit_kernel(const Tensor& x) {}
REGISTER_DISPATCH(knit_stub, &knit_kernel);
}
""",
}


@pytest.mark.parametrize(
    ("kind", "origin", "stubs"),
    [
        ("call", "syntax", ["at::native::knit_stub"]),
        # As `_add_out<ReLUFused>(…)` is in `qadd` (aten/src/ATen/native/quantized/cpu/BinaryOps.cpp).
        ("candidate", "clang", ["at::native::knit_stub"]),
        # As `normal(generator)` is in `_s_gamma_cpu` (aten/src/ATen/native/Distributions.cpp): a variable.
        ("candidate", "syntax", []),
    ],
)
def test_a_candidate_of_clangs_is_followed(
    tmp_path: Path, kind: str, origin: str, stubs: list[str]
) -> None:
    with indexed(_FILES, tmp_path):
        pass
    conn = sqlite3.connect(tmp_path / "small.db")
    conn.row_factory = sqlite3.Row
    try:
        (kernel,) = conn.execute(
            "SELECT id FROM functions WHERE name = 'at::native::knit_cpu'"
        ).fetchone()
        changed = conn.execute(
            "UPDATE calls SET code = ? WHERE caller_id = ?", (call_code(kind, origin), kernel)
        ).rowcount
        assert changed >= 1
        found = [one.name for one in reached(conn, [kernel], ("CPU",)) if one.kind == "stub"]
        assert sorted(set(found)) == stubs
    finally:
        conn.close()
