"""A class that nobody names, and what is raised by its name alone."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import text
from tests.unit.support.small_tree import indexed

_FILES = {
    "version.txt": "2.6.0\n",
    "aten/src/ATen/native/native_functions.yaml": "- func: f(Tensor self) -> Tensor\n",
    "aten/src/ATen/native/tags.yaml": "[]\n",
    "torch/__init__.py": "",
    "torch/pruning.py": (
        "class Method:\n"
        "    @classmethod\n"
        "    def apply(cls):\n"
        "        return cls.helper()\n"
        "    @classmethod\n"
        "    def helper(cls): ...\n"
        "    @classmethod\n"
        "    def alone(cls):\n"
        "        return cls.apply()\n\n\n"
        "class Made:\n"
        "    @staticmethod\n"
        "    def read(): ...\n\n\n"
        "class Unused:\n"
        "    def own(self):\n"
        "        return self.other()\n"
        "    def other(self): ...\n\n\n"
        "class Stopped(Exception): ...\n\n\n"
        "class Caused(Exception): ...\n\n\n"
        "class Caught(Exception): ...\n\n\n"
        "def user():\n"
        "    Method.apply()\n\n\n"
        "def makes():\n"
        "    Made()\n"
        "    Made.read()\n\n\n"
        "def raises(Caught):\n"
        "    try:\n"
        "        raise Stopped\n"
        "    except Caught as error:\n"
        "        raise Caused from error\n\n\n"
        "def outer():\n"
        "    user()\n"
    ),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("class_methods")) as connection:
        yield connection


def test_methods_stand_for_a_class_that_nobody_names(conn: sqlite3.Connection) -> None:
    lines = text(conn, "called_by", name="torch.pruning.Method")
    assert lines[0] == "torch.pruning.Method (2 definitions) is used by 2, all by Python call"
    assert any("torch.pruning.user" in line for line in lines)
    assert not any("helper" in line or "method:" in line for line in lines)
    note = "note: nothing is known to use the class itself; its methods that are used stand for it: apply"
    assert note in lines
    assert any(
        "torch.pruning.outer" in x for x in text(conn, "impact", name="torch.pruning.Method")
    )


@pytest.mark.parametrize(
    ("name", "finding"),
    [
        ("Made", "torch.pruning.Made is used by 1, by Python call"),
        ("Unused", "torch.pruning.Unused: nothing is known that it is used by"),
    ],
)
def test_other_classes_stand_for_themselves(
    conn: sqlite3.Connection, name: str, finding: str
) -> None:
    lines = text(conn, "called_by", name=f"torch.pruning.{name}")
    assert lines[0] == finding
    assert not any("stand for it" in line for line in lines)


@pytest.mark.parametrize(("name", "lines"), [("Stopped", [43]), ("Caused", [45]), ("Caught", [])])
def test_what_is_raised_without_brackets(
    conn: sqlite3.Connection, name: str, lines: list[int]
) -> None:
    rows = conn.execute(
        "SELECT line FROM v_edges WHERE source = 'torch.pruning.raises' AND target = ?",
        (f"torch.pruning.{name}",),
    )
    assert [row[0] for row in rows] == lines
