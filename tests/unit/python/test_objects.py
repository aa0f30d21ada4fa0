"""What an inherited method calls on itself is the class's of the object that it is called on."""

from __future__ import annotations

import sqlite3

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.python_torch import index_torch

SOURCES = {
    "torch/dist/__init__.py": "from torch.dist.base import Base\nfrom torch.dist.kinds import Gamma, Beta\n",
    "torch/dist/base.py": """
class Base:
    def sample(self):
        return self.rsample()
    def rsample(self):
        ...
    def far(self):
        return self.sample()
""",
    "torch/dist/kinds.py": """
import torch
from torch import Tensor
from torch.dist.base import Base
class Gamma(Base):
    def rsample(self):
        return torch.relu(1)
class Beta(Base):
    def rsample(self):
        return torch.top(1)
class Plain(Base): ...
""",
    "torch/dist/uses.py": """
import torch
from torch.dist import Base, Gamma, Beta
from torch.dist.kinds import Plain
class Holds:
    def __init__(self, which):
        self._beta = Beta()
        if which:
            self._either = Beta()
        else:
            self._either = Gamma()
    @property
    def _gamma(self):
        return Gamma()
    def by_property(self):
        return self._gamma.sample()
    def by_attribute(self):
        return self._beta.far()
    def by_either(self):
        return self._either.sample()
    def both(self):
        return self._gamma.sample(), self._beta.sample()
def local():
    one = Gamma()
    return one.far()
def annotated(x: Beta):
    return x.sample()
def unknown(x: Base):
    return x.sample()
def two(x: Gamma, y: Gamma):
    return x.sample(), y.far()
""",
}


@pytest.fixture(scope="module")
def conn() -> sqlite3.Connection:
    return index_torch(SOURCES)


@pytest.mark.parametrize(
    ("name", "operators"),
    [
        ("Holds.by_property", ["aten::relu"]),
        ("Holds.by_attribute", ["aten::top"]),
        ("Holds.by_either", []),  # one of two: which is not known
        ("Holds.both", ["aten::relu", "aten::top"]),
        ("local", ["aten::relu"]),
        ("annotated", ["aten::top"]),
        ("unknown", []),
        ("two", ["aten::relu"]),
    ],
)
def test_which_method_runs(conn: sqlite3.Connection, name: str, operators: list[str]) -> None:
    answer = ask(conn, "trace", name=f"torch.dist.uses.{name}")
    assert sorted(answer.python_operators) == operators


def test_an_inherited_method_is_unfolded_for_each_class_that_it_differs_in(
    conn: sqlite3.Connection,
) -> None:
    steps = ask(conn, "trace", name="torch.dist.uses.Holds.both").python
    assert [
        (step.depth, step.name.removeprefix("torch.dist."), step.repeated) for step in steps
    ] == [
        (0, "base.Base.sample", False),
        (1, "kinds.Gamma.rsample", False),
        (2, "torch.relu", False),
        (0, "base.Base.sample", False),
        (1, "kinds.Beta.rsample", False),
        (2, "torch.top", False),
    ]
    steps = ask(conn, "trace", name="torch.dist.uses.two").python
    sample = [step for step in steps if step.name == "torch.dist.base.Base.sample"]
    assert [(step.depth, step.repeated) for step in sample] == [(1, True), (0, False)]


def test_a_method_of_an_object_that_is_made_for_it_alone() -> None:
    """`cexpr = CppPrinter().doprint` of torch/_inductor/codegen/, which others import."""
    conn = index_torch(
        {
            "torch/printing.py": "class Printer:\n    def doprint(self, e): return e\ncexpr = Printer().doprint\n",
            "torch/user.py": "from torch.printing import cexpr\ndef use(e): return cexpr(e)\n",
        }
    )
    rows = conn.execute("SELECT target FROM v_edges WHERE source = 'torch.user.use'")
    assert [target for (target,) in rows] == ["torch.printing.Printer.doprint"]
