"""A changed method that overrides another: who calls that one runs it, and not who uses its class."""

from __future__ import annotations

from pathlib import Path

from tests.unit.support.asking import affected_by, ask
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


def test_who_calls_the_base_of_super_runs_no_other_that_overrides_it(tmp_path: Path) -> None:
    """`super().run_node(n)` of an interpreter in torch/fx/ is no way to the `run_node` of another."""
    files = {
        **FILES,
        _FILE: FILES[_FILE]
        + """\
class Linen(Cloth):
    def weight(self):
        return super().weight()
class Hemp(Cloth):
    def weight(self):
        return Cloth.weight(self)
""",
        "test/test_weft.py": """\
from unittest import TestCase
from torch.cloths import Cloth, Hemp, Linen
class TestWeft(TestCase):
    def test_linen(self):
        Linen().weight()
    def test_hemp(self):
        Hemp().weight()
    def test_own(self):
        class Own(Cloth):
            def weight(self):
                return super().weight()
""",
    }
    with indexed(files, tmp_path) as conn:
        answer = affected_by(conn, files, _FILE, "        return 1\n", "        return 3\n")
        found = ask(conn, "impact", name="torch.cloths.Silk.weight", depth=1)
        of_base = ask(conn, "impact", name="torch.cloths.Cloth.weight", depth=1)
    ways = {test.name.rpartition(".")[2]: test.path for test in answer.tests}
    assert "torch.cloths.Cloth.weight may run it" in ways["test_heaviest"]
    for test in ("test_linen", "test_hemp", "test_own"):
        assert not any("calls it" in step for step in ways.get(test, ()))
    names = {dependent.name for dependent in found.dependents}
    assert "torch.cloths.heaviest" in names
    assert not names & {"torch.cloths.Linen.weight", "torch.cloths.Hemp.weight"}
    assert any("2 callers of 1 overridden method on the way not followed" in n for n in found.notes)
    # Who asks for the method itself has all its callers.
    assert {"torch.cloths.Linen.weight", "torch.cloths.Hemp.weight"} <= {
        dependent.name for dependent in of_base.dependents
    }
