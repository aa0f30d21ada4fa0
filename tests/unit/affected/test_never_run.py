"""Tests that nobody runs are not chosen: googletest's disabled ones, and what is skipped whatever the machine."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import affected_by_line
from tests.unit.support.small_tree import indexed

SPIN = "torch/csrc/spin.cpp"
REEL = "torch/csrc/reel_winding.cpp"
PYTHON = "torch/spinning.py"
FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: mean(Tensor self) -> Tensor\n",
    SPIN: "namespace torch {\nint spin_around(int a) {\n  return a;\n}\n}\n",
    "test/cpp/api/spin.cpp": (
        "#include <gtest/gtest.h>\n"
        "TEST(SpinTest, Around) {\n  torch::spin_around(1);\n}\n"
        "TEST(SpinTest, DISABLED_Around) {\n  torch::spin_around(2);\n}\n"
    ),
    # What leads to no test has those of the file that is called like its own.
    REEL: "namespace torch {\nint reel_in(int a) {\n  return a + 7;\n}\n}\n",
    "test/cpp/api/reel_winding.cpp": (
        "#include <gtest/gtest.h>\nTEST(ReelWinding, Near) {\n  f(1);\n}\n"
        "TEST(ReelWinding, DISABLED_Far) {\n  f(2);\n}\n"
    ),
    "torch/__init__.py": "",
    PYTHON: "def spin_on(a):\n    return a\n",
    "test/test_spinning.py": (
        "import unittest\nfrom torch.spinning import spin_on\n"
        "from torch.testing._internal.common_utils import TestCase\n\n"
        "class TestSpinning(TestCase):\n"
        "    def test_spin_on(self):\n        spin_on(1)\n\n"
        "    @unittest.skip('is broken')\n    def test_spin_on_broken(self):\n        spin_on(2)\n\n"
        "    @unittest.skip\n    def test_spin_on_skipped(self):\n        spin_on(3)\n\n"
        "    @unittest.skipIf(not torch.cuda.is_available(), 'no GPU')\n"
        "    def test_spin_on_gpu(self):\n        spin_on(4)\n"
    ),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("never")) as opened:
        yield opened


@pytest.mark.parametrize(
    ("path", "text", "tests"),
    [
        (SPIN, "return a", {"SpinTest.Around"}),
        (REEL, "return a + 7", {"ReelWinding.Near", "SpinTest.Around"}),
        (PYTHON, "return a", {"TestSpinning.test_spin_on", "TestSpinning.test_spin_on_gpu"}),
        # One that changed itself may be run from now on.
        (
            "test/test_spinning.py", "spin_on(2)",
            {"TestSpinning.test_spin_on_broken"},
        ),
    ],
)  # fmt: skip
def test_only_what_is_run(conn: sqlite3.Connection, path: str, text: str, tests: set[str]) -> None:
    answer = affected_by_line(conn, FILES, path, text)
    assert {one.name for one in answer.tests} == tests
