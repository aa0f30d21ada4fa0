"""Members that hold functions: calls through them lead to what the text puts there."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.build import build
from indexer.extract.cpp.slots import slots
from indexer.extract.cpp.unit import CppUnit
from indexer.scan.tree import open_tree
from tests.unit.support.asking import text
from tests.unit.support.index_dump import differences, dump
from tests.unit.support.small_tree import indexed

HEADER = """namespace at { struct Table { Tensor (*solve)(const Tensor& self); void (*rest)(int); };
void registerTable(const Table& table);
struct Each {
#define MEMBER(name) decltype(&name) name;
  FORALL(MEMBER)
};
inline Each& each() { static Each all; return all; }
struct Context { int size; kernel_function kernel; kernel_function tail; };
struct Other { kernel_function kernel; void stop(); };
struct Parameters { struct Kernels gemm; };
struct Kernels { kernel_function kernel_of; };
}
"""
FILES = {
    "version.txt": "2.6.0\n",
    "aten/src/ATen/native/native_functions.yaml": (
        "- func: solve(Tensor self) -> Tensor\n  dispatch:\n    CUDA: solve_cuda\n"
    ),
    "aten/src/ATen/Table.h": HEADER,
    "aten/src/ATen/native/cuda/Stubs.cpp": """namespace at { namespace native {
Tensor solve_cuda(const Tensor& self);
namespace { Table table = {solve_cuda}; }
Tensor solve_cuda(const Tensor& self) {
  return table.solve(self);
}
} }
""",
    "aten/src/ATen/native/cuda/Library.cpp": """namespace at { namespace native { namespace lazy {
Tensor solve_cuda(const Tensor& self) { cusolverDnDpotrs(self); return self; }
void rest(int n) {}
struct Initializer { Initializer() { Table table{solve_cuda, &rest}; registerTable(table); } } initializer;
} } }
""",
    "aten/src/ATen/Each.cpp": """namespace at { namespace stubs { int launch(int n) { return n; } }
int use() { return at::each().launch(1); }
struct Strange { void launch_all(); };
void not_mine(Strange& strange) { strange.launch(1); }
}
""",
    "aten/src/ATen/Run.cpp": """namespace at {
void one(int n) {}
void two(int n) {}
void last(int n) {}
void setUp(Parameters& parameters) { parameters.gemm = (struct Kernels){.kernel_of = two_far}; }
void run(const Context* context, Other& other, PyTypeObject& type) {
  context->kernel(1);
  context->tail(1);
  other.kernel(1);
  other.stop();
  type.tp_new(1);
}
void make(Parameters& parameters) {
  Context context = {.size = 1, .kernel = parameters.gemm.kernel_of};
  struct Other other = {.kernel = one};
  context.tail = &last;
  TheType.tp_new = one;
}
}
""",
    "aten/src/ATen/Far.cpp": "namespace at { void two_far(int n) {} }\n",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("module")) as connection:
        yield connection


def test_calls_through_members(conn: sqlite3.Connection) -> None:
    rows = conn.execute(
        "SELECT c.caller, c.line, c.callee FROM v_calls AS c WHERE c.kind = 'virtual' ORDER BY 1, 2, 3"
    )
    assert [tuple(row) for row in rows] == [
        ("at::native::solve_cuda", 5, "at::native::lazy::solve_cuda"),
        ("at::run", 7, "at::two_far"),
        ("at::run", 8, "at::last"),
        ("at::run", 9, "at::one"),
        ("at::use", 2, "at::stubs::launch"),
    ]


def test_trace_leads_on_through_the_table(conn: sqlite3.Connection) -> None:
    assert (
        "    calls at::native::lazy::solve_cuda  aten/src/ATen/native/cuda/Library.cpp:2"
        "  through a table of functions at aten/src/ATen/native/cuda/Stubs.cpp:5"
    ) in text(conn, "trace", name="aten::solve")


def test_the_library_that_does_the_work_is_told(conn: sqlite3.Connection) -> None:
    shown = text(conn, "cuda_kernels", name="aten::solve")
    assert any(line.startswith("calls cuSOLVER: cusolverDnDpotrs") for line in shown)


def test_what_a_file_says() -> None:
    source = (
        b"struct T { int (*f)(int (*g)(int)); int plain; void take(int (*h)(int)); long (*const k)(); };\n"
        b"int own(int n) { int (*local)(int) = own; t.f = own; t.size = n; t.f == own; return 0; }\n"
        b"enum E { own }; T table = {own, 1, &n::k};\n"
    )
    assert [tuple(found) for found in slots(CppUnit("a.cpp", source))] == [
        ("*T", (("f", "0"), ("k", "3"))),
        ("=", ((":f", "own"),)),
        ("{", (("T:0", "own"), ("T:2", "n::k"))),
    ]


@pytest.mark.slow
@pytest.mark.mostly_slow(fast=1)
@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("aten/src/ATen/Run.cpp", "context.tail = &last;", "context.tail = &two;"),
        ("aten/src/ATen/native/cuda/Library.cpp", "{solve_cuda, &rest}", "{nullptr, &rest}"),
        ("aten/src/ATen/Far.cpp", "two_far(int n) {}", "two_farther(int n) {}"),
        ("aten/src/ATen/Table.h", "kernel_function tail; ", ""),
        ("aten/src/ATen/native/cuda/Stubs.cpp", "table.solve(self)", "table.rest(self)"),
    ],
)
def test_an_update_gives_what_a_build_gives(
    tmp_path: Path, path: str, before: str, after: str
) -> None:
    with indexed(FILES, tmp_path):
        file = tmp_path / "tree" / path
        assert before in file.read_text()
        for one, other in ((before, after), (after, before)):
            if one:
                file.write_text(file.read_text().replace(one, other))
            else:
                file.write_text(FILES[path])
            build(open_tree(tmp_path / "tree"), tmp_path / "small.db", workers=0)
            build(open_tree(tmp_path / "tree"), tmp_path / "whole.db", workers=0, full=True)
            assert differences(dump(tmp_path / "small.db"), dump(tmp_path / "whole.db")) == []
