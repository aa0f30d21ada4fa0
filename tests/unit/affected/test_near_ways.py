"""Of tests that are reached in ways as good as each other: whose name has a word; what a template surely calls."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from tests.unit.support.asking import affected_by
from tests.unit.support.small_tree import indexed
from torchtalk.affected.graph.backwards import Graph
from torchtalk.affected.graph.nodes import Node

_FILE = "torch/loom.py"
FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
    "torch/__init__.py": "",
    _FILE: (
        "def mark_ready_sparse(x):\n    return x\n"
        "def mark(x):\n    mark_ready_sparse(x)\n"
        "class Loom:\n    def __init__(self):\n        mark(1)\n"
    ),
    "test/test_weaving.py": (
        "from unittest import TestCase\nfrom torch.loom import Loom\n"
        "def weave():\n    return Loom()\n"
        "class TestWeaving(TestCase):\n"
        "    def test_dense(self):\n        weave()\n"
        "    def test_sparse_threads(self):\n        weave()\n"
    ),
}  # fmt: skip


def test_a_word_of_the_function_tells_one_from_another(tmp_path: Path) -> None:
    with indexed(FILES, tmp_path) as conn:
        answer = affected_by(conn, FILES, _FILE, "    return x\n", "    return 2 * x\n")
    first, second = answer.tests
    assert (first.name, second.name) == (
        "TestWeaving.test_sparse_threads",
        "TestWeaving.test_dense",
    )
    assert second.weight < first.weight < second.weight * 1.3


_POOL = "aten/src/ATen/native/Pool.h"
_CPP = {
    "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
    _POOL: (
        "namespace at::native {\ntemplate <typename T>\nT pad_lr(T a) { return a; }\n"
        "template <typename T>\nT shape(T a) { return pad_lr(a); }\n"
        "int both(int a) { return a; }\nint both(double a) { return 1; }\n"
        "template <typename T>\nT several(T a) { return both(a); }\n}\n"
    ),
}  # fmt: skip


def _edge(conn: sqlite3.Connection, callee: str) -> tuple[float, str]:
    (row,) = conn.execute("SELECT min(id) AS id FROM functions WHERE name = ?", (callee,))
    (edge,) = Graph(conn).dependents(Node("cpp", row["id"], callee))
    return edge.weight, edge.why


def test_what_a_template_calls_is_the_only_function_that_is_called_so(tmp_path: Path) -> None:
    """On types that a parameter decides libclang only knows candidates."""
    with indexed(_CPP, tmp_path) as conn:
        copy = sqlite3.connect(":memory:")
        copy.row_factory = sqlite3.Row
        conn.backup(copy)
        copy.execute("UPDATE OR IGNORE calls SET code = 4")
        copy.execute("DELETE FROM ambiguous_calls")
        assert _edge(copy, "at::native::pad_lr") == (0.8, "calls it")
        assert _edge(copy, "at::native::both") == (0.4, "calls it or another overload of it")
        copy.close()
