"""trace and calls tell the `#if`s that launches and calls stand under: two branches of one are never both built."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.extract.cpp.conditions import Conditions
from tests.unit.support.asking import text
from tests.unit.support.small_tree import indexed

KERNEL = "aten/src/ATen/native/cuda/F.cu"
FILES = {
    "version.txt": "2.6.0\n",
    "aten/src/ATen/native/native_functions.yaml": (
        "- func: f(Tensor self) -> Tensor\n  dispatch:\n    CUDA: f_cuda\n"
    ),
    KERNEL: (
        "#ifndef WHOLE\n"
        "namespace at::native {\n"
        "__global__ void jitted(int* p) {}\n"
        "__global__ void built(int* p) {}\n"
        "__global__ void both(int* p) {}\n"
        "void helper(int* p) {\n"
        "#ifdef USE_ROCM\n"
        "  both<<<1, 2>>>(p);\n"
        "#endif\n"
        "}\n"
        "Tensor f_cuda(const Tensor& self) {\n"
        "  // #if is no directive here\n"
        "  int* p = data(self);\n"
        "#if JIT() // why\n"
        "  jitted<<<1, 2>>>(p);\n"
        "  check(p);\n"
        "#else\n"
        "  built<<<1, 2>>>(p);\n"
        "  check(p);\n"
        "# if A || \\\n"
        "     B\n"
        "  helper(p);\n"
        "# endif\n"
        "#endif\n"
        "#if 1\n"
        "  both<<<1, 2>>>(p);\n"
        "#endif\n"
        "  check(p);\n"
        "  return self;\n"
        "}\n"
        "void check(int* p) {}\n"
        "}\n"
        "#endif\n"
    ),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("module")) as connection:
        yield connection


def test_launches_of_two_branches(conn: sqlite3.Connection) -> None:
    lines = text(conn, "trace", name="aten::f")
    found = {x.split()[1]: x.partition("  at ")[2] for x in lines if "  launches " in x}
    assert found == {
        "at::native::jitted": f"{KERNEL}:15 if JIT()",
        "at::native::built": f"{KERNEL}:18 if !JIT()",
        "at::native::both": f"{KERNEL}:26; {KERNEL}:8 if !JIT() && (A || B) && defined(USE_ROCM)",
    }


def test_calls_of_two_branches(conn: sqlite3.Connection) -> None:
    lines = text(conn, "calls", name="f_cuda")
    found = {x.split()[0]: x.partition("  at ")[2] for x in lines if "  at " in x}
    assert found["at::native::helper"] == f"{KERNEL}:22 if !JIT() && (A || B)  [syntax]"
    assert found["at::native::check"] == f"{KERNEL}:28; 16 if JIT(); 19 if !JIT()  [syntax]"


def test_a_file_that_changed_tells_nothing(tmp_path: Path) -> None:
    with indexed(FILES, tmp_path) as conn:
        (tmp_path / "tree" / KERNEL).write_text("\n\n\n" + FILES[KERNEL])
        assert not [line for line in text(conn, "calls", name="f_cuda") if " if " in line]


@pytest.mark.parametrize(
    ("directives", "asked"),
    [
        (("#if A", "#elif B"), "!(A) && B"),
        # What a branch denies holds where it is not taken.
        (("#ifndef A", "#else"), "defined(A)"),
        (("#if !(A || B)", "#elif C"), "(A || B) && C"),
        (("#if !A() || B", "#else"), "!(!A() || B)"),
        (("#if A", "#elif B", "#else"), "!(A) && !(B)"),
        (("#if A || B", "#ifdef C"), "(A || B) && defined(C)"),
        (("#ifdef A", "#elifndef B"), "!(defined(A)) && !defined(B)"),
        (("#if A || B",), "A || B"),
        (("#if A", "#else", "#endif"), ""),
        # What is so in any build.
        (("#if 0 && A()", "#else"), ""),
        (("#if A", "#if 1"), "A"),
        (("#if 0", "#elif B"), "B"),
        (("#if 1 && A",), "1 && A"),
    ],
)
def test_what_a_branch_asks(directives: tuple[str, ...], asked: str) -> None:
    conditions = Conditions()
    for directive in directives:
        conditions.directive(directive)
    assert str(conditions) == asked
