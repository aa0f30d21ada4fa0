"""What is called that says what it gives by `Callable[…, X]`, and which functions stand in for such a parameter."""

from __future__ import annotations

from tests.unit.python.test_given_by_calls import surely_called


def test_what_a_callable_is_said_to_give() -> None:
    """As `make_fx(f)(x)`, which gives a GraphModule (torch/fx/experimental/proxy_tensor.py)."""
    text = """\
from typing import Callable, Optional, TypeVar
_T = TypeVar("_T")
class Graph:
    def lint(self): ...
class Other:
    def lint(self): ...
def make_fx(f) -> Callable[..., Graph]: ...
def inner(f) -> Callable[..., Graph]:
    def run(x):
        return f(x)
    return run
def trace(f, g: Optional[Callable[[int], tuple[Graph, int]]], h: Callable[[], _T]):
    gm = make_fx(f)(1)
    gm.lint()
    graph, _ = g(1)
    graph.lint()
    make_fx(f).lint()
    h().lint()
    made = inner(f)(1)
    made.lint()
class Holder:
    handler: Callable[[int], Graph]
    def __init__(self, given: Callable[[], Graph], other: Callable[[], Graph] = Other):
        self.given = given
        self.other = other
    def use(self):
        self.given().lint()
        self.other().lint()
class Heir(Holder):
    def handler(self, x): ...
def use(heir: Heir, op: "Other | Callable[[], Graph]"):
    heir.handler(1)
    op.lint()
"""
    files = {"torch/a.py": text}
    graph = "torch.a.Graph.lint"
    assert surely_called(files, "trace") == [
        (13, "torch.a.make_fx"), (14, graph), (16, graph), (17, "torch.a.make_fx"),
        (19, "torch.a.inner"), (20, graph),
    ]  # fmt: skip
    assert surely_called(files, "Holder.use") == [(27, graph), (28, "torch.a.Other.lint")]
    assert surely_called(files, "use") == [(32, "torch.a.Heir.handler"), (33, "torch.a.Other.lint")]


def test_what_stands_in_for_a_callable_is_what_runs() -> None:
    """As `distance_function` of triplet_margin_with_distance_loss (torch/nn/functional.py)."""
    text = """\
import torch
from typing import Callable, Optional
from torch import Tensor
def pairwise(a): return torch.relu(a)
def loss(x: Tensor, f: Optional[Callable[[Tensor], Tensor]] = None):
    f = f if f is not None else pairwise
    return torch.relu(f(x))
def other(x: Tensor, f: Optional[Callable[[Tensor], Tensor]] = None):
    if f is None:
        f = pairwise
    return torch.relu(f(x))
def chosen(s: str, x: Tensor) -> Callable[[Tensor], Tensor]:
    if s:
        return pairwise
    return loss
class Layer(torch.nn.Module):
    def __init__(self, x: Tensor):
        self.f = chosen("", x)
    def forward(self, x: Tensor):
        return torch.relu(self.f(x))
"""
    files = {"torch/a.py": text}
    assert surely_called(files, "loss") == [(7, "torch.a.pairwise")]
    assert surely_called(files, "Layer.forward") == [(20, "torch.a.loss"), (20, "torch.a.pairwise")]
    assert surely_called(files, "other") == [(11, "torch.a.pairwise")]
