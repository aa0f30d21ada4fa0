"""A change of an overload, which only tells types, is one of the function that stands for all of them."""

from __future__ import annotations

from pathlib import Path

from tests.unit.support.small_tree import indexed
from torchtalk.render import to_text
from torchtalk.tools import all_tools

_PATH = "torch/typed.py"
FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    _PATH: (
        "from typing import overload\n"
        "@overload\ndef load(x: int) -> int: ...\n"
        "@overload\ndef load(x: str) -> str: ...\n"
        "def load(x):\n    return x\n"
    ),
    "test/test_typed.py": (
        "from torch.typed import load\nfrom torch.testing._internal.common_utils import TestCase\n"
        "class TestTyped(TestCase):\n    def test_load(self):\n        load(1)\n"
    ),
}


def test_overloads(tmp_path: Path) -> None:
    with indexed(FILES, tmp_path) as conn:
        for line in (3, 5, 7):
            diff = f"--- a/{_PATH}\n+++ b/{_PATH}\n@@ -{line} +{line} @@\n-a = 1\n+b = 2\n"
            answer = all_tools()["affected"].ask(conn, diff=diff)
            assert [thing.name for thing in answer.changed] == ["torch.typed.load"]
            assert [test.name for test in answer.tests] == ["TestTyped.test_load"]


def test_overloads_that_are_only_named_are_one_line(tmp_path: Path) -> None:
    files = {
        "aten/src/ATen/native/native_functions.yaml": "- func: far(Tensor self) -> Tensor\n",
        "c10/core/Pair.cpp": "namespace c10 {\nint mix(int a) { return a; }\nint mix(double a) { return 1; }\n}\n",
    }
    with indexed(files, tmp_path) as conn:
        answer = all_tools()["affected"].ask(conn, names="c10::mix")
    lines = to_text(answer).splitlines()
    assert [line for line in lines if line.startswith("changed:")] == [
        "changed: c10::mix (2 definitions)"
    ]
    assert answer.notes.count("c10::mix leads to no test that is known") == 1
