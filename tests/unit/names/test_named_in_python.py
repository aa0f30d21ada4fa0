"""called_by says where the text names a Python function or class that nothing is seen to use."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.support.asking import text
from tests.unit.support.small_tree import indexed
from torchtalk.db import connect

FILES = {
    "version.txt": "2.6.0\n",
    "aten/src/ATen/native/native_functions.yaml": "- func: f(Tensor self) -> Tensor\n",
    "torch/__init__.py": "",
    "torch/shapes.py": (
        "class Shape:\n"
        "    def set_value(self, x):  # .set_value(\n"
        "        return x\n"
        "    def is_known(self): ...\n"
        "    def bounds(self): ...\n"
        "    def append(self, x): ...\n"
        "    def unheard(self): ...\n"
        "class Other:\n"
        "    def is_known(self): ...\n"
        "    def __init__(self):\n"
        "        self.bounds = 1\n"
        "def handed_on(x): ...\n"
        "def only_imported(x): ...\n"
        "if built:\n"
        "    from torch._C import _set_mode as set_mode\n"
        "else:\n"
        "    def set_mode(x): ...\n"
        "def switch(): set_mode(1)\n"
        "class Typed: ...\n"
        "class Asked: ...\n"
        "class Twofold: ...\n"
        "class Silent: ...\n"
    ),
    "torch/uses.py": (
        "import torch\n"
        "from torch.shapes import (\n"
        "    handed_on,\n"
        "    only_imported, Typed, Asked, Silent,\n"
        ")\n"
        "def run(shape, known):\n"
        "    # shape.set_value(1)\n"
        "    register(shape.set_value)\n"
        "    known[0].set_value(\n"
        "        3)\n"
        "    register(shape.is_known), shape.bounds, shape.append(1)\n"
        "    known.shapes.handed_on(4)\n"
        "def typed(x: Typed) -> Typed:\n"
        "    y: Twofold = x  # Silent(\n"
        "    return isinstance(y, Asked)\n"
        "class Twofold: ...\n"
    ),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("module")) as connection:
        yield connection


@pytest.mark.parametrize(
    ("name", "where"),
    [
        (
            "torch.shapes.Shape.set_value",
            [
                "`.set_value`, in no use that is known, at torch/uses.py:8 `register(shape.set_value)`,"
                " torch/uses.py:9 `known[0].set_value(`"
            ],
        ),
        (
            "torch.shapes.handed_on",
            ["it, in no use that is known, at torch/uses.py:12 `known.shapes.handed_on(4)`"],
        ),
        ("torch.shapes.Shape.is_known", []),  # another class's as well
        ("torch.shapes.Shape.bounds", []),  # another class's attribute
        ("torch.shapes.Shape.append", []),  # a list's
        ("torch.shapes.Shape.unheard", []),
        ("torch.shapes.only_imported", []),
        (
            "torch.shapes.Typed",
            ["it, in no use that is known, at torch/uses.py:13 `def typed(x: Typed) -> Typed:`"],
        ),
        (
            "torch.shapes.Asked",
            ["it, in no use that is known, at torch/uses.py:15 `return isinstance(y, Asked)`"],
        ),
        ("torch.shapes.Twofold", []),  # another class as well
        ("torch.shapes.Silent", []),
    ],
)
def test_where_nothing_is_seen_to_use_it(
    conn: sqlite3.Connection, name: str, where: list[str]
) -> None:
    lines = text(conn, "called_by", name=name)
    said = [line.partition("the text names ")[2] for line in lines if "the text names" in line]
    assert said == where
    assert bool(where) != any("there is nothing in the tree" in line for line in lines)


def test_what_is_used_needs_no_such_word(tmp_path: Path) -> None:
    files = {
        **FILES,
        "torch/typed.py": "from torch.shapes import Shape\ndef f(x: Shape):\n    x.set_value(1)\n",
    }
    with indexed(files, tmp_path) as conn:
        lines = text(conn, "called_by", name="torch.shapes.Shape.set_value")
    assert any("torch.typed.f" in line for line in lines)
    assert not any("the text names" in line for line in lines)


def test_impact_says_so_too(conn: sqlite3.Connection) -> None:
    lines = text(conn, "impact", name="torch.shapes.Shape.set_value")
    assert lines[0] == (
        "torch.shapes.Shape.set_value: nothing within 3 calls is known to depend on it"
    )
    assert (
        "note: the text names `.set_value`, in no use that is known, at torch/uses.py:8 `register(shape.set_value)`,"
        " torch/uses.py:9 `known[0].set_value(`"
    ) in lines
    # What something is known to use needs no such word.
    said = " ".join(text(conn, "impact", name="torch.shapes.switch"))
    assert "the text names" not in said


@pytest.mark.parametrize("tool", ["called_by", "impact"])
def test_what_is_defined_where_an_import_is_not_made(conn: sqlite3.Connection, tool: str) -> None:
    assert (
        "note: the name stands for torch._C._set_mode where line 15 imports that, and is used as such: ask for it"
    ) in text(conn, tool, name="torch.shapes.set_mode")


def test_what_samples_are_taken_from(fixture_db: Path) -> None:
    name = "torch.testing._internal.common_methods_invocations.sample_inputs_softcap"
    with contextlib.closing(connect(fixture_db)) as conn:
        assert "note: tables of tests take samples from it: UnaryUfuncInfo softcap" in text(
            conn, "called_by", name=name
        )
