"""Tests that a class body assigns: they are listed, and what they run leads to them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.tools import all_tools

_FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: t(Tensor self) -> Tensor\n",
    "torch/testing/_internal/common_utils.py": "import unittest\nclass TestCase(unittest.TestCase):\n    pass\n",
    "torch/helped.py": "def rare_one():\n    pass\n\ndef rare_two():\n    pass\n",
    "test/test_fused.py": """\
import functools
import unittest
import torch
from torch.helped import rare_one, rare_two
from torch.testing._internal.common_utils import TestCase

HAS_CPU = True


def make_test(number):
    def test_fn(self):
        rare_two()

    return test_fn


def device_of():
    return "cpu"


class Root(TestCase):
    def _test_plain(self):
        rare_one()


class Template(Root):
    def _test_typed(self, dtype):
        rare_one()

    def test_own(self):
        pass


if HAS_CPU:

    class CpuTests(Template):
        test_device = device_of()
        test_dtypes = [1, 2]
        test_limit = 3
        test_plain_cpu = Template._test_plain
        test_typed_cpu = functools.partialmethod(
            Template._test_typed,
            dtype=1,
        )
        test_made = make_test(
            1
        )
        test_skipped = unittest.skipIf(True, "slow")(Template.test_own)

        def test_there(self):
            test_local = device_of()


class Values:
    test_plain = Template._test_plain
""",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("module")) as connection:
        yield connection


def test_they_are_tests_with_the_lines_of_their_assignments(conn: sqlite3.Connection) -> None:
    rows = conn.execute(
        "SELECT class, test, v.line FROM v_tests AS v WHERE file = 'test/test_fused.py' ORDER BY 3"
    ).fetchall()
    ends = conn.execute(
        "SELECT name, end_line - line FROM tests WHERE name IN ('test_typed_cpu', 'test_made') ORDER BY 1"
    ).fetchall()
    text = _FILES["test/test_fused.py"].splitlines()
    at = {name: text.index(line) + 1 for name, line in (
        ("test_own", "    def test_own(self):"),
        ("test_plain_cpu", "        test_plain_cpu = Template._test_plain"),
        ("test_typed_cpu", "        test_typed_cpu = functools.partialmethod("),
        ("test_made", "        test_made = make_test("),
        ("test_skipped", '        test_skipped = unittest.skipIf(True, "slow")(Template.test_own)'),
        ("test_there", "        def test_there(self):"),
    )}  # fmt: skip
    assert [tuple(row) for row in rows] == [
        ("Template" if name == "test_own" else "CpuTests", name, line) for name, line in at.items()
    ]
    assert [tuple(row) for row in ends] == [("test_made", 2), ("test_typed_cpu", 3)]


def test_what_they_run_leads_to_them(conn: sqlite3.Connection) -> None:
    tool = all_tools()["affected"]
    found = {}
    for name in ("rare_one", "rare_two", "test_typed_cpu", "CpuTests.test_made", "CpuTests"):
        answer = tool.ask(conn, names=name)
        found[name] = [test.name.removeprefix("CpuTests.") for test in answer.tests]
    typed, made = ["test_plain_cpu", "test_typed_cpu"], ["test_made", "test_skipped", "test_there"]
    assert found == {
        "rare_one": typed,
        "rare_two": ["test_made"],
        "test_typed_cpu": ["test_typed_cpu"],
        "CpuTests.test_made": ["test_made"],
        "CpuTests": typed + made,
    }


@pytest.mark.parametrize(
    ("line", "tests"),
    [
        ("            dtype=1,", ["test_typed_cpu"]),
        ("            1", ["test_made"]),
        ("        rare_two()", ["test_made"]),
        ("    def _test_plain(self):", ["test_plain_cpu"]),
    ],
)
def test_a_changed_line_is_theirs(line: str, tests: list[str], conn: sqlite3.Connection) -> None:
    path = "test/test_fused.py"
    at = _FILES[path].splitlines().index(line) + 1
    diff = f"--- a/{path}\n+++ b/{path}\n@@ -{at} +{at} @@\n-{line}\n+{line} + 1\n"
    answer = all_tools()["affected"].ask(conn, diff=diff)
    assert [test.name.removeprefix("CpuTests.") for test in answer.tests] == tests
    assert answer.finding.startswith("1 thing changed: 1 test")
