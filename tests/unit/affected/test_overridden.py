"""A changed method that overrides another: who calls that one runs it, and not who uses its class."""

from __future__ import annotations

from pathlib import Path

from tests.unit.support.asking import affected_by
from tests.unit.support.small_tree import indexed

_FILE = "torch/cloths.py"
FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
    "torch/__init__.py": "",
    _FILE: """\
class Cloth:
    def weight(self):
        ...
    def burden(self):
        return 2 * self.weight()
class Silk(Cloth):
    def weight(self):
        return 1
class Wool(Cloth):
    def weight(self):
        return 2
class Felt(Cloth):
    pass
def heaviest(cloth: Cloth):
    return cloth.weight()
""",
    "test/test_loom.py": """\
from unittest import TestCase
from torch.cloths import Cloth, Felt, Silk, Wool, heaviest
class TestLoom(TestCase):
    def setUp(self):
        self.cloths = [Silk(), Wool()]
    def test_error(self):
        class Own(Cloth):
            pass
    def test_felt(self):
        Felt()
    def test_heaviest(self):
        heaviest(1)
    def test_touch(self):
        Silk()
    def test_fold(self):
        Silk()
    def test_weight(self):
        Silk()
""",
}


def test_users_of_the_class_that_is_derived_from_come_last(tmp_path: Path) -> None:
    with indexed(FILES, tmp_path) as conn:
        answer = affected_by(conn, FILES, _FILE, "        return 1\n", "        return 3\n")
    weights = {test.name.rpartition(".")[2]: test.weight for test in answer.tests}
    ways = {test.name.rpartition(".")[2]: test.path for test in answer.tests}
    # Its own class's tests, and the callers of what it overrides; the one that has its name before the others.
    assert next(iter(weights)) == "test_weight"
    assert weights["test_weight"] > weights["test_touch"] > weights["test_error"]
    assert "torch.cloths.Cloth.weight may run it" in ways["test_heaviest"]
    assert weights["test_heaviest"] > weights["test_error"]
    # What Felt inherits is not Silk's.
    assert not any("Felt inherits it" in step for step in ways.get("test_felt", ()))
