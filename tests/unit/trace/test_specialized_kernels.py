"""A kernel that is a method of a class template's specialization says what that is for: autocast's policies."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import ask, text
from tests.unit.support.small_tree import indexed
from torchtalk.tools.kernels.entries import constants_of

FILES = {
    "version.txt": "2.6.0\n",
    "aten/src/ATen/native/native_functions.yaml": (
        "- func: spin(Tensor self) -> Tensor\n\n- func: turn(Tensor self) -> Tensor\n"
    ),
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: core\n",
    "tools/autograd/derivatives.yaml": "- name: spin(Tensor self) -> Tensor\n  self: grad\n",
    "aten/src/ATen/autocast_mode.h": """\
namespace at::autocast {
enum class Policy { low, full };
template <Policy policy, class Redispatch, Redispatch* F, class Ret, class... Args>
struct Wrap_ {};
template <class Redispatch, Redispatch* F, class Ret, class... Args>
struct Wrap_<
    Policy::low,
    Redispatch,
    F,
    Ret,
    typelist<Args...>> {
  static Ret call(Args... args) {
    return (*F)(low(args)...);
  }
};
template <class Redispatch, Redispatch* F, class Ret, class... Args>
struct Wrap_<Policy::full, Redispatch, F, Ret, typelist<Args...>> {
  static Ret call(Args... args) {
    return (*F)(full(args)...);
  }
};
struct Plain {
  static int call(int n) { return n; }
};
}
#define KERNEL(OP, POLICY) \\
  m.impl(#OP, &Wrap_<POLICY, Tensor(const Tensor&), &OP, Tensor, typelist<const Tensor&>>::call);
""",
    "aten/src/ATen/autocast_mode.cpp": """\
namespace at::autocast {
TORCH_LIBRARY_IMPL(aten, AutocastCPU, m) {
  KERNEL(spin, Policy::low)
  KERNEL(turn, Policy::full)
}
}
""",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("specialized")) as opened:
        yield opened


@pytest.mark.parametrize(("name", "policy"), [("spin", "Policy::low"), ("turn", "Policy::full")])
def test_what_it_is_specialized_for(conn: sqlite3.Connection, name: str, policy: str) -> None:
    (line,) = (
        line
        for overload in ask(conn, "trace", name=f"aten::{name}").overloads
        for line in overload.dispatch
        if "AutocastCPU" in line.keys
    )
    assert (line.kernel, line.specialized) == ("at::autocast::Wrap_::call", policy)
    shown = f"at::autocast::Wrap_::call ({policy})"
    assert any(shown in one for one in text(conn, "trace", name=f"aten::{name}"))


def test_of_other_classes_nothing_is_said(conn: sqlite3.Connection) -> None:
    rows = conn.execute("SELECT id, name FROM functions WHERE last = 'call' ORDER BY id").fetchall()
    told = {(row["name"], constants_of(conn, row["id"])) for row in rows}
    assert told == {
        ("at::autocast::Wrap_::call", "Policy::low"),
        ("at::autocast::Wrap_::call", "Policy::full"),
        ("at::autocast::Plain::call", ""),
    }
