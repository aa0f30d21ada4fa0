"""What modules hold beyond what `__init__` plainly assigns: buffers, declared attributes, copies and defaults."""

from __future__ import annotations

import sqlite3

import pytest

from tests.unit.python_torch import index_torch

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
