"""Which callers of a method run that one for certain, and none that overrides it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.graph.overridden import by_name

_YAML = "aten/src/ATen/native/native_functions.yaml"
_BASE = """\
from typing import Type
class Kind(type):
    def derive(cls):
        return 1
    def twice(cls):
        return cls.derive()
class Own(Kind):
    def derive(cls):
        return 2
class Cloth:
    def weight(self):
        return 1
    @classmethod
    def make(cls):
        return cls()
    @property
    def width(self):
        return 1
class Silk(Cloth):
    def weight(self):
        return super().weight()
    @classmethod
    def make(cls):
        return super().make()
    @property
    def width(self):
        return 2
class Felt(Cloth):
    def both(self):
        return self.weight() + super().weight()
    def width_of(self):
        return self.width
def of_object(cloth: Cloth):
    return cloth.weight()
def of_class(cloth):
    return Cloth.weight(cloth)
def of_kind(kind: Type[Cloth]):
    return kind.make()
one = Silk()
def of_variable():
    return one.weight()
"""


@pytest.mark.parametrize(
    ("method", "callers"),
    [
        ("Cloth.weight", {"Silk.weight", "of_class"}),
        ("Cloth.make", {"Silk.make"}),
        ("Cloth.width", set()),
        ("Kind.derive", set()),
        ("Silk.weight", set()),
    ],
)
def test_what_names_a_method_of_super_or_of_its_class(
    method: str, callers: set[str], tmp_path: Path
) -> None:
    with indexed(
        {
            _YAML: "- func: warp(Tensor self) -> Tensor\n",
            "torch/__init__.py": "",
            "torch/cloths.py": _BASE,
        },
        tmp_path,
    ) as conn:
        ids = {
            row["name"]: row["id"] for row in conn.execute("SELECT id, name FROM python_functions")
        }
        names = {identity: name for name, identity in ids.items()}
        found = by_name(conn, [ids[method]])
    assert {names[caller] for caller in found.get(ids[method], ())} == callers
