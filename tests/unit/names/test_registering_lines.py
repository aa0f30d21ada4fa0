"""Lines of C++ that register operators: they stand for what the statement on them registers, and nothing beside it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed

LOOM = "aten/src/ATen/native/Loom.cpp"
LIBRARY = """\
#define TORCH_LIBRARY(ns, m) static void TORCH_LIBRARY_init_##ns(torch::Library& m); \\
  static const torch::detail::TorchLibraryInit TORCH_LIBRARY_static_init_##ns(&TORCH_LIBRARY_init_##ns); \\
  void TORCH_LIBRARY_init_##ns(torch::Library& m)
#define TORCH_LIBRARY_IMPL(ns, k, m) _TORCH_LIBRARY_IMPL(ns, k, m, 0)
#define _TORCH_LIBRARY_IMPL(ns, k, m, uid) static void TORCH_LIBRARY_IMPL_init_##ns##_##k##_##uid(torch::Library& m); \\
  void TORCH_LIBRARY_IMPL_init_##ns##_##k##_##uid(torch::Library& m)
"""
SOURCE = """\
namespace at::native {
Tensor knot(const Tensor& x) { return x; }
Tensor knot_out(const Tensor& x, Tensor& out) { return out; }
#define BOTH(op) m.impl(#op, op); m.impl(#op "_", op);
TORCH_LIBRARY(loom, m) {
  m.class_<Shuttle>("Shuttle").def(torch::init<>());
  m.class_<Thread>("Thread")
      .def("cut", [](const c10::intrusive_ptr<Thread>& self) { self->cut(); });
  m.def("knot(Tensor x) -> Tensor");
  m.def(
      "knot.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)");
  m.def(TORCH_SELECTIVE_SCHEMA("loom::knot_(Tensor(a!) x) -> Tensor(a!)"), TORCH_FN(knot));
}
TORCH_LIBRARY_IMPL(loom, CPU, m) {
  m.impl("knot.out", TORCH_FN(knot_out));
  BOTH(knot);
  m.impl("knot", knot);
}
}
"""
LINES = SOURCE.splitlines()


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    files = {
        "aten/src/ATen/native/native_functions.yaml": "- func: plain(Tensor self) -> Tensor\n",
        "torch/library.h": LIBRARY,
        LOOM: SOURCE,
    }
    with indexed(files, tmp_path_factory.mktemp("loom")) as connection:
        yield connection


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        # A chain of bindings ends at its semicolon; what stands below is no class's.
        ('"Shuttle"', {"torch.classes.loom.Shuttle", "torch.classes.loom.Shuttle.__init__"}),
        ('.def("cut"', {"torch.classes.loom.Thread.cut"}),
        ('m.def("knot(', {"loom::knot"}),
        ('"knot.out(Tensor', {"loom::knot.out"}),
        ("SELECTIVE_SCHEMA", {"loom::knot_"}),
        # An overload that is written is the one that is meant, and no dot means the one without a name.
        ('m.impl("knot.out"', {"loom::knot.out"}),
        ('m.impl("knot", knot)', {"loom::knot"}),
        ("BOTH(knot);", {"loom::knot", "loom::knot_"}),
    ],
)
def test_a_line_is_what_it_registers(conn: sqlite3.Connection, text: str, meant: set[str]) -> None:
    line = next(n for n, written in enumerate(LINES, 1) if text in written)
    found = ask(conn, "impact", name=f"{LOOM}:{line}")
    assert {subject.name for subject in found.subjects} == meant


def test_lines_with_both_are_both(conn: sqlite3.Connection) -> None:
    first = next(n for n, written in enumerate(LINES, 1) if '"cut"' in written)
    found = ask(conn, "impact", name=f"{LOOM}:{first}-{first + 1}")
    names = {subject.name for subject in found.subjects}
    assert names == {"torch.classes.loom.Thread.cut", "loom::knot"}
