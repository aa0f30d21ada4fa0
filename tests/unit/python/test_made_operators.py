"""Operators that helpers of Python make: who calls them, and what they run (torch/_prims/__init__.py)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed
from torchtalk.render.text import to_text

_NEW = """
def _make_prim(*, schema, meta, impl_aten, doc):
    def _prim_impl(*args):
        meta(*args)
        return impl_aten(*args)
    name = schema.split("(")[0]
    made = torch.library.custom_op("prims::" + name, _prim_impl, mutates_args=(), schema=schema[len(name):])
    made.register_fake(meta)
    return getattr(torch.ops.prims, name).default
"""
_OLD = """
prim = torch.library.Library("prims", "DEF")
prim_impl = torch.library.Library("prims", "IMPL", "CompositeExplicitAutograd")
prim_meta_impl = torch.library.Library("prims", "IMPL", "Meta")
def _make_prim(*, schema, meta, impl_aten, doc):
    prim.define(schema)
    def _prim_impl(*args):
        meta(*args)
        return impl_aten(*args)
    name = schema.split("(")[0]
    prim_impl.impl(name, _prim_impl)
    prim_meta_impl.impl(name, meta)
    return getattr(torch.ops.prims, name).default
"""
_FILES = {
    "aten/src/ATen/native/native_functions.yaml": """
- func: flip(Tensor self, int[] dims) -> Tensor
  variants: function, method
  dispatch:
    CPU: flip
- func: flip.out(Tensor self, int[] dims, *, Tensor(a!) out) -> Tensor(a!)
- func: relu(Tensor self) -> Tensor
  variants: function, method
""",
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: core\n",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "from torch._tensor import Tensor\n",
    "torch/_tensor.py": "from torch import _C\nclass Tensor(_C.TensorBase):\n    pass\n",
    "torch/_refs.py": """
import torch
import torch._prims as prims
from torch import Tensor
from torch._decomp import register_decomposition
from torch._prims import tail

@register_decomposition(torch.ops.aten.flip.default)
def flip(a: Tensor, dims) -> Tensor:
    turned = prims.rev(a, dims)
    return turned.relu()

def queued(a: Tensor):
    return apply(tail, a)
""",
    "torch/_decomp/__init__.py": "def register_decomposition(op):\n    return lambda f: f\n",
}
_PRIMS = """
def _rev_meta(a, dims): torch.flip(a, dims)
def _tail_aten(a, n=1): return _first(a)
def _first(a): return torch.relu(a)

_doc = "turns it"
rev = _make_prim(
    schema="rev(Tensor a, int[] dims) -> Tensor", meta=_rev_meta, impl_aten=torch.flip, doc=_doc
)
tail = _make_prim(schema="tail(Tensor a) -> Tensor", meta=_rev_meta, impl_aten=_tail_aten, doc=_doc)
"""


@pytest.fixture(scope="module", params=[_NEW, _OLD], ids=["custom_op", "Library"])
def conn(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[sqlite3.Connection]:
    prims = f"import torch\n{request.param}{_PRIMS}"
    files = {**_FILES, "torch/_prims/__init__.py": prims}
    with indexed(files, tmp_path_factory.mktemp("module")) as found:
        yield found


def _targets(conn: sqlite3.Connection, source: str) -> set[tuple[str, str]]:
    rows = conn.execute("SELECT target, kind FROM v_edges WHERE source = ?", (source,))
    return {(row["target"], row["kind"]) for row in rows}


def test_who_calls_the_object_calls_the_operator(conn: sqlite3.Connection) -> None:
    assert _targets(conn, "torch._refs.flip") == {
        ("torch.ops.prims.rev.default", "python"),
        ("torch._C.TensorBase.relu", "python"),  # what it gives is a tensor
        ("torch._decomp.register_decomposition", "decorator"),
    }
    assert ("prims::rev", "bind") in _targets(conn, "torch.ops.prims.rev.default")
    # Whoever is handed an operator puts it into a graph, or calls it.
    assert ("torch.ops.prims.tail.default", "reference") in _targets(conn, "torch._refs.queued")


def test_an_operator_runs_what_its_kernels_are_made_of(conn: sqlite3.Connection) -> None:
    rev = _targets(conn, "prims::rev")
    assert {("aten::flip", "dispatch"), ("torch._prims._rev_meta", "meta")} <= rev
    assert ("torch._prims._rev_meta", "dispatch") in rev  # the kernel asks it first
    assert "aten::flip.out" not in {target for target, _ in rev}
    assert ("torch._prims._tail_aten", "dispatch") in _targets(conn, "prims::tail")


@pytest.mark.parametrize(("operator", "called"), [("rev", "flip"), ("tail", "relu")])
def test_trace_names_the_operators_that_a_kernel_in_python_calls(
    conn: sqlite3.Connection, operator: str, called: str
) -> None:
    (table,) = [one.dispatch for one in ask(conn, "trace", name=f"prims::{operator}").overloads]
    found = {line.keys: line.also_calls for line in table}
    assert found["CompositeExplicitAutograd",] == (f"aten::{called}",)
    assert found["Meta",] == ()


def test_what_depended_on_the_functions_still_does(conn: sqlite3.Connection) -> None:
    for caller, called in (
        ("torch._refs.flip", "torch._prims._rev_meta"),
        ("torch._refs.queued", "torch._prims._tail_aten"),
        ("torch._refs.flip", "aten::flip"),
    ):
        assert caller in to_text(ask(conn, "impact", name=called))


def test_a_decomposition_becomes_the_operator_and_not_what_that_is_made_of(
    conn: sqlite3.Connection,
) -> None:
    lines = to_text(ask(conn, "compile_path", name="aten::flip")).split("\n")
    assert "  calls: prims::rev, aten::relu" in lines
