"""What compile_path says of operators that write into their arguments."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.tools import all_tools
from torchtalk.tools.compile_path import _wanted

_NATIVE = "aten/src/ATen/native"
_FILES = {
    f"{_NATIVE}/native_functions.yaml": """\
- func: root(Tensor self) -> Tensor
  dispatch:
    CPU: root
- func: root_(Tensor(a!) self) -> Tensor(a!)
  dispatch:
    CPU: root_
- func: root.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
  dispatch:
    CPU: root_out
- func: bend(Tensor self) -> Tensor
  dispatch:
    CPU: bend
- func: bend_(Tensor(a!) self) -> Tensor(a!)
  dispatch:
    CPU: bend_
- func: whole(Tensor self) -> Tensor
- func: whole_(Tensor(a!) self) -> Tensor(a!)
- func: alone_(Tensor(a!) self, int n) -> Tensor(a!)
  dispatch:
    CPU: alone_
""",
    f"{_NATIVE}/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    f"{_NATIVE}/Root.cpp": """\
namespace at::native {
Tensor& whole_(Tensor& self) { return self.root_(); }
}
""",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "torch/_decomp/__init__.py": "def register_decomposition(op):\n    return lambda f: f\n",
    "torch/_refs.py": """\
import torch
from torch._decomp import register_decomposition
aten = torch.ops.aten
@register_decomposition(aten.root_)
def root_(a): ...
@register_decomposition(aten.whole_)
def whole_(a): ...
@register_decomposition(aten.bend)
def bend(a):
    return torch.ops.aten.root(a)
""",
    "torch/_inductor/decomposition.py": """\
import torch
from torch._decomp import core_aten_decompositions, get_decompositions
aten = torch.ops.aten
inductor_decompositions = get_decompositions([aten.root_, aten.whole_, aten.bend])
decompositions = {**inductor_decompositions}
""",
    "torch/_inductor/lowering.py": """\
import torch
aten = torch.ops.aten
lowerings = {}
def register_lowering(aten_fn):
    return lambda fn: fn
@register_lowering(aten.root)
def root(x):
    return x
@register_lowering(aten.bend_)
def bend_(x):
    return x
""",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("module")) as found:
        yield found


def _finding(conn: sqlite3.Connection, name: str) -> str:
    return all_tools()["compile_path"].ask(conn, name=name).finding


def test_the_functional_variant_is_what_is_decomposed_or_lowered(conn: sqlite3.Connection) -> None:
    """As `aten::sqrt_`, whose decomposition no graph comes to: FunctionalTensorMode has replaced it by then."""
    lowered = "aten::root: Inductor lowers it with torch._inductor.lowering.root"
    for name in ("aten::root_", "aten::root.out"):
        assert _finding(conn, name) == f"{name}: functionalization replaces it by {lowered}"
    answer = all_tools()["compile_path"].ask(conn, name="aten::root_")
    functions = [step.function for step in answer.paths[0].aot]
    assert "torch._refs.root_" in functions  # the table's entry is there


def test_a_lowering_of_its_own_is_for_graphs_that_have_it_all_the_same(
    conn: sqlite3.Connection,
) -> None:
    assert _finding(conn, "aten::bend_") == (
        "aten::bend_: functionalization replaces it by aten::bend: decomposed by torch._refs.bend;"
        " where a graph has it all the same: Inductor lowers it with torch._inductor.lowering.bend_"
    )
    answer = all_tools()["compile_path"].ask(conn, name="aten::bend_")
    assert answer.paths[0].becomes == ("aten::root",)


def test_a_composite_kernel_runs_before(conn: sqlite3.Connection) -> None:
    assert _finding(conn, "aten::whole_") == (
        "aten::whole_: composite: at::native::whole_ runs while the graph is traced"
    )


def test_what_has_no_functional_variant_is_not_said_to_be_replaced(
    conn: sqlite3.Connection,
) -> None:
    assert _finding(conn, "aten::alone_") == (
        "aten::alone_: has no functional variant, no decomposition and no lowering"
    )


@pytest.mark.parametrize(
    ("kinds", "told"),
    [
        ([("aten::root", "functional"), ("aten::root_", "inplace"), ("aten::root.out", "out")], ["aten::root"]),
        ([("aten::view_as_real", "functional"), ("c10d::alltoall_", "mutable")], ["aten::view_as_real", "c10d::alltoall_"]),
        ([("aten::alone_", "inplace")], ["aten::alone_"]),
    ],
)  # fmt: skip
def test_what_writes_is_told_of_where_the_operator_has_nothing_else(
    kinds: list[tuple[str, str]], told: list[str]
) -> None:
    conn = sqlite3.connect(":memory:")
    conn.row_factory = sqlite3.Row
    rows = [conn.execute("SELECT ? AS name, ? AS kind", one).fetchone() for one in kinds]
    conn.close()
    assert [row["name"] for row in _wanted(rows)] == told
