"""A test of one operator that expects words of another's message expects that other message."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed

_PATH = "aten/src/ATen/native/Loom.cpp"
_CHECK = '  TORCH_CHECK(mask, "{} only supports boolean masks, but got mask with dtype ", mask);'
_TEST = """\
    def test_{0}(self):
        with self.assertRaisesRegex(RuntimeError, "{1}only supports boolean masks"):
            {2}
"""
_FILES = {
    "aten/src/ATen/native/native_functions.yaml": "".join(
        f"- func: {name}(Tensor self) -> Tensor\n  dispatch:\n    CPU: {name}_cpu\n"
        for name in ("weave", "knot")
    ),
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: x\n",
    "version.txt": "2.6.0\n",
    _PATH: "namespace at::native {\n"
    + "".join(
        f"Tensor {name}_cpu(const Tensor& self) {{\n{_CHECK.format(name)}\n  return self;\n}}\n"
        for name in ("weave", "knot")
    )
    + "}\n",
    "test/test_loom.py": (
        "import torch\nfrom torch.testing._internal.common_utils import TestCase\nclass TestLoom(TestCase):\n"
        + _TEST.format("weave", "", "torch.weave(x)")
        + _TEST.format("knot", "", "torch.knot(x)")
        + _TEST.format("whole", "weave ", "torch.knot(x)")
        + _TEST.format("any", "", "call()")
    ),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("messages")) as connection:
        yield connection


@pytest.mark.parametrize(("name", "other", "line"), [("weave", "knot", 3), ("knot", "weave", 7)])
def test_those_of_the_operator_come_before_those_of_another(
    conn: sqlite3.Connection, name: str, other: str, line: int
) -> None:
    old = _CHECK.format(name)
    diff = f"--- a/{_PATH}\n+++ b/{_PATH}\n@@ -{line} +{line} @@\n-{old}\n+  check(mask);\n"
    weights = {test.name: test.weight for test in ask(conn, "affected", diff=diff).tests}
    assert weights[f"TestLoom.test_{name}"] > 0.9
    assert weights["TestLoom.test_any"] > 0.9
    assert 0 < weights[f"TestLoom.test_{other}"] < 0.5
    if name == "weave":
        assert weights["TestLoom.test_whole"] > 0.9
