"""Tests that call a changed method on what nothing tells the type of: its name does, where few are called so."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import affected_by
from tests.unit.support.small_tree import indexed
from torchtalk.affected.graph.namesakes import meaning_others
from torchtalk.answers.affected import AffectedAnswer
from torchtalk.tools import all_tools

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

_OTHERS = {
    "aten/src/ATen/native/native_functions.yaml": "- func: relu(Tensor self) -> Tensor\n",
    "torch/__init__.py": "from torch import cuda, mtia\n",
    "torch/cuda/__init__.py": "def default_stream():\n    return 1\n",
    "torch/mtia/__init__.py": "def default_stream():\n    return 2\n",
    "torch/compiled.py": (
        "class Translator:\n"
        "    def UNPACK_SEQUENCE(self):\n        return 1\n\n"
        "    def forward_pre_hook(self):\n        return 1\n\n"
        "    def resume_tracing(self):\n        return 1\n\n\n"
        "class Inlined(Translator):\n"
        "    def resume_tracing(self):\n        return 2\n\n\n"
        "class Another:\n"
        "    def resume_tracing(self):\n        return 3\n"
    ),
    "torch/packed/__init__.py": "def take_columns():\n    return 1\n",
    "torch/second.py": "def take_columns():\n    return 1\n",
    "torch/third.py": "def take_columns():\n    return 1\n",
    "test/test_all.py": (
        "import torch\nfrom torch.compiled import Another, Inlined\n\n"
        "def test_stream():\n    torch.cuda.default_stream()\n\n"
        "def test_any_stream(device=None):\n    device.default_stream()\n\n"
        "def test_lower_case(rnn=None):\n    rnn.unpack_sequence()\n\n"
        "def test_upper_case(rnn=None):\n    rnn.UNPACK_SEQUENCE()\n\n"
        "def test_of_its_own(m=None):\n"
        "    def forward_pre_hook(module):\n        pass\n    m.register(forward_pre_hook)\n\n"
        "def test_overrides(m=None):\n    class Own(m):\n"
        "        def forward_pre_hook(self):\n            pass\n    Own()\n\n"
        "def test_override():\n    Inlined().resume_tracing()\n\n"
        "def test_another():\n    Another().resume_tracing()\n\n"
        "def test_columns(np=None):\n    np.take_columns()\n"
    ),
    "test/packed_tests/test_all.py": "def test_columns_of_it(np=None):\n    np.take_columns()\n",
}


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_OTHERS, tmp_path_factory.mktemp("others")) as conn:
        yield conn


@pytest.mark.parametrize(
    ("name", "tests"),
    [
        ("torch.mtia.default_stream", {"test_any_stream"}),
        ("torch.compiled.Translator.UNPACK_SEQUENCE", {"test_upper_case"}),
        ("torch.compiled.Translator.forward_pre_hook", {"test_overrides"}),
        # Three are called so.
        ("torch.packed.take_columns", {"test_columns_of_it"}),
    ],
)
def test_what_is_known_to_be_something_else_is_left_out(
    others: sqlite3.Connection, name: str, tests: set[str]
) -> None:
    answer = all_tools()["affected"].ask(others, names=name)
    assert isinstance(answer, AffectedAnswer)
    last = name.rpartition(".")[2]
    found = {one.name for one in answer.tests if f"has {last} in its body" in one.path}
    assert found == tests


def test_what_overrides_a_method_is_the_same(
    others: sqlite3.Connection,
) -> None:
    rows = others.execute(
        "SELECT p.id, p.name FROM python_functions AS p JOIN python_modules AS m ON m.id = p.module_id"
        " WHERE p.name GLOB '*resume_tracing' OR m.name = 'test.test_all'"
    )
    ids = {name: identity for identity, name in rows}
    bodies = [ids["test_override"], ids["test_another"]]
    asked = (ids["Translator.resume_tracing"],)
    found = meaning_others(others, "resume_tracing", bodies, asked)
    assert found == {ids["test_another"]}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("module")) as conn:
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
