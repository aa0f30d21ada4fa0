"""Methods that an object has itself run as hooks: what they are given, and what a module says of them."""

from __future__ import annotations

import sqlite3

import pytest

from tests.unit.support.python_torch import index_torch
from torchtalk.tools import all_tools

MODULE = """\
class Module:
    def register_forward_pre_hook(self, hook, *, with_kwargs=False): ...
    def register_forward_hook(self, hook): ...
    def _register_load_state_dict_pre_hook(self, hook): ...
"""
SOURCES = {
    "torch/nn/__init__.py": "from torch.nn.modules.late import *\n",
    "torch/nn/modules/__init__.py": "",
    "torch/nn/modules/module.py": MODULE,
    "torch/nn/modules/late.py": """\
import torch
from torch.nn.modules.module import Module

class Mixin:
    def __init__(self):
        super().__init__()
        self._load = self._register_load_state_dict_pre_hook(self._loaded)
        self._first = self.register_forward_pre_hook(
            self._infer, with_kwargs=True
        )
    def _infer(self, module, args):
        module.fill(*args)
    def _loaded(self, state, prefix):
        state.fill()
    def fill(self, x):
        ...

class Plain(Module):
    def forward(self, x): return torch.add(x, x)

class Late(Mixin, Plain):
    def fill(self, x): return torch.relu(x)

class Watched(Plain):
    def __init__(self):
        self.register_forward_hook(self._seen)
    def _seen(self, module: int, args, output):
        module.fill()
    def fill(self): ...
    def _never(self, module):
        module.fill()
""",
}


@pytest.fixture(scope="module")
def conn() -> sqlite3.Connection:
    return index_torch(SOURCES)


def test_a_hook_is_given_the_object_that_it_was_registered_on(conn: sqlite3.Connection) -> None:
    rows = conn.execute(
        "SELECT source, target FROM v_edges WHERE target LIKE '%.fill' AND source NOT LIKE '%.fill'"
        " AND kind <> 'python_main' AND source NOT IN (SELECT m.name || '.' || f.name FROM python_calls AS c"
        " JOIN python_functions AS f ON f.id = c.caller_id JOIN python_modules AS m ON m.id = f.module_id WHERE c.kind = 7)"
    )
    module = "torch.nn.modules.late."
    # What loads a state is given that; what says what it is given says more; and another method is no hook.
    assert {(s.removeprefix(module), t.removeprefix(module)) for s, t in rows} == {
        ("Mixin._infer", "Mixin.fill"),
    }


def test_a_module_says_what_runs_around_its_forward(conn: sqlite3.Connection) -> None:
    late = all_tools()["trace_module"].ask(conn, name="torch.nn.Late")
    assert late.operators == ("aten::add.Tensor",)
    (note,) = late.notes
    assert note == (
        "before forward a hook runs torch.nn.modules.late.Mixin._infer (registered torch/nn/modules/late.py:8),"
        " which ends at aten::relu"
    )
    (note,) = all_tools()["trace_module"].ask(conn, name="torch.nn.Watched").notes
    assert note.startswith("after forward a hook runs torch.nn.modules.late.Watched._seen (")
    assert not all_tools()["trace_module"].ask(conn, name="torch.nn.Plain").notes
