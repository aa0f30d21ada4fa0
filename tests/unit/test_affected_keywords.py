"""Tests that pass a parameter whose default a diff changes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.small_tree import indexed
from torchtalk.tools import affected

_TEST = "    def test_{}(self):\n        {}\n"
FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: weft(Tensor self, bool tight=False) -> Tensor\n",
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "torch/yarn.py": "def knit(n, *,\n         tight: bool = False,\n         loose=1):\n    other = 1\n    return n\n",
    "test/test_all.py": (
        "import torch\nfrom torch.yarn import knit\nfrom torch.testing._internal.common_utils import TestCase\n"
        "def helper():\n    knit(2, tight=True)\nclass TestAll(TestCase):\n"
        + _TEST.format("plain", "knit(1)")
        + _TEST.format("passes", "knit(1, tight=True)")
        + _TEST.format("compares", "knit(1, 2 if tight == 1 else 3)")
        + _TEST.format("helped", "helper()")
        + _TEST.format("weft", "torch.weft(1)")
        + _TEST.format("weft_passes", "torch.weft(1, tight=True)")
    ),
}  # fmt: skip
_YAML = "aten/src/ATen/native/native_functions.yaml"


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("keywords")) as connection:
        yield connection


@pytest.mark.parametrize(
    ("path", "line", "old", "new", "passing"),
    [
        ("torch/yarn.py", 2, "         tight: bool = False,", "         tight: bool = True,", {"passes", "helped"}),
        (_YAML, 1, "- func: weft(Tensor self, bool tight=False) -> Tensor",
         "- func: weft(Tensor self, bool tight=True) -> Tensor", {"weft_passes"}),
        # It has another name, or is gone from a head.
        ("torch/yarn.py", 2, "         tight: bool = False,", "         tighter: bool = False,", {"passes", "helped"}),
        (_YAML, 1, "- func: weft(Tensor self, bool tight=False) -> Tensor",
         "- func: weft(Tensor self) -> Tensor", {"weft_passes"}),
        # It stands in a call, or goes on below.
        ("torch/yarn.py", 4, "    other = knit(1, tight=True)", "    other = knit(1)", set()),
        ("torch/yarn.py", 2, "         tight: bool = False,", "         more=1, tight: bool = False,", set()),
        # No test passes it, it keeps its default, or it is no parameter.
        ("torch/yarn.py", 3, "         loose=1):", "         loose=2):", set()),
        ("torch/yarn.py", 2, "         tight: bool = False,", "         tight: object = False,", set()),
        ("torch/yarn.py", 4, "    tight = 1", "    tight = 2", set()),
    ],
)  # fmt: skip
def test_what_passes_it_comes_first(
    conn: sqlite3.Connection, path: str, line: int, old: str, new: str, passing: set[str]
) -> None:
    diff = f"--- a/{path}\n+++ b/{path}\n@@ -{line} +{line} @@\n-{old}\n+{new}\n"
    answer = affected.TOOL.ask(conn, diff=diff)
    found = {
        test.name.removeprefix("TestAll.test_")
        for test in answer.tests
        if test.path[-1] == "passes tight"
    }
    assert found == passing
    if passing:
        assert answer.tests[0].path[-1] == "passes tight"
