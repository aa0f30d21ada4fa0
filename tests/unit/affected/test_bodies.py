"""Tests that call a changed method on what nothing tells the type of: its name does, where few are called so."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.support.asking import affected_by
from tests.unit.support.small_tree import indexed

_GRAPH = """\
class Node:
    def replace_all_uses(self, other):
        return other

    def users(self):
        return []

    def get_qualified_name(self):
        return ""


class Edge:
    def get_qualified_name(self):
        return ""


class Graph:
    def get_qualified_name(self):
        return ""
"""

_FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: relu(Tensor self) -> Tensor\n",
    "torch/__init__.py": "from torch._C._VariableFunctions import *\n",
    "torch/fx/__init__.py": "",
    "torch/fx/node.py": _GRAPH,
    "test/test_passes.py": (
        "import torch\n\n"
        "def _swapped(nodes):\n    for node in nodes:\n        node.replace_all_uses(nodes)\n\n"
        "def test_swap(graph=None):\n    _swapped(graph.nodes)\n\n"
        "def test_replaced(graph=None):\n    graph.nodes[0].replace_all_uses(graph)\n\n"
        "def test_users(graph=None):\n    graph.nodes[0].users()\n\n"
        "def test_names(graph=None):\n    graph.nodes[0].get_qualified_name()\n"
    ),
}


@pytest.fixture
def conn(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path) as conn:
        yield conn


def _reasons(conn: sqlite3.Connection, old: str, new: str) -> dict[str, tuple[str, ...]]:
    answer = affected_by(conn, _FILES, "torch/fx/node.py", old, new)
    return {one.name: one.path for one in answer.tests}


def test_who_calls_it_on_a_value(conn: sqlite3.Connection) -> None:
    reasons = _reasons(conn, "        return other", "        return None")
    assert reasons == {
        "test_replaced": (
            "torch.fx.node.Node.replace_all_uses",
            "has replace_all_uses in its body",
        ),
        "test_swap": (
            "torch.fx.node.Node.replace_all_uses",
            "test.test_passes._swapped has replace_all_uses in its body",
            "calls it",
        ),
    }


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        return []", "        return [1]"),  # a name of one word
        ('return ""\n\n\nclass Edge', 'return "x"\n\n\nclass Edge'),  # three are called so
    ],
)
def test_what_many_are_called_is_nobodys(conn: sqlite3.Connection, old: str, new: str) -> None:
    reasons = _reasons(conn, old, new).values()
    assert not any(
        "in its body" in why
        for path in reasons
        for why in path
        if not path[0].startswith("beside ")
    )
