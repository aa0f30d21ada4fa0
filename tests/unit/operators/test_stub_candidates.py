"""Stubs behind overloads between which a template's parameter decides."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from indexer import link
from indexer.facts.edges import call_code
from indexer.workers import WorkerPool
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


@pytest.mark.parametrize(
    ("origin", "stubs"), [("clang", ["at::native::knit_stub"]), ("syntax", [])]
)
def test_one_that_only_candidates_lead_to_is_found(
    tmp_path: Path, origin: str, stubs: list[str]
) -> None:
    """`qadd_scalar` calls `_add_scalar_out<ReLUFused>`, which alone calls the stub (quantized/cpu/BinaryOps.cpp)."""
    file = "aten/src/ATen/native/Knit.cpp"
    source = (
        _FILES[file]
        .replace("return inner(x); }", "return outer(x); }\n", 1)
        .replace(
            "Tensor knit_cpu",
            "static Tensor outer(const Tensor& x) { return inner(x); }\nTensor knit_cpu",
        )
    )
    with indexed({**_FILES, file: source}, tmp_path):
        pass
    conn = sqlite3.connect(tmp_path / "small.db")
    conn.row_factory = sqlite3.Row
    try:
        ids = dict(conn.execute("SELECT name, id FROM functions").fetchall())
        for caller in ("knit_cpu", "outer"):
            assert conn.execute(
                "UPDATE calls SET code = ? WHERE caller_id = ?",
                (call_code("candidate", origin), ids[f"at::native::{caller}"]),
            ).rowcount
        dict(link.steps([48]))["48_launching"](conn, WorkerPool(0))
        kernel = ids["at::native::knit_cpu"]
        found = [one.name for one in reached(conn, [kernel], ("CPU",)) if one.kind == "stub"]
        assert sorted(set(found)) == stubs
    finally:
        conn.close()
