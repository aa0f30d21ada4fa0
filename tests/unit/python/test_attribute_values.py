"""What modules hold beyond what `__init__` plainly assigns: buffers, declared attributes, copies and defaults."""

from __future__ import annotations

import sqlite3

import pytest

from tests.unit.support.python_torch import index_torch
from torchtalk.tools import all_tools

SOURCES = {
    "torch/nn/__init__.py": "from torch.nn.modules.module import Module\n",
    "torch/nn/functional.py": "import torch\ndef soft(x): return torch.relu(x)\n",
    "torch/nn/modules/module.py": "class Module:\n    pass\nclass ModuleList(Module):\n    pass\n",
    "torch/nn/modules/norm.py": """
from typing import Optional
import torch
from torch import Tensor
from .module import Module

class Base(Module):
    def __init__(self, n: int):
        if n:
            self.register_buffer(
                "tracked", torch.tensor(0)
            )
            self.seen: Optional[Tensor]
        else:
            self.register_buffer("tracked", None)
            self.register_parameter('weight', None)

class Norm(Base):
    def forward(self, input: Tensor):
        if self.tracked is not None:
            self.tracked.add_(1)
        self.seen.relu()
        return self.weight.top()
""",
    "torch/nn/modules/chosen.py": """
import torch
import torch.nn.functional as F
from torch import Tensor
from .module import Module, ModuleList

def _get_activation_fn(activation: str):
    if activation == "relu":
        return torch.relu
    elif activation == "soft":
        return torch.add
    raise RuntimeError("no")

class Encoder(Module):
    def __init__(self, activation=torch.top):
        if isinstance(activation, str):
            activation = _get_activation_fn(activation)
        self.activation = activation
    def __setstate__(self, state):
        if not hasattr(self, "activation"):
            self.activation = torch.relu
    def forward(self, x: Tensor):
        return self.activation(x)

class Decoder(Module):
    def __init__(self, activation=torch.top):
        if isinstance(activation, str):
            self.activation = _get_activation_fn(activation)
        else:
            self.activation = activation
    def forward(self, x: Tensor):
        return self.activation(x)

class Observer(Module):
    def forward(self, x_orig):
        return x_orig.relu() if x_orig.numel() else x_orig

class Faked(Module):
    def __init__(self, split, observer=Observer):
        self.process = observer(1)
        if split:
            self.gates: Module = Observer()
        else:
            self.gates = ModuleList()
    def forward(self, x, y):
        self.process(x)
        self.gates(x)
        x.top()
        return y.nonzero() if x.shape else 0

class Watched(Module):
    def __init__(self, observer=Observer):
        self.process = observer(1)
    def forward(self, x):
        return self.process(x)

class Fixed(Watched):
    def __init__(self, observer):
        super().__init__(observer=observer)
        assert (
            type(self.process) == Other
        ), f"{Other.__name__} is what it must be"
        if observer:
            assert isinstance(self.gates, Other)

class Fixer(Fixed):
    pass

class Fused(Watched):
    def __init__(self, observer=Observer):
        super().__init__(observer=observer)
        if not isinstance(
            self.process, (Observer, Other),
        ):
            raise AssertionError("no")
        assert isinstance(self.gates, Observer) or observer
    def run(self, x):
        return self.process(x)

class Other(Module):
    def forward(self, x_orig):
        return x_orig.numel() + x_orig.top()

class Gated(Module):
    def __init__(self, split):
        if split:
            self.gate = Faked(1)
        else:
            self.gate = Decoder()
    def forward(self, x):
        return self.gate(x)
""",
    "torch/nn/modules/layers.py": """
import copy
import torch.nn.functional as F
from torch import Tensor
from .module import Module, ModuleList

class Stack(Module):
    def __init__(self, layer: "Layer", n: int, *, gate=F.soft, size=3):
        self.layers = _get_clones(layer, n)
        self.others = _others(layer, n)
        self.gate = gate
        self.size = size
    def forward(self, x: Tensor):
        for each in self.layers:
            x = each(x)
        for each in self.others:
            x = each.stays_unknown(x)
        return self.gate(x)

class Layer(Module):
    def forward(self, x: Tensor):
        return x.relu()

def _get_clones(module, N):
    return ModuleList([copy.deepcopy(module) for i in range(N)])

def _others(module, N):
    return ModuleList([N for i in range(N)])
""",
}


@pytest.fixture(scope="module")
def conn() -> sqlite3.Connection:
    return index_torch(SOURCES)


def _called(conn: sqlite3.Connection, caller: str) -> set[str]:
    rows = conn.execute(
        "SELECT coalesce(n.name, m.name || '.' || f.name) FROM python_functions AS p"
        " JOIN python_calls AS c ON c.caller_id = p.id"
        " JOIN python_resolutions AS r ON r.target_id = c.target_id"
        " LEFT JOIN python_natives AS n ON n.id = r.native_id"
        " LEFT JOIN python_functions AS f ON f.id = r.function_id"
        " LEFT JOIN python_modules AS m ON m.id = f.module_id WHERE p.name = ?",
        (caller,),
    )
    return {name for (name,) in rows if name}


def test_buffers_and_declared_attributes_are_tensors(conn: sqlite3.Connection) -> None:
    assert _called(conn, "Norm.forward") == {
        "torch._C.TensorBase.add_", "torch._C.TensorBase.relu", "torch._C.TensorBase.top",
    }  # fmt: skip


def test_copies_of_a_module_and_the_default_of_a_parameter_are_called(
    conn: sqlite3.Connection,
) -> None:
    assert _called(conn, "Stack.forward") == {
        "torch.nn.modules.layers.Layer.forward", "torch.nn.functional.soft",
    }  # fmt: skip


def _edges(conn: sqlite3.Connection, caller: str) -> set[str]:
    rows = conn.execute("SELECT target FROM v_edges WHERE source = ?", (caller,))
    return {str(target).rpartition("torch.nn.modules.")[2] for (target,) in rows}


def test_an_activation_is_one_of_those_that_a_string_chooses(conn: sqlite3.Connection) -> None:
    expected = {f"torch._C._VariableFunctions.{name}" for name in ("relu", "add", "top")}
    assert _edges(conn, "torch.nn.modules.chosen.Encoder.forward") == expected
    assert _edges(conn, "torch.nn.modules.chosen.Decoder.forward") == expected


def test_a_parameter_that_a_forward_asks_like_a_tensor_is_one(conn: sqlite3.Connection) -> None:
    assert _edges(conn, "torch.nn.modules.chosen.Observer.forward") == {"torch._C.TensorBase.relu"}
    faked = _edges(conn, "torch.nn.modules.chosen.Faked.forward")
    assert faked == {"chosen.Observer.forward", "torch._C.TensorBase.top"}


def test_what_a_constructor_insists_on_is_what_it_holds(conn: sqlite3.Connection) -> None:
    fused = _edges(conn, "torch.nn.modules.chosen.Fused.run")
    assert fused == {"chosen.Observer.forward", "chosen.Other.forward"}
    for name in ("Fixed", "Fixer"):  # whose forward is a base's
        answer = all_tools()["trace_module"].ask(conn, name=f"torch.nn.modules.chosen.{name}")
        assert answer.operators == ("aten::top",)
    assert all_tools()["trace_module"].ask(conn, name="Watched").operators == ("aten::relu",)
    insisted = conn.execute(
        "SELECT scope, name, target FROM python_bindings WHERE scope IN ('Fixed', 'Fused')"
    )
    start = "torch.nn.modules.chosen."
    assert [tuple(row) for row in insisted] == [
        ("Fixed", "process", f"{start}Other()"),
        ("Fused", "process", f"union({start}Observer()|{start}Other())"),
    ]


def test_a_layer_is_each_of_those_that_arguments_choose(conn: sqlite3.Connection) -> None:
    assert _edges(conn, "torch.nn.modules.chosen.Gated.forward") == {
        "chosen.Faked.forward", "chosen.Decoder.forward",
    }  # fmt: skip


def test_who_reads_a_property_of_what_the_module_makes() -> None:
    conn = index_torch({"torch/a.py": """\
class World:
    @property
    def groups(self): ...
    @property
    def names(self): ...
_world = World()
_either = World()
_either = None
def read(names):
    _world.groups[names] = 1
    return _either.names, other._world.groups
def hidden(_world):
    return _world.groups
"""})  # fmt: skip
    edges = conn.execute(
        "SELECT source, target, kind, line FROM v_edges WHERE kind = 'python' AND target <> 'torch.a.World'"
    )
    assert [tuple(edge) for edge in edges] == [
        ("torch.a.read", "torch.a.World.groups", "python", 10)
    ]
