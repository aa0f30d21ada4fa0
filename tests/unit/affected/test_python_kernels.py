"""A change of what Python registers as a kernel of an operator is one of the operator."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import affected_by
from tests.unit.support.small_tree import indexed
from torchtalk.answers.affected import AffectedAnswer, AffectedTest

_PATH = "torch/ao/quilt.py"
_FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: weave(Tensor self) -> Tensor\n",
    "torch/__init__.py": "",
    "torch/library.py": "class Library:\n    pass\ndef impl(*a):\n    pass\ndef custom_op(*a, **b):\n    pass\n",
    _PATH: (
        "import torch\nfrom torch.library import Library, custom_op, impl\n\n"
        'lib = Library("quilt", "DEF")\n'
        'lib.define("patch(Tensor x) -> Tensor")\n'
        'lib.define("patch.scalar(Tensor x, Scalar y) -> Tensor")\n'
        '@impl(lib, "patch", "CompositeExplicitAutograd")\n'
        "def patch(x):\n    return x + 1\n\n"
        '@impl(lib, "patch.scalar", "CUDA")\n'
        "def patch_scalar(x, y):\n    return x + 2\n\n"
        '@impl(lib, "patch", "Autograd")\n'
        "def patch_autograd(x):\n    return x + 3\n\n"
        '@custom_op("quilt::hem", mutates_args=())\n'
        "def hem(x: torch.Tensor) -> torch.Tensor:\n    return x + 4\n\n"
        "def other(x):\n    return x + 5\n"
    ),
    "test/test_sewing.py": (
        "import torch\nfrom torch.testing._internal.common_utils import TestCase\n\n"
        "class TestSewing(TestCase):\n"
        "    def test_it(self):\n        torch.ops.quilt.patch(1)\n"
        "    def test_gradient_of_it(self):\n        torch.ops.quilt.patch(1)\n"
        "    def test_more(self):\n        torch.ops.quilt.hem(1)\n"
    ),
    "torch/testing/_internal/common_utils.py": "import unittest\nclass TestCase(unittest.TestCase):\n    pass\n",
}  # fmt: skip
_BOTH = {"TestSewing.test_it", "TestSewing.test_gradient_of_it"}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("python_kernels")) as connection:
        yield connection


def _reached(answer: AffectedAnswer) -> list[AffectedTest]:
    aside = ("by name only", "beside what changed")
    return [test for test in answer.tests if not test.path[0].startswith(aside)]


@pytest.mark.parametrize(
    ("line", "tests", "why"),
    [
        ("x + 1", _BOTH, "kernel for CompositeExplicitAutograd of quilt::patch"),
        ("x + 2", _BOTH, "kernel for CUDA of quilt::patch"),
        ("x + 4", {"TestSewing.test_more"}, "kernel for CompositeExplicitAutograd of quilt::hem"),
    ],
)
def test_a_kernel_leads_to_the_tests_of_its_operator(
    conn: sqlite3.Connection, line: str, tests: set[str], why: str
) -> None:
    answer = affected_by(conn, _FILES, _PATH, line, f"{line}0")
    reached = _reached(answer)
    assert {test.name for test in reached} == tests
    assert all(why in " -> ".join(test.path) for test in reached)


def test_of_an_autograd_kernel_those_of_the_gradient_come_first(conn: sqlite3.Connection) -> None:
    answer = affected_by(conn, _FILES, _PATH, "x + 3", "x + 30")
    assert answer.tests[0].name == "TestSewing.test_gradient_of_it"
    assert "kernel for Autograd" in " -> ".join(answer.tests[0].path)


def test_what_is_no_kernel_leads_to_none(conn: sqlite3.Connection) -> None:
    answer = affected_by(conn, _FILES, _PATH, "x + 5", "x + 50")
    assert not _reached(answer)
