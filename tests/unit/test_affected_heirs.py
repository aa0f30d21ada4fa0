"""A changed method is what the classes run that inherit it, and not those that have their own."""

from __future__ import annotations

from pathlib import Path

from tests.unit.small_tree import indexed
from torchtalk.tools import affected

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
""",
    "test/test_cloth.py": """\
from unittest import TestCase
from torch.nn.cloth import Silk, Wool
class TestCloth(TestCase):
    def test_silk(self):
        Silk()
    def test_wool(self):
        Wool()
""",
}
DIFF = "--- a/torch/nn/cloth.py\n+++ b/torch/nn/cloth.py\n@@ -3 +3 @@\n-        return x\n+        return +x\n"


def test_heirs_come_before_classes_with_a_method_of_their_own(tmp_path: Path) -> None:
    with indexed(FILES, tmp_path) as conn:
        first, second = affected.TOOL.ask(conn, diff=DIFF).tests
    assert first.name == "TestCloth.test_silk"
    assert first.path[1:3] == ("torch.nn.cloth.Silk inherits it", "uses it")
    assert second.name == "TestCloth.test_wool"
    assert second.path[1:4] == (
        "torch.nn.cloth._Cloth has this method", "torch.nn.cloth.Wool derives from it", "uses it",
    )  # fmt: skip
    assert first.weight > second.weight
