"""Tests that pass a parameter whose default a diff changes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.support.endless import ended
from tests.unit.support.small_tree import indexed
from torchtalk.affected.choice.keywords import Keywords, _changed
from torchtalk.affected.diff.diffs import parse_diff
from torchtalk.affected.sources import Sources
from torchtalk.tools import all_tools

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
_PY = "torch/yarn.py"
_DIFF = f"--- a/{_PY}\n+++ b/{_PY}\n@@ -2 +2 @@\n-         tight: bool = False,\n+         tight: bool = True,\n"
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
        # Nor is what a call is given, or what a variable is.
        ("torch/yarn.py", 4, "    other = pull(tight=1)", "    other = pull(tight=2)", set()),
        ("torch/yarn.py", 4, "    tight = pull(1)", "    tight = pull(2)", set()),
        ("torch/yarn.py", 2, "         tight: Optional[Dict[str, int]] = None,", "         tight: Optional[Dict[str, int]] = 1,",
         {"passes", "helped"}),
    ],
)  # fmt: skip
def test_what_passes_it_comes_first(
    conn: sqlite3.Connection, path: str, line: int, old: str, new: str, passing: set[str]
) -> None:
    diff = f"--- a/{path}\n+++ b/{path}\n@@ -{line} +{line} @@\n-{old}\n+{new}\n"
    answer = all_tools()["affected"].ask(conn, diff=diff)
    found = {
        test.name.removeprefix("TestAll.test_")
        for test in answer.tests
        if test.path[-1] == "passes tight"
    }
    assert found == passing
    if passing:
        assert answer.tests[0].path[-1] == "passes tight"


def test_a_bracket_above_tells_whose_line_it_is(conn: sqlite3.Connection) -> None:
    for above, is_parameter in (
        ("def pull(n,", True),
        ("    pull(n,", False),
        ("    pull(n, [1])", True),
    ):
        diff = f"--- a/{_PY}\n+++ b/{_PY}\n@@ -1,2 +1,2 @@\n {above}\n-         tight=1,\n+         tight=2,\n"
        assert bool(list(_changed(parse_diff(diff)))) == is_parameter, above


def test_a_keyword_of_many_calls_is_found_in_all(tmp_path: Path) -> None:
    """A file has thousands of them in a thousand tests."""
    tests = "".join(
        _TEST.format(f"n{n}", "knit(1, tight=True)\n        " * 4) for n in range(1_000)
    )
    head = FILES["test/test_all.py"].partition("    def test_")[0]
    with indexed({**FILES, "test/test_all.py": head + tests}, tmp_path) as connection:
        changed = parse_diff(_DIFF)
        with ended():
            keywords = Keywords(connection, changed, Sources(connection))
        assert len(keywords._passing) == 1_001  # and the helper
