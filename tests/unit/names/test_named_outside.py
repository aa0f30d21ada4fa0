"""called_by says where a module's or class's own text names a Python function: such code runs with the import."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.support.asking import text
from tests.unit.support.small_tree import indexed

PRIMS = (
    "def make(name): ...\n"
    "class Rule:\n"
    "    @classmethod\n"
    "    def read(cls): ...\n"
    "def table_entry(x): ...\n"
    "def called(x): ...\n"
    "def default(x): ...\n"
    "def decorates(f): ...\n"
    "def unheard(x): ...\n"
    "def inside(x): ...\n"
    "def factory(): ...\n"
    "abs = make('unheard')  # unheard(1)\n"
    "acos = make(\n"
    "    'acos',\n"
    ")\n"
    "TABLE = {'a': table_entry, 'b': lambda x: table_entry(x)}\n"
    "called(1)\n"
    "def takes(x, y=default(1)):\n"
    "    called(x)\n"
    "    inside(x)\n"
    "@decorates\n"
    "def decorated(): ...\n"
    "class Own:\n"
    "    field: int = Rule(default_factory=factory)\n"
)
FILES = {
    "version.txt": "2.6.0\n",
    "aten/src/ATen/native/native_functions.yaml": "- func: f(Tensor self) -> Tensor\n",
    "torch/__init__.py": "",
    "torch/rules/__init__.py": "from torch.prims import Rule\n",
    "torch/rules/all.py": "from torch import rules\nclass Mine(rules.Rule): ...\nx = Mine.read()\ny = rules.Rule.read()\n",
    "torch/prims.py": PRIMS,
    "test/test_prims.py": "from torch.prims import unheard\nunheard(2)\n",
}


@pytest.fixture
def conn(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path) as connection:
        yield connection


@pytest.mark.parametrize(
    ("name", "where"),
    [
        ("make", "torch/prims.py:12 `abs = make('unheard') # unheard(1)`, torch/prims.py:13 `acos = make(`"),
        ("table_entry", "torch/prims.py:16 `TABLE = {'a': table_entry, 'b': lambda x: table_entry(x)}`"),
        ("called", "torch/prims.py:17 `called(1)`"),
        ("default", "torch/prims.py:18 `def takes(x, y=default(1)):`"),
        ("factory", "torch/prims.py:24 `field: int = Rule(default_factory=factory)`"),
        ("Rule.read", "torch/rules/all.py:3 `x = Mine.read()`, torch/rules/all.py:4 `y = rules.Rule.read()`"),
        ("decorates", ""),
        ("inside", ""),
        ("unheard", ""),
    ],
)  # fmt: skip
def test_where_the_text_outside_of_functions_names_it(
    conn: sqlite3.Connection, name: str, where: str
) -> None:
    lines = text(conn, "called_by", name=f"torch.prims.{name}")
    told = [line.partition(", at ")[2] for line in lines if "the text names it outside" in line]
    told = [line.partition("is followed, at ")[2] or line for line in told]
    assert told == ([where] if where else [])
    if where:
        assert not any("nothing in the tree" in line for line in lines)


def test_callers_stand_beside_it(conn: sqlite3.Connection) -> None:
    lines = text(conn, "called_by", name="torch.prims.called")
    assert any("torch.prims.takes" in line for line in lines)
