"""What objects hand on by `__getattr__`, and what stands for a protocol: how Inductor's code generators are called."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.tools import all_tools

FILES = {
    "version.txt": "2.6.0\n",
    "aten/src/ATen/native/native_functions.yaml": (
        "- func: sqrt(Tensor self) -> Tensor\n  variants: function\n\n"
        "- func: exp(Tensor self) -> Tensor\n  variants: function\n"
    ),
    "torch/__init__.py": "",
    "torch/_inductor/__init__.py": "",
    "torch/_inductor/ops_handler.py": """\
from typing import Protocol, TypeVar
T = TypeVar("T")
class OpsHandler(Protocol[T]):
    def sqrt(self, x: T) -> T: ...
    def libdevice_exp(self, x: T) -> T: ...
    def exp(self, x: T) -> T: ...
class MockHandler:
    def sqrt(self, x): return x
def _typecheck_MockHandler(h: MockHandler) -> OpsHandler[str]:
    return h
def _not_checked(h: MockHandler) -> OpsHandler[str]:
    return wrapped(h)
""",
    "torch/_inductor/virtualized.py": """\
from __future__ import annotations
from typing import Any, Generic, TypeVar
from .ops_handler import MockHandler, OpsHandler
from .graph import Graph
T = TypeVar("T")
class Null: ...
class Virtualized(Generic[T]):
    def __init__(self, name, default): ...
    def _get_handler(self) -> T: ...
    def __getattr__(self, name):
        return getattr(self._get_handler(), name)
_ops: Virtualized[OpsHandler[Any]] = Virtualized("ops", MockHandler)
_graph: Virtualized[Graph] = Virtualized("graph", Null)
class OpsWrapper:
    def __getattr__(self, name):
        def inner(*args):
            return getattr(_ops, name)(*args)
        return inner
    def own(self): ...
ops = OpsWrapper()
class Circle:
    def __init__(self):
        self.other = Circle()
    def __getattr__(self, name):
        return getattr(self.other, name)
class Silent(OpsWrapper):
    def __getattr__(self, name):
        raise AttributeError(name)
circle, silent = Circle(), Silent()
round = Circle()
quiet = Silent()
class _V:
    @property
    def graph(self):
        return _graph._get_handler()
V = _V()
""",
    "torch/_inductor/graph.py": "class Graph:\n    def get_buffer(self): ...\n",
    "torch/_inductor/triton.py": """\
from .virtualized import MockHandler, OpsHandler
class Overrides:
    def sqrt(self, x): return "sqrt"
    def unasked(self, x): return "?"
class KernelOverrides(Overrides):
    def sqrt(self, x): return "kernel sqrt"
    def exp(self, x): return "exp"
class Other:
    def sqrt(self, x): ...
def _typecheck_Overrides(h: Overrides) -> OpsHandler[str]:
    return h
""",
    "torch/_inductor/lowering.py": """\
import torch
from .virtualized import V, ops, quiet, round
aten = torch.ops.aten
def ops_wrapper(name): ...
def make_pointwise(fn):
    def inner(*inputs):
        return fn(*inputs)
    return inner
def register_lowering(aten_fn):
    def wrapper(fn):
        return fn
    return wrapper
def register_pointwise(aten_fn):
    fn = make_pointwise(ops_wrapper(aten_fn.__name__))
    return register_lowering(aten_fn)(fn)
register_pointwise(aten.sqrt)
exp = register_pointwise(aten.exp)
def scaled(x):
    ops.sqrt(x)
    ops.own()
    V.graph.get_buffer()
    round.sqrt(x)
    quiet.sqrt(x)
""",
    "test/inductor/test_sqrt.py": (
        "import torch\nfrom torch.testing._internal.common_utils import TestCase\n"
        "class TestLowering(TestCase):\n    def test_sqrt(self):\n        torch.sqrt(1)\n"
    ),
    "test/test_eager.py": (
        "import torch\nfrom torch.testing._internal.common_utils import TestCase\n"
        "class TestEager(TestCase):\n    def test_exp(self):\n        torch.exp(1)\n"
    ),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("forwarded")) as connection:
        yield connection


def _edges(conn: sqlite3.Connection, kind: str) -> list[tuple[str, str, int]]:
    rows = conn.execute(
        "SELECT replace(source, 'torch._inductor.', ''), replace(target, 'torch._inductor.', ''), line FROM v_edges"
        " WHERE kind = ? AND target LIKE 'torch._inductor.%' AND file LIKE 'torch/_inductor/%' ORDER BY 1, 2, 3",
        (kind,),
    )
    return [tuple(row) for row in rows]


def test_what_a_class_lacks_is_asked_of_what_its_getattr_asks(conn: sqlite3.Connection) -> None:
    found = [edge for edge in _edges(conn, "python") if edge[0] == "lowering.scaled"]
    # What goes in a circle, or is asked of nobody, is nothing.
    assert found == [
        ("lowering.scaled", "graph.Graph.get_buffer", 21),
        ("lowering.scaled", "ops_handler.OpsHandler.sqrt", 19),
        ("lowering.scaled", "virtualized.OpsWrapper.own", 20),
    ]  # fmt: skip


def test_a_call_of_a_protocol_runs_what_is_said_to_stand_for_it(conn: sqlite3.Connection) -> None:
    assert _edges(conn, "virtual") == [
        ("ops_handler.OpsHandler.exp", "triton.KernelOverrides.exp", 7),
        ("ops_handler.OpsHandler.sqrt", "ops_handler.MockHandler.sqrt", 8),
        ("ops_handler.OpsHandler.sqrt", "triton.Overrides.sqrt", 3),
        ("triton.Overrides.sqrt", "triton.KernelOverrides.sqrt", 6),
    ]  # fmt: skip


def test_what_pointwise_lowerings_run_is_named_like_the_operator(conn: sqlite3.Connection) -> None:
    assert _edges(conn, "lowering") == [
        ("aten::exp", "lowering.make_pointwise", 17), ("aten::exp", "ops_handler.OpsHandler.exp", 17),
        ("aten::exp", "ops_handler.OpsHandler.libdevice_exp", 17),
        ("aten::sqrt", "lowering.make_pointwise", 16), ("aten::sqrt", "ops_handler.OpsHandler.sqrt", 16),
    ]  # fmt: skip


def test_a_code_generator_is_tested_by_the_tests_of_what_is_lowered_to_it(
    conn: sqlite3.Connection,
) -> None:
    tests = (
        all_tools()["affected"].ask(conn, names="torch._inductor.triton.KernelOverrides.sqrt").tests
    )
    assert [test.name for test in tests] == ["TestLowering.test_sqrt"]
    assert tests[0].path == (
        "torch._inductor.triton.KernelOverrides.sqrt", "torch._inductor.triton.Overrides.sqrt may run it",
        "torch._inductor.ops_handler.OpsHandler.sqrt may run it", "lowering of aten::sqrt",
        "named after it and calls it, and is about lowering",
    )  # fmt: skip
