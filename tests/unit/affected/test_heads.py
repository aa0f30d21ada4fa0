"""Lines above a definition that belong to it: decorators, a template's parameters."""

from __future__ import annotations

import difflib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.tools import all_tools

PYTHON = """\
import functools

import torch
from torch.testing._internal.common_utils import TestCase

TABLE = [1, 2]


def plain(x):
    return x


@functools.lru_cache(
    maxsize=None,
)
# why
@functools.wraps(plain)
def decorated(x):
    @functools.wraps(x)
    def inner():
        return x
    return inner


@functools.total_ordering
class TestWarp(TestCase):
    flag = True

    @functools.wraps(plain)
    def test_one(self):
        decorated(1)

    def test_two(self):
        plain(1)
"""
CPP = """\
#include <x.h>
namespace at::native {
static const int kSize = 3;

template <
    typename scalar_t,
    bool is_out>
static inline void
warp_impl(scalar_t x) {
}

// Comment.
void weft_impl(int x) {
}
}
"""
_CPP = "aten/src/ATen/native/Warp.cpp"
_PYTHON = "test/test_heads.py"
FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    _PYTHON: PYTHON,
    _CPP: CPP,
    "aten/src/ATen/native/Weave.h": (
        "#define DECLARE_WEAVE(fn, name) struct name##_type { fn f; };\n#define BOUNDS(n) __attribute__((n))\n"
        "DECLARE_WEAVE(fn, first)\nint woven(int a) { return a; }\n"
    ),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("heads")) as connection:
        yield connection


def test_a_macro_that_is_a_statement_is_not_the_head_of_what_stands_below(
    conn: sqlite3.Connection,
) -> None:
    path = "aten/src/ATen/native/Weave.h"
    diff = f"--- a/{path}\n+++ b/{path}\n@@ -3,0 +4 @@\n+{{}}\n"
    stated = all_tools()["affected"].ask(conn, diff=diff.format("DECLARE_WEAVE(fn, other)"))
    assert [one.name for one in stated.changed] == []
    bounds = all_tools()["affected"].ask(conn, diff=diff.format("BOUNDS(other)"))
    assert [one.name for one in bounds.changed] == ["woven"]


def _changed(conn: sqlite3.Connection, path: str, old: str, new: str, context: int) -> list[str]:
    """What has changed where one text becomes another, by the names' last parts."""
    before = FILES[path]
    assert before.count(old) == 1
    lines = (text.splitlines(keepends=True) for text in (before, before.replace(old, new)))
    diff = "".join(difflib.unified_diff(*lines, f"a/{path}", f"b/{path}", n=context))
    changed = all_tools()["affected"].ask(conn, diff=diff).changed
    return [thing.name.rpartition(":" if path == _CPP else ".")[2] for thing in changed]


@pytest.mark.parametrize("context", [0, 3])
@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("@functools.lru_cache(\n", "@functools.cache(\n", ["decorated"]),
        ("    maxsize=None,\n", "    maxsize=3,\n", ["decorated"]),
        ("    maxsize=None,\n)\n", "    maxsize=3)\n", ["decorated"]),
        ("@functools.wraps(plain)\ndef", "def", ["decorated"]),
        ("def plain", "@functools.cache\ndef plain", ["plain"]),
        ("    def test_two", "    @torch.no_grad()\n    def test_two", ["test_two"]),
        ("    @functools.wraps(plain)\n    def", "    def", ["test_one"]),
        ("    @functools.wraps(x)\n", "    @functools.wraps(1)\n", ["decorated"]),
        ("@functools.total_ordering", "@functools.other", ["TestWarp"]),
        ("    flag = True", "    flag = False", ["TestWarp"]),
        ("TABLE = [1, 2]", "TABLE = [1]", []),
        ("import functools\n", "import functools, os\n", []),
    ],
)
def test_decorators(
    conn: sqlite3.Connection, old: str, new: str, names: list[str], context: int
) -> None:
    assert _changed(conn, _PYTHON, old, new, context) == names


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("    bool is_out>\n", "    bool in_out>\n", ["warp_impl"]),
        ("    typename scalar_t,\n", "    class scalar_t,\n", []),
        ("template <\n", "template <int n,\n", ["warp_impl"]),
        ("static inline void\n", "static void\n", ["warp_impl"]),
        ("#include <x.h>", "#include <y.h>", []),
        ("kSize = 3;", "kSize = 4;", []),
        ("// Comment.", "// Another.", []),
    ],
)
def test_templates(conn: sqlite3.Connection, old: str, new: str, names: list[str]) -> None:
    assert _changed(conn, _CPP, old, new, 0) == names


@pytest.mark.parametrize("context", [0, 3])
@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("def plain(x):\n    return x\n", "def plain(x):\n    return x\n    x()\n", ["plain"]),
        ("def plain(x):\n    return x\n", "def plain(x):\n    return x\n\n    # Why.\n    x()\n", ["plain"]),
        ("        decorated(1)\n", "        decorated(1)\n        plain(2)\n", ["test_one"]),
        ("        plain(1)\n", "        plain(1)\n        plain(2)\n", ["test_two"]),
        ("        plain(1)\n", "        plain(1)\n        plain(2)\n\n    def test_three(self):\n        pass\n", ["test_two"]),
        ("    return inner\n", "    return inner\n    x()\n", ["decorated"]),
        ("def plain(x):\n    return x\n", "def plain(x):\n    return x\n\n\nTWO = 2\n", []),
        ("        decorated(1)\n", "        decorated(1)\n\n    flag = False\n", ["TestWarp"]),
    ],
)  # fmt: skip
def test_lines_that_are_put_behind_the_last_one(
    conn: sqlite3.Connection, old: str, new: str, names: list[str], context: int
) -> None:
    assert _changed(conn, _PYTHON, old, new, context) == names


def test_of_a_test_that_is_made_longer_only_this_one_runs(conn: sqlite3.Connection) -> None:
    last = len(PYTHON.splitlines())
    diff = f"--- a/{_PYTHON}\n+++ b/{_PYTHON}\n@@ -{last},0 +{last + 1} @@\n+        plain(2)\n"
    answer = all_tools()["affected"].ask(conn, diff=diff)
    assert [(test.name, test.kind) for test in answer.tests] == [("TestWarp.test_two", "test")]


def test_a_decorator_of_a_test_selects_it(conn: sqlite3.Connection) -> None:
    line = PYTHON.splitlines().index("    @functools.wraps(plain)") + 1
    diff = f"--- a/{_PYTHON}\n+++ b/{_PYTHON}\n@@ -{line} +{line} @@\n-    @slow\n+    @fast\n"
    answer = all_tools()["affected"].ask(conn, diff=diff)
    assert [test.name for test in answer.tests] == ["TestWarp.test_one"]


def test_what_stands_above_all_kernels_of_a_metal_file_is_for_them(tmp_path: Path) -> None:
    path = "aten/src/ATen/native/mps/kernels/Warp.metal"
    text = (
        "int helper(int a) {\n  return a;\n}\n"
        "kernel void one(device float* a) {\n  a[0] = helper(1);\n}\n"
        "kernel void two(device float* a) {\n  a[0] = helper(2);\n}\n"
    )
    with indexed({**FILES, path: text}, tmp_path) as conn:
        changed = {
            line: all_tools()["affected"].ask(conn, diff=f"--- a/{path}\n+++ b/{path}\n@@ -{line} +{line} @@\n-a\n+b\n").changed
            for line in (2, 5)
        }  # fmt: skip
    assert [thing.name for thing in changed[2]] == ["one", "two"]
    assert [thing.name for thing in changed[5]] == ["one"]
