"""Changed lines of statements that begin above them: what they register or bind has changed."""

from __future__ import annotations

import difflib
import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.tools import all_tools

_KERNEL = "aten/src/ATen/native/cpu/WarpKernel.cpp"
FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "aten/src/ATen/native/Warp.h": (
        "namespace at::native {\nusing fn = void (*)(int);\nDECLARE_DISPATCH(fn, warp_stub)\n"
        "DECLARE_DISPATCH(fn, weft_stub)\n}\n"
    ),
    "aten/src/ATen/native/Warp.cpp": (
        "#include <ATen/native/Warp.h>\nnamespace at::native {\nDEFINE_DISPATCH(warp_stub);\n"
        "DEFINE_DISPATCH(weft_stub);\n}\n"
    ),
    _KERNEL: """\
#include <ATen/native/Warp.h>
namespace at::native {
static void warp_kernel(int a) { a++; }
static void weft_kernel(int a) { a++; }
REGISTER_DISPATCH(weft_stub, &weft_kernel)
REGISTER_DISPATCH(
    warp_stub,
    &warp_kernel)

static const int kWidths[] = {
    3,
    4};
}
""",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("statements")) as connection:
        yield connection


@pytest.mark.parametrize(
    ("old", "new", "context", "names"),
    [
        ("    &warp_kernel)", "    &weft_kernel)", 3, ["at::native::warp_stub"]),
        ("    warp_stub,\n", "    weft_stub,\n", 3, ["at::native::warp_stub"]),
        ("(weft_stub, &weft", "(weft_stub, &warp", 3, ["at::native::weft_stub"]),
        # Without the lines above nothing tells what it belongs to.
        ("    &warp_kernel)", "    &weft_kernel)", 0, []),
        # It is no part of what stands above a list of values, nor a function's.
        ("    4}", "    5}", 3, []),
    ],
)
def test_what_is_registered(
    conn: sqlite3.Connection, old: str, new: str, context: int, names: list[str]
) -> None:
    before = FILES[_KERNEL]
    assert before.count(old) == 1
    lines = (text.splitlines(keepends=True) for text in (before, before.replace(old, new)))
    diff = "".join(difflib.unified_diff(*lines, f"a/{_KERNEL}", f"b/{_KERNEL}", n=context))
    changed = all_tools()["affected"].ask(conn, diff=diff).changed
    assert [thing.name for thing in changed] == names


@pytest.mark.parametrize("name", [_KERNEL, "aten/src/ATen/native/native_functions.yaml"])
def test_what_stands_in_a_file_that_is_named_has_its_own_lines(
    conn: sqlite3.Connection, name: str
) -> None:
    """It was said that a billion lines of a registration changed, and that it came before the file's functions."""
    changed = all_tools()["affected"].ask(conn, names=name).changed
    assert changed
    assert {thing.name: thing.lines for thing in changed} == dict.fromkeys(
        (thing.name for thing in changed), 1
    )
