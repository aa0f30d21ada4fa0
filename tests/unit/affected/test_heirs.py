"""A changed method is what the classes run that inherit it, and not those that have their own; who uses a class."""

from __future__ import annotations

from pathlib import Path

from tests.unit.support.small_tree import indexed
from torchtalk.tools import all_tools

FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
    "torch/__init__.py": "",
    "torch/nn/__init__.py": "",
    "torch/nn/cloth.py": """\
class _Cloth:
    def forward(self, x):
        return x
class Silk(_Cloth):
    pass
class Wool(_Cloth):
    def forward(self, x):
        return -x
class Linen:
    @classmethod
    def weave(cls, x):
        return cls()
    def fold(self, x):
        return x
def weave(x):
    return Linen.weave(x)
""",
    "test/test_cloth.py": """\
from unittest import TestCase
from torch.nn.cloth import Linen, Silk, Wool, weave
class TestCloth(TestCase):
    def test_silk(self):
        Silk()
    def test_wool(self):
        Wool()
    def test_linen(self):
        weave(1)
    def test_weaving(self):
        Linen.weave(1)
""",
}
DIFF = "--- a/torch/nn/cloth.py\n+++ b/torch/nn/cloth.py\n@@ -3 +3 @@\n-        return x\n+        return +x\n"


def test_heirs_come_before_classes_with_a_method_of_their_own(tmp_path: Path) -> None:
    with indexed(FILES, tmp_path) as conn:
        first, second, *_ = all_tools()["affected"].ask(conn, diff=DIFF).tests
    assert first.name == "TestCloth.test_silk"
    assert first.path[1:3] == ("torch.nn.cloth.Silk inherits it", "uses it")
    assert second.name == "TestCloth.test_wool"
    assert second.path[1:4] == (
        "torch.nn.cloth._Cloth has this method", "torch.nn.cloth.Wool derives from it", "uses it",
    )  # fmt: skip
    assert first.weight > second.weight


def test_who_calls_a_class_method_uses_the_class(tmp_path: Path) -> None:
    """`LnStructured.apply(module, …)` makes a LnStructured, whose other methods run (torch/nn/utils/prune.py)."""
    diff = DIFF.replace("@@ -3 +3 @@", "@@ -14 +14 @@")
    with indexed(FILES, tmp_path) as conn:
        answer = all_tools()["affected"].ask(conn, diff=diff)
    assert [thing.name for thing in answer.changed] == ["torch.nn.cloth.Linen.fold"]
    # The graph leads to few tests of a file that is called like what changed: its others hardly ever run it.
    assert [test.name for test in answer.tests] == [
        "TestCloth.test_weaving", "TestCloth.test_linen",
    ]  # fmt: skip
    assert answer.by_name == 0
