"""What runs operators of one, two and three dimensions: the tests of that which changed come first."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import affected_by_line
from tests.unit.support.small_tree import indexed

WEAVE = "aten/src/ATen/native/Weave.cpp"
FILES = {
    "aten/src/ATen/native/native_functions.yaml": (
        "- func: slow_weave2d(Tensor self) -> Tensor\n  dispatch:\n    CPU: slow_weave2d_cpu\n\n"
        "- func: slow_weave3d(Tensor self) -> Tensor\n  dispatch:\n    CPU: slow_weave3d_cpu\n\n"
        "- func: weave(Tensor self) -> Tensor\n"
    ),
    WEAVE: (
        "namespace at::native {\n"
        "Tensor slow_weave2d_cpu(const Tensor& self) { return self; }\n"
        "Tensor slow_weave3d_cpu(const Tensor& self) { return self; }\n"
        "Tensor weave(const Tensor& self) {\n"
        "  return self.dim() == 3 ? at::slow_weave3d(self) : at::slow_weave2d(self);\n}\n}\n"
    ),
    "torch/__init__.py": "",
    "test/test_weaving.py": (
        "import torch\nfrom torch.testing._internal.common_utils import TestCase\n\n"
        "class TestWeaving(TestCase):\n"
        + "".join(
            f"    def test_cloth{size}(self):\n        torch.weave(torch.ones(2))\n\n"
            for size in ("1d_first", "2d_then", "3d_last", "_of_any")
        )
    ),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("sizes")) as opened:
        yield opened


def test_those_of_other_sizes_come_last(conn: sqlite3.Connection) -> None:
    answer = affected_by_line(conn, FILES, WEAVE, "slow_weave3d_cpu")
    scores = {one.name.rpartition(".")[2]: one.weight for one in answer.tests}
    own, any_size = scores["test_cloth3d_last"], scores["test_cloth_of_any"]
    assert own > any_size > max(scores["test_cloth1d_first"], scores["test_cloth2d_then"])


def test_one_dimension_is_run_as_two(conn: sqlite3.Connection) -> None:
    answer = affected_by_line(conn, FILES, WEAVE, "slow_weave2d_cpu")
    scores = {one.name.rpartition(".")[2]: one.weight for one in answer.tests}
    assert scores["test_cloth2d_then"] > scores["test_cloth1d_first"] > scores["test_cloth3d_last"]
    assert scores["test_cloth1d_first"] == scores["test_cloth_of_any"]
