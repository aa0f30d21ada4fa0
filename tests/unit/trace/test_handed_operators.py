"""Operators that a kernel hands on as functions: `map_nested(self, at::bend)`, `unary(&at::bend_outf, self)`."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import text
from tests.unit.support.small_tree import indexed

_CPP = "aten/src/ATen/native/sparse/Bend.cpp"
_BODIES = (
    "static const auto twist = 1;",
    "#define MAKE(op) \\",
    "  Tensor op##_sparse(const Tensor& x) { return unary(x, &at::op); } \\",
    "  Tensor& op##_sparse_(Tensor& x) { return unary_inplace(x, &Tensor::op##_); } \\",
    "  Tensor& op##_sparse_out(const Tensor& x, Tensor& out) { return unary_out(&at::op##_outf, x, out); }",
    "MAKE(bend)",
    "void turn_nested(const Tensor& x) { map_nested(x, at::turn); }",
    "void struct_of(const Tensor& x) { unary_out(&at::_ops::turn_by::call, x); }",
    # A variable, another namespace's function, a constant, and one of the tree's own.
    "void others(const Tensor& x) { int turn; f(&turn); f(twist); f(mine::bend); f(at::native::kept); f(at::kBend); }",
    "void kept(const Tensor& x) {}",
)
_FILES = {
    "version.txt": "2.6.0\n",
    "aten/src/ATen/native/native_functions.yaml": """
- func: bend(Tensor self) -> Tensor
  dispatch:
    SparseCPU: bend_sparse
- func: bend_(Tensor(a!) self) -> Tensor(a!)
  variants: method
  dispatch:
    SparseCPU: bend_sparse_
- func: bend.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
  dispatch:
    SparseCPU: bend_sparse_out
- func: turn(Tensor self) -> Tensor
- func: turn.by(Tensor self, int by) -> Tensor
- func: kept(Tensor self) -> Tensor
- func: twist(Tensor self) -> Tensor
""",
    _CPP: "\n".join(("namespace at::native {", *_BODIES, "}\n")),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("handed")) as connection:
        yield connection


def test_operators_that_are_handed_on_are_called(conn: sqlite3.Connection) -> None:
    rows = conn.execute(
        "SELECT replace(source, 'at::native::', ''), target, kind, line FROM v_edges WHERE target LIKE 'aten::%'"
        " AND kind IN ('operator', 'candidate') ORDER BY line, source, target"
    )
    assert [(*row,) for row in rows] == [
        ("bend_sparse", "aten::bend", "operator", 7),
        ("bend_sparse_", "aten::bend_", "operator", 7),
        ("bend_sparse_out", "aten::bend.out", "operator", 7),
        ("turn_nested", "aten::turn", "candidate", 8),
        ("turn_nested", "aten::turn.by", "candidate", 8),
        ("struct_of", "aten::turn.by", "operator", 9),
    ]


def test_a_kernel_shows_what_it_hands_on(conn: sqlite3.Connection) -> None:
    assert "    calls aten::bend_" in text(conn, "trace", name="aten::bend_")
