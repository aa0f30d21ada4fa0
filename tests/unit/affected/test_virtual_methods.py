"""A method that overrides others leads to who makes its objects before all that call what it overrides."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed

_COLOURS = ("Red", "Green", "Blue", "Grey", "Black", "White", "Brown", "Violet")
_CLASSES = "".join(
    f"struct {name} : public Colour {{\n  {name}(int depth) {{}}\n  int mix() override {{ return {at}; }}\n}};\n"
    f"int use_{name.lower()}(int a) {{ {name} made(a); return a; }}\n"
    for at, name in enumerate(_COLOURS)
)
# What only declares a method has no row for it: whoever calls it calls all that override it.
_METALS = "".join(
    f"struct {name} : public Metal {{\n  {name}(int depth) {{}}\n  int ring() override {{ return {at}; }}\n}};\n"
    f"int use_{name.lower()}(int a) {{ {name} made(a); return a; }}\n"
    for at, name in enumerate(
        (
            "Iron",
            "Zinc",
            "Gold",
            "Lead",
            "Tin",
            "Steel",
            "Nickel",
            "Copper",
            "Silver",
            "Brass",
            "Radium",
            "Cobalt",
        )
    )
)
_FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: one(Tensor self) -> Tensor\n",
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: x\n",
    "c10/util/Colour.cpp": f"""namespace c10 {{
struct Colour {{
  virtual int mix() {{ return -1; }}
  int stir() {{ return mix(); }}
}};
{_CLASSES}
int paint(Colour& colour) {{ return colour.mix(); }}
}}
""",
    "c10/util/Metal.cpp": f"""namespace c10 {{
struct Metal {{
  virtual int ring() = 0;
}};
{_METALS}
int strike(Metal& metal) {{ return metal.ring(); }}
}}
""",
    "aten/src/ATen/test/metal_test.cpp": "TEST(MetalTest, Strikes) { c10::Iron iron; c10::strike(iron); }\n"
    "TEST(MetalTest, MakesZinc) { c10::use_zinc(1); }\n",
    "aten/src/ATen/test/paint_test.cpp": "TEST(PaintTest, Paints) { c10::Colour colour; c10::paint(colour); }\n"
    + "".join(
        f"TEST(PaintTest, Makes{name}) {{ c10::use_{name.lower()}(1); }}\n" for name in _COLOURS
    ),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("virtual")) as connection:
        yield connection


@pytest.mark.parametrize("name", ["Grey", "Violet"])
def test_who_makes_its_objects_comes_first(conn: sqlite3.Connection, name: str) -> None:
    answer = ask(conn, "affected", names=f"c10::{name}::mix")
    weights = {test.name: test.weight for test in answer.tests}
    first, second = answer.tests[:2]
    assert first.name == f"PaintTest.Makes{name}"
    assert f"c10::{name}::{name} makes what it is called on" in " -> ".join(first.path)
    assert second.name == "PaintTest.Paints"
    assert "is overridden by it" in " -> ".join(second.path)
    assert weights["PaintTest.Paints"] < weights[first.name]


def test_what_overrides_nothing_is_not_its_constructor(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "affected", names="c10::Colour::stir")
    assert all("makes what it is called on" not in " ".join(test.path) for test in answer.tests)


def test_one_of_many_that_override_what_is_only_declared(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "affected", names="c10::Zinc::ring")
    first, second = answer.tests[:2]
    assert first.name == "MetalTest.MakesZinc"
    assert "c10::Zinc::Zinc makes what it is called on" in " -> ".join(first.path)
    assert second.name == "MetalTest.Strikes"
    assert "c10::strike calls it or another that overrides the same" in " -> ".join(second.path)
    assert second.weight < first.weight
