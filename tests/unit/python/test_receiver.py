"""What an object's class makes of `self.m()` and `super().m()` that a base of it calls, and in which order."""

from __future__ import annotations

import pytest

from indexer.mro import linearized
from tests.unit.support.python_sources import YAML, index
from torchtalk.names.methods import find_method
from torchtalk.tools import all_tools

OPERATORS = """
- func: relu(Tensor self) -> Tensor
  variants: function, method

- func: gelu(Tensor self) -> Tensor

- func: sin(Tensor self) -> Tensor
"""
MODULE = "class Module:\n    pass\n"
BODIES = """
import torch
from torch.nn.modules.module import Module

class Base(Module):
    def _work(self, x):
        pass
    def _ends(self, x):
        return x

class Sum(Base):
    def forward(self, x):
        return self._ends(self._run(x))
    def _run(self, x):
        other = Sum()
        return self._work(x)
    def alike(self, x):
        return x

class Wide(Base):
    def _work(self, x):
        return torch.gelu(x)
    def _ends(self, x):
        return torch.sin(x)

class Both(Sum, Wide):
    def _ends(self, x):
        return super()._ends(x)

class Named(Both):
    def forward(self, x):
        return Sum.forward(self, x)

class Mixed(Module):
    def near(self, x):
        return x

class Left(Mixed):
    pass

class Right(Module):
    def near(self, x):
        return torch.relu(x)
    def forward(self, x):
        return self.near(x)

class Joined(Left, Right):
    pass

class Spread:
    @property
    def spread(self) -> torch.Tensor:
        pass
    @property
    def root(self) -> torch.Tensor:
        return torch.relu(self.spread)
    def plain(self):
        return Spread.explicit(self)
    def explicit(self):
        pass

class Known(Spread):
    @property
    def spread(self):
        return torch.gelu(1)
    def explicit(self):
        return torch.sin(1)

class Holder(Sum):
    def __init__(self):
        self.inner = Sum()
    def _work(self, x):
        return torch.gelu(x)
    def forward(self, x):
        return self.inner(x)
"""


@pytest.fixture(scope="module")
def conn():  # type: ignore[no-untyped-def]
    return index(
        {
            YAML: OPERATORS,
            "torch/__init__.py": "",
            "torch/nn/__init__.py": "from torch.nn.modules.bodies import *\n",
            "torch/nn/modules/__init__.py": "",
            "torch/nn/modules/module.py": MODULE,
            "torch/nn/modules/bodies.py": BODIES,
        }
    )


def test_a_base_calls_what_the_class_overrides(conn) -> None:  # type: ignore[no-untyped-def]
    answer = all_tools()["trace_module"].ask(conn, name="torch.nn.Both")
    assert set(answer.operators) == {"aten::gelu", "aten::sin"}
    steps = [step.name for step in answer.steps if step.kind == "function"]
    assert "torch.nn.modules.bodies.Wide._work" in steps
    assert [name for name in steps if name.endswith("._ends")] == [
        "torch.nn.modules.bodies.Both._ends", "torch.nn.modules.bodies.Wide._ends",
    ]  # fmt: skip
    # `super()` of Both is Sum, which leaves it to Wide, before Base.
    assert not all_tools()["trace_module"].ask(conn, name="torch.nn.Sum").operators


def test_a_base_called_by_its_name_calls_what_the_class_overrides(conn) -> None:  # type: ignore[no-untyped-def]
    answer = all_tools()["trace_module"].ask(conn, name="torch.nn.Named")
    assert set(answer.operators) == {"aten::gelu", "aten::sin"}


def test_an_inherited_method_runs_on_the_class_that_was_asked_for(conn) -> None:  # type: ignore[no-untyped-def]
    answer = all_tools()["trace"].ask(conn, name="torch.nn.Both.forward")
    assert "torch.nn.modules.bodies.Wide._work" in [step.name for step in answer.python]
    assert not all_tools()["trace"].ask(conn, name="torch.nn.Sum.forward").python


def test_a_property_that_a_base_gets_is_what_the_class_overrides(conn) -> None:  # type: ignore[no-untyped-def]
    answer = all_tools()["trace"].ask(conn, name="torch.nn.modules.bodies.Known.root")
    assert "torch.nn.modules.bodies.Known.spread" in [step.name for step in answer.python]
    assert not all_tools()["trace"].ask(conn, name="torch.nn.modules.bodies.Known.plain").python


def test_another_object_of_a_base_is_not_the_object(conn) -> None:  # type: ignore[no-untyped-def]
    assert not all_tools()["trace_module"].ask(conn, name="torch.nn.Holder").operators


def test_bases_stand_in_the_order_of_python(conn) -> None:  # type: ignore[no-untyped-def]
    answer = all_tools()["trace_module"].ask(conn, name="torch.nn.Joined")
    assert [base.name.rpartition(".")[2] for base in answer.bases] == [
        "Left", "Mixed", "Right", "Module",
    ]  # fmt: skip
    found = find_method(conn, "torch.nn.Joined.near")
    assert found is not None and found.name == "torch.nn.modules.bodies.Mixed.near"
    assert not answer.operators
    resolved = dict(
        conn.execute(
            "SELECT b.name, count(*) FROM python_bases AS b JOIN python_classes AS c ON c.id = b.class_id"
            " WHERE c.last = 'Joined' GROUP BY b.name"
        )
    )
    assert len(resolved) == 2


class _O:
    pass


class _A(_O):
    pass


class _B(_O):
    pass


class _C(_A, _B):
    pass


class _D(_B):
    pass


class _E(_C, _D):
    pass


@pytest.mark.parametrize("known", [_O, _A, _C, _D, _E, bool, OSError])
def test_the_order_is_that_of_the_interpreter(known: type) -> None:
    def order_of(cls: type) -> list[type]:
        return linearized(cls, cls.__bases__, order_of)

    assert order_of(known) == list(known.__mro__)


def test_bases_that_contradict_each_other_have_an_order_all_the_same() -> None:
    bases = {"x": ["a", "b"], "y": ["b", "a"], "z": ["x", "y"]}

    def order_of(name: str) -> list[str]:
        return linearized(name, bases.get(name, ()), order_of)

    assert order_of("z") == ["z", "x", "y", "b", "a"]
