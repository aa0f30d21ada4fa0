"""Tests for what lies deep: gradients' operators, kernels called past the dispatcher, wrappers that lead nowhere."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.affected.graph import search
from torchtalk.affected.graph.backwards import Graph
from torchtalk.affected.graph.nodes import Edge, Node
from torchtalk.tools import all_tools

NATIVE = "aten/src/ATen/native"
LONG = [f"link{n}" for n in range(14)]
FILES = {
    f"{NATIVE}/native_functions.yaml": (
        "- func: warp(Tensor self) -> Tensor\n  variants: function, method\n  dispatch:\n    CPU: warp_cpu\n\n"
        "- func: warp_backward(Tensor grad) -> Tensor\n  dispatch:\n    CPU: warp_backward_cpu\n\n"
        "- func: weft(Tensor self) -> Tensor\n  dispatch:\n    CPU: weft_cpu\n\n"
        "- func: alone(Tensor self) -> Tensor\n  dispatch:\n    CPU: alone_cpu\n"
    ),
    f"{NATIVE}/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "tools/autograd/derivatives.yaml": (
        "- name: warp(Tensor self) -> Tensor\n  self: at::warp_backward(grad)\n\n"
        "- name: weft(Tensor self) -> Tensor\n  self: at::warp_backward_symint(grad)\n"
    ),
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    f"{NATIVE}/Looms.cpp": (
        "namespace at::native {\nTensor alone_cpu(const Tensor& self) { return self; }\n"
        "Tensor warp_cpu(const Tensor& self) { return alone_cpu(self); }\n"
        "Tensor warp_backward_cpu(const Tensor& grad) { return grad; }\n"
        "void link0() {}\n"
        + "".join(f"void {b}() {{ {a}(); }}\n" for a, b in zip(LONG, LONG[1:], strict=False))
        + "Tensor weft_cpu(const Tensor& self) { link13(); return self; }\n}\n"
    ),
    "test/test_warp.py": (
        "import torch\nfrom torch.testing._internal.common_utils import TestCase\n"
        "class TestWarp(TestCase):\n    def test_warp(self):\n        torch.warp(1)\n"
        "    def test_weft(self):\n        torch.weft(1)\n"
    ),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("deep")) as connection:
        yield connection


def found_for(conn: sqlite3.Connection, names: str) -> list[str]:
    return [test.name for test in all_tools()["affected"].ask(conn, names=names).tests]


def test_formulas_lead_to_what_is_differentiated(conn: sqlite3.Connection) -> None:
    rows = conn.execute("SELECT source, target FROM v_edges WHERE kind = 'derivative'").fetchall()
    assert {tuple(row) for row in rows} == {
        ("aten::warp", "aten::warp_backward"), ("aten::weft", "aten::warp_backward"),
    }  # fmt: skip
    assert found_for(conn, "aten::warp_backward") == ["TestWarp.test_warp", "TestWarp.test_weft"]


def test_an_operators_kernel_may_be_called_past_the_dispatcher(conn: sqlite3.Connection) -> None:
    assert found_for(conn, "aten::alone") == ["TestWarp.test_warp"]


def test_what_is_reached_by_a_long_way_counts_where_nothing_else_is(
    conn: sqlite3.Connection,
) -> None:
    answer = all_tools()["affected"].ask(conn, names="at::native::link0")
    assert [test.name for test in answer.tests] == ["TestWarp.test_weft"]
    assert search.FAINT < answer.tests[0].weight < search.LEAST


def test_what_is_reached_faintly_is_left_out_where_there_is_enough(
    conn: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "FEW", 1)
    names = found_for(conn, "at::native::link0 aten::warp")
    assert names == ["TestWarp.test_warp"]


class _Fan(Graph):
    """A graph that is written out: `near` has many tests, and what uses it by and by one of its own."""

    def __init__(self, weights: dict[str, float]) -> None:
        self._weights = weights

    def dependents(self, node: Node) -> list[Edge]:
        if node.name == "near":
            tests = [Edge(Node("test", n, ""), 0.9, "calls it") for n in range(search.FEW)]
            return [*tests, Edge(Node("python", -1, "user"), self._weights["user"], "calls it")]
        if node.name == "user":
            return [Edge(Node("python", -2, "farther"), 1.0, "calls it"),
                    Edge(Node("test", 1000, ""), 1.0, "calls it")]  # fmt: skip
        return [Edge(Node("test", 2000, ""), 1.0, "calls it")] if node.name == "farther" else []


@pytest.mark.parametrize(
    ("weight", "kept"), [(0.5, {1000, 2000}), (0.1, {1000}), (search.LEAST / 2, set())]
)
def test_tests_of_what_uses_a_user_need_some_weight(weight: float, kept: set[int]) -> None:
    """Each user has tests of its own: those two steps farther than the best, and much weaker, are its users'."""
    near = Node("python", 1, "near")
    reach = search.search(_Fan({"user": weight}), [(near, 1.0)])
    assert {one.node.key for one in reach.found if int(one.node.key) >= 1000} == kept


def test_of_each_thing_that_changed_its_own_best_counts() -> None:
    near, user = Node("python", 1, "near"), Node("python", -1, "user")
    reach = search.search(_Fan({"user": 0.1}), [(near, 1.0), (user, 0.1)])
    assert {one.node.key for one in reach.found if int(one.node.key) >= 1000} == {1000, 2000}


class _Entries(Graph):
    """A graph that is written out: `near` has generic tests by the dozen, and a user with a test of its own."""

    def __init__(self, written: int) -> None:
        self._written = written

    def dependents(self, node: Node) -> list[Edge]:
        if node.name == "near":
            names = tuple(f"test_{n}" for n in range(3 * search.FEW))
            generic = Edge(Node("generic", "warp\ttest/test_ops.py", ""), 0.9, "its tests", names)
            own = [Edge(Node("test", n, ""), 0.9, "calls it") for n in range(self._written)]
            return [generic, *own, Edge(Node("python", -1, "user"), search.LEAST / 2, "calls it")]
        return [Edge(Node("test", 1000, ""), 1.0, "calls it")] if node.name == "user" else []


@pytest.mark.parametrize(
    ("written", "kept"), [(0, True), (search.FEW // 2 - 1, True), (search.FEW // 2, False)]
)
def test_generic_tests_alone_are_not_enough(written: int, kept: bool) -> None:
    """aten::_cudnn_rnn has those of nn.GRU and nn.LSTM; TestNN's are four steps farther."""
    reach = search.search(_Entries(written), [(Node("python", 1, "near"), 1.0)])
    assert (1000 in {one.node.key for one in reach.found}) is kept
