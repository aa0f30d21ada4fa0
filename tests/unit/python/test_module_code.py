"""What runs when a file is imported is called by its module, which stands in the graph like a function."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import text
from tests.unit.support.small_tree import indexed

_PRIMS = (
    "from typing import Optional\n"
    "def make(name): ...\n"
    "class Rule:\n"
    "    @classmethod\n"
    "    def read(cls): ...\n"
    "    def put(self): ...\n"
    "def table_entry(x): ...\n"
    "def called(x): ...\n"
    "def default(x): ...\n"
    "def decorates(f): ...\n"
    "def unheard(x): ...\n"
    "def inside(x): ...\n"
    "def factory(): ...\n"
    "def argument(): ...\n"
    "def hidden(x): ...\n"
    "def main(): ...\n"
    "def looped(): ...\n"
    "def entered(): ...\n"
    "class Held: ...\n"
    "class Typed: ...\n"
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
    "@make(argument)\n"
    "class Own:\n"
    "    field: int = Rule(default_factory=factory)\n"
    "    def hidden(self): ...\n"
    "    kept = property(hidden)\n"
    "shown = [lambda unheard: unheard(1), [unheard for unheard in TABLE]]\n"
    "for each in (looped, ):\n"
    "    with entered():\n"
    "        each(Held().x)\n"
    "other = unheard\n"
    "Types = Optional[Typed]\n"
    "rule = Rule()\n"
    "rule.put()\n"
    "if __name__ == '__main__':\n"
    "    main()\n"
    "put = Made().put\n"
    "class Made: ...\n"
    "class Serializer:\n"
    "    ADDERS = {'add': lambda self, node: self.add_node(node), 'any': [self for self in 'ab']}\n"
    "    def add_node(self, node): ...\n"
    "free = lambda self: self.add_node(1)\n"
    "class Level:\n"
    "    HIGH = 1\n"
    "    def made(): ...\n"
    "class Held2:\n"
    "    level: Typed = Level.HIGH\n"
    "    makes = {'a': Level.made}\n"
    "class Forming(type): ...\n"
    "class Formed(Held, metaclass=Forming): ...\n"
)
_FILES = {
    "version.txt": "2.6.0\n",
    "aten/src/ATen/native/native_functions.yaml": "- func: f(Tensor self) -> Tensor\n",
    "aten/src/ATen/native/tags.yaml": "[]\n",
    "torch/__init__.py": "",
    "torch/rules/__init__.py": "from torch.prims import Rule\n",
    "torch/rules/all.py": "from torch import rules\nclass Mine(rules.Rule): ...\nx = Mine.read()\ny = rules.Rule.read()\n",
    "torch/prims.py": _PRIMS,
    "torch/quiet.py": "import torch\n\nname = 'x'\n\ndef f():\n    torch.prims.make(1)\n",
    "test/test_prims.py": "from torch.prims import unheard\nunheard(2)\n",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("module_code")) as connection:
        yield connection


@pytest.mark.parametrize(
    ("name", "kind", "lines"),
    [
        ("make", "python", [21, 22, 32]),
        ("table_entry", "python", [25]),
        ("table_entry", "reference", [25]),
        ("called", "python", [26]),
        ("default", "python", [27]),
        ("argument", "reference", [32]),
        ("factory", "reference", [34]),
        ("Own.hidden", "reference", [36]),
        ("looped", "reference", [38]),
        ("entered", "python", [39]),
        ("Held", "python", [40]),
        ("Rule", "python", [34, 43]),
        ("Rule.put", "python", [44]),
        ("main", "python", [46]),
        ("Made", "python", [47]),
        ("Serializer.add_node", "python", [50]),
        ("Forming", "python", [60]),
        ("Level", "reference", [57]),
        ("Level.made", "reference", [58]),
        ("hidden", "reference", []),  # the class's own is meant
        ("unheard", "python", []),  # a text, a comment, another name of it, what a lambda and a loop bind
        ("unheard", "reference", []),
        ("inside", "python", []),
        ("Typed", "reference", []),
    ],
)  # fmt: skip
def test_module_calls_and_hands_on(
    conn: sqlite3.Connection, name: str, kind: str, lines: list[int]
) -> None:
    rows = conn.execute(
        "SELECT line FROM v_edges WHERE source = 'torch.prims.<module>' AND target = ? AND kind = ? ORDER BY line",
        (f"torch.prims.{name}", kind),
    )
    assert [row[0] for row in rows] == lines


def test_what_a_class_inherits_and_a_package_imports(conn: sqlite3.Connection) -> None:
    lines = text(conn, "called_by", name="torch.prims.Rule.read")
    assert any("torch.rules.all.<module>" in x and "torch/rules/all.py:3, 4 " in x for x in lines)


def test_nobody_is_said_to_use_what_names_nothing(conn: sqlite3.Connection) -> None:
    rows = conn.execute(
        "SELECT m.name FROM python_functions AS p JOIN python_modules AS m ON m.id = p.module_id"
        " WHERE p.kind = 'module' ORDER BY 1"
    )
    # Modules that call something; a test's own code runs with its tests.
    assert [row[0] for row in rows] == ["torch.prims", "torch.rules.all"]


@pytest.mark.parametrize("name", ["torch/rules/all.py", "torch.rules.all.<module>"])
def test_a_file_calls_what_its_module_does(conn: sqlite3.Connection, name: str) -> None:
    lines = text(conn, "calls", name=name)
    assert any("torch.prims.Rule.read" in line for line in lines)


def test_impact_names_the_module(conn: sqlite3.Connection) -> None:
    lines = text(conn, "impact", name="torch.prims.main")
    assert any("torch.prims.<module>" in line and ":46 -python->" in line for line in lines)


@pytest.mark.parametrize("line", [1, 26])
def test_a_module_stands_on_no_line(conn: sqlite3.Connection, line: int) -> None:
    lines = text(conn, "calls", name=f"torch/prims.py:{line}")
    assert not any("torch.prims.<module>" in each for each in lines)
