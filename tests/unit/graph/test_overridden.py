"""Which callers of a method run that one for certain, and none that overrides it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.graph import exclusions
from torchtalk.graph.overridden import by_name
from torchtalk.graph.walk import upwards

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


_CLOTHS = {
    _YAML: "- func: warp(Tensor self) -> Tensor\n",
    "torch/__init__.py": "",
    "torch/cloths.py": _BASE,
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_CLOTHS, tmp_path_factory.mktemp("module")) as connection:
        yield connection


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
    method: str, callers: set[str], conn: sqlite3.Connection
) -> None:
    ids = {row["name"]: row["id"] for row in conn.execute("SELECT id, name FROM python_functions")}
    names = {identity: name for name, identity in ids.items()}
    found = by_name(conn, [ids[method]])
    assert {names[caller] for caller in found.get(ids[method], ())} == callers


_KINDS = """\
namespace c10 {
struct Kind {
  virtual int rank() { return 1; }
};
struct Linen : Kind {
  int rank() override { return Kind::rank() + 1; }
};
struct Wool : Kind {
  int rank() override { return Kind::rank() + 2; }
};
int of_any(Kind& kind) { return kind.rank(); }
int of_linen(Linen* linen) { return linen->rank(); }
}  // namespace c10
"""


@pytest.mark.parametrize("depth", [2, 5])
def test_who_names_the_class_of_a_virtual_method_in_cpp_runs_no_override(
    depth: int, tmp_path: Path
) -> None:
    files = {_YAML: "- func: warp(Tensor self) -> Tensor\n", "c10/core/Kind.cpp": _KINDS}
    with indexed(files, tmp_path) as conn:
        writing = sqlite3.connect(tmp_path / "small.db")
        of_class = "caller_id IN (SELECT id FROM functions WHERE name IN ('c10::Linen::rank', 'c10::Wool::rank'))"
        # As clang has them: one names the class, the other leaves it to the object.
        writing.execute(f"UPDATE calls SET code = 0 WHERE {of_class}")
        writing.execute(f"UPDATE calls SET code = 2 WHERE NOT {of_class}")
        writing.commit()
        writing.close()
        names = {row["id"] * 16: row["name"] for row in conn.execute("SELECT * FROM functions")}
        ids = {name: node for node, name in names.items()}
        excluded = exclusions.parse(conn, "none")
        found = {
            name: {names[node] for node in upwards(conn, [ids[name]], depth, excluded).depths}
            for name in ("c10::Wool::rank", "c10::Kind::rank")
        }
    assert found == {
        "c10::Wool::rank": {"c10::Wool::rank", "c10::Kind::rank", "c10::of_any"},
        "c10::Kind::rank": {
            "c10::Kind::rank", "c10::Linen::rank", "c10::Wool::rank", "c10::of_any", "c10::of_linen",
        },
    }  # fmt: skip
