"""A changed macro: what it makes where it is defined, not what another file's macro of the same name does."""

from __future__ import annotations

import difflib
import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.tools import all_tools

_ONE = "aten/src/ATen/native/One.cpp"
_TWO = "aten/src/ATen/native/Two.cpp"
_HEADER = "aten/src/ATen/native/Made.h"
_DEEP = "aten/src/ATen/native/Deep.cpp"
_MACROS = """\
#define OP(NAME) int NAME##_inner(int a) {{ return a; }}
#define OUTER(NAME) OP(NAME)
#define OTHER(OP, NAME) int NAME##_other(int a) {{ return OP(a); }}
OUTER({0}_first)
OTHER(abs, {0})
"""
FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
    "version.txt": "2.6.0\n",
    _ONE: _MACROS.format("one"),
    _TWO: _MACROS.format("two"),
    _HEADER: "#define INNER(NAME) int NAME##_made(int a) { return a; }\n#define MADE(NAME) INNER(NAME)\n",
    _DEEP: (
        "#define DEEP(NAME) \\\n  int NAME##_deep(int a) { \\\n    return a; \\\n  }\n"
        "DEEP(one)\nDEEP(two)\nint last(int a) {\n  return a;\n}\n\nint more(int a) {\n  return a;\n}\n"
    ),
    "aten/src/ATen/native/Three.cpp": "#include <ATen/native/Made.h>\nMADE(three)\n",
    "aten/src/ATen/native/Four.cpp": "#include <ATen/native/Made.h>\nINNER(four)\n",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("macros")) as connection:
        yield connection


@pytest.mark.parametrize(
    ("path", "made"),
    [
        (_ONE, {"one_first_inner is made with OP"}),
        (_TWO, {"two_first_inner is made with OP"}),
        (_HEADER, {"three_made is made with INNER", "four_made is made with INNER"}),
    ],
)
def test_what_a_macro_makes(conn: sqlite3.Connection, path: str, made: set[str]) -> None:
    first = FILES[path].splitlines()[0]
    diff = f"--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-{first}\n+{first.replace('return a', 'return -a')}\n"
    assert {one.name for one in all_tools()["affected"].ask(conn, diff=diff).changed} == made


@pytest.mark.parametrize("context", [0, 3])
@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("\nint more", "\nint third(int a) {\n  return a;\n}\n\nint more", set()),
        ("DEEP(two)\n", "DEEP(two)\nint third(int a) {\n  return a;\n}\n", set()),
        ("    return a; \\", "    return -a; \\", {"one_deep is made with DEEP", "two_deep is made with DEEP"}),
        ("  }\nDEEP(one)", "  };\nDEEP(one)", {"one_deep is made with DEEP", "two_deep is made with DEEP"}),
    ],
)  # fmt: skip
def test_what_stands_far_below_a_macro_is_not_in_it(
    conn: sqlite3.Connection, old: str, new: str, names: set[str], context: int
) -> None:
    before = FILES[_DEEP]
    assert before.count(old) == 1
    lines = (text.splitlines(keepends=True) for text in (before, before.replace(old, new)))
    diff = "".join(difflib.unified_diff(*lines, f"a/{_DEEP}", f"b/{_DEEP}", n=context))
    assert {one.name for one in all_tools()["affected"].ask(conn, diff=diff).changed} == names


def test_a_macro_by_its_name_means_its_definitions(conn: sqlite3.Connection) -> None:
    """`affected TORCH_CHECK` knew nothing of that name, which impact follows."""
    answer = all_tools()["affected"].ask(conn, names="INNER")
    assert {one.name for one in answer.changed} == {
        "three_made is made with INNER",
        "four_made is made with INNER",
    }
    both = all_tools()["affected"].ask(conn, names="OP")
    assert {one.name for one in both.changed} == {
        "one_first_inner is made with OP",
        "two_first_inner is made with OP",
    }
