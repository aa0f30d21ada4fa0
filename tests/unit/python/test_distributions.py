"""What distributions compute: their parameters are tensors, and so is what they are asked about."""

from __future__ import annotations

import sqlite3

import pytest

from tests.unit.support.python_torch import index_torch
from torchtalk.tools import all_tools

SOURCES = {
    "torch/distributions/__init__.py": "",
    "torch/distributions/utils.py": """
import torch
def made(shape):
    return torch.top(shape).values
def broadcast(*values):
    return torch.relu(*values)
class lazy_property: ...
""",
    "torch/distributions/normal.py": """
from torch.distributions import constraints
from torch.distributions.utils import broadcast, lazy_property

class Normal:
    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    def __init__(self, loc, scale):
        self.loc, self.scale = loc, scale
    @property
    def stddev(self):
        return broadcast(self.scale)
    @lazy_property
    def logits(self):
        return self.scale.relu()
    def sample(self, shape):
        return self.loc + broadcast(shape) * 2
    def log_prob(self, value):
        return value.relu()
    def entropy(self):
        return self.logits
    def other(self, value):
        return value.relu()

class Wide(Normal):
    arg_constraints = {"loc": constraints.real}
    def __init__(self, loc, size):
        size.relu()
        self._kept = loc
    def mean(self):
        return self._kept + 1
""",
    "torch/distributions/kl.py": """
from torch.distributions.normal import Normal
def register_kl(p, q): ...
@register_kl(Normal, Normal)
def _kl_normal_normal(p, q):
    return p.loc + q.nothing
def unregistered(p, q):
    return p.loc + q.loc
""",
    "torch/elsewhere.py": """
class Other:
    arg_constraints = {"loc": 1}
    def sample(self, value):
        return self.loc + 1
""",
}


@pytest.fixture(scope="module")
def conn() -> sqlite3.Connection:
    return index_torch(SOURCES)


@pytest.mark.parametrize(
    ("caller", "called"),
    [
        ("normal.Normal.sample", {"utils.broadcast", "torch._C.TensorBase.__add__"}),
        ("normal.Normal.log_prob", {"torch._C.TensorBase.relu"}),
        ("normal.Normal.other", set()),
        ("normal.Normal.stddev", {"utils.broadcast"}),
        ("normal.Normal.entropy", {"normal.Normal.logits"}),
        ("normal.Normal.logits", {"torch._C.TensorBase.relu", "utils.lazy_property"}),
        ("normal.Wide.__init__", set()),
        ("normal.Wide.mean", {"torch._C.TensorBase.__add__"}),
        ("kl._kl_normal_normal", {"torch._C.TensorBase.__add__", "kl.register_kl"}),
        ("kl.unregistered", set()),
        ("torch.elsewhere.Other.sample", set()),
    ],
)
def test_arithmetic_of_distributions_is_that_of_tensors(
    conn: sqlite3.Connection, caller: str, called: set[str]
) -> None:
    name = caller if caller.startswith("torch.") else f"torch.distributions.{caller}"
    rows = conn.execute("SELECT target FROM v_edges WHERE source = ?", (name,))
    assert {str(row["target"]).removeprefix("torch.distributions.") for row in rows} == called


# The base only declares what its heirs do, as PyTorch's own (torch/distributions/distribution.py): a call on `self`
# must not end there.
BASES = {
    "torch/distributions/__init__.py": "",
    "torch/distributions/distribution.py": """
import torch
class Distribution:
    def sample(self, shape):
        return self.rsample(shape)
    def rsample(self, shape):
        ...
    def log_prob(self, value):
        ...
""",
    "torch/distributions/normal.py": """
import torch
from torch.distributions.distribution import Distribution
class Normal(Distribution):
    def __init__(self, loc):
        super().__init__(loc, None)
    def rsample(self, shape):
        return torch.relu(shape)
    def log_prob(self, value):
        return torch.top(value)
""",
    "torch/distributions/transformed_distribution.py": """
from torch.distributions.distribution import Distribution
class TransformedDistribution(Distribution):
    def __init__(self, base_distribution, transforms):
        self.base_dist = base_distribution.expand(transforms)
    def sample(self, shape):
        return self.base_dist.sample(shape)
""",
    "torch/distributions/half_normal.py": """
from torch.distributions.normal import Normal
from torch.distributions.transformed_distribution import TransformedDistribution
class HalfNormal(TransformedDistribution):
    def __init__(self, scale):
        base_dist = Normal(0)
        super().__init__(base_dist, None)
    def log_prob(self, value):
        return self.base_dist.log_prob(value)
class Other(TransformedDistribution):
    def __init__(self, scale):
        super().__init__(scale, None)
class Old(TransformedDistribution):
    def __init__(self, scale):
        base = Normal(0)
        super(Old, self).__init__(base, None)
""",
}


def test_what_a_distribution_is_made_of_runs_as_what_it_is() -> None:
    conn = index_torch(BASES)
    place = "torch.distributions.half_normal"

    def operators(name: str) -> set[str]:
        steps = all_tools()["trace"].ask(conn, name=f"{place}.{name}").python
        return {operator.name for step in steps for operator in step.operators}

    assert operators("HalfNormal.log_prob") == {"aten::top"}
    # By way of two bases: TransformedDistribution.sample, and Distribution.sample of the Normal.
    assert operators("HalfNormal.sample") == {"aten::relu"}
    assert operators("Old.sample") == {"aten::relu"}
    assert operators("Other.sample") == set()
