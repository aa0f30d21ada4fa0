"""Functions that say that they give a tuple: each name is what stands at its place, and none what stands at another."""

from __future__ import annotations

import sqlite3

import pytest

from indexer.extract.python.value_texts import element_of, tuple_parts
from tests.unit.support.python_torch import index_torch

SOURCES = {
    "torch/pairs.py": """
from typing import List, Optional, Tuple, Union
from torch import Tensor

class Left:
    def run(self): ...
class Right:
    def run(self): ...
    def turn(self): ...

def both() -> Tuple[Left, Optional[Right]]: ...
def counted(x: Tensor) -> tuple[int, Tensor]: ...
def many() -> tuple[Right, ...]: ...
""",
    "torch/asks.py": """
import torch
from torch import Tensor
from torch.pairs import Left, Right, both, counted, many

def unpacks(x):
    left, right = both()
    left.run(), right.turn()

def swapped():
    right, left = both()
    right.turn(), left.run()

def chained():
    left, right = both().other()
    left.run()

def told(x):
    left, right = both()
    left = Left()
    left.run()

def all_alike():
    a, b = many()
    b.turn()

def gives(x: Tensor):
    return Left(), x, x.shape

def given(x: Tensor):
    left, y, shape = gives(x)
    left.run(), y.relu(), shape.relu()
    rest = (x, *gives(x))
    return (Left(), x, Left())[1].relu()

def sliced(x: Tensor, n):
    both = (Right(), Left(), x)
    for each in both[1:2]:
        each.run()
    for each in both[:n]:
        each.turn()
    left, right = (Right(), Left(), x)[-2:]
    left.turn()
    return ((Right(), x) + (n,))[0].turn()

def paired(x: Tensor):
    for left, y in [(Left(), x)]:
        y.relu(), left.run()

def numbers(x: Tensor):
    n, y = counted(x)
    m = counted(x)[0]
    return n + 1, m + 1, y.relu()

class Keeper:
    def __init__(self, x):
        left, right = both(
            x
        )
        self.right = right
        other = x
        self.other = other
    def use(self):
        self.right.turn()
        self.other.run()
""",
}


@pytest.fixture(scope="module")
def conn() -> sqlite3.Connection:
    return index_torch(SOURCES)


@pytest.mark.parametrize(
    ("caller", "called"),
    [
        ("unpacks", {"pairs.Left.run", "pairs.Right.turn"}),
        ("swapped", {"pairs.Right.run"}),
        ("chained", set()),
        ("told", {"pairs.Left.run"}),
        ("all_alike", {"pairs.Right.turn"}),
        ("given", {"pairs.Left.run", "_C.TensorBase.relu"}),
        ("sliced", {"pairs.Left.run", "pairs.Right.turn"}),
        ("paired", {"pairs.Left.run", "_C.TensorBase.relu"}),
        ("numbers", {"_C.TensorBase.relu"}),
        # As `builder, guard_manager = self.build_guards(…)` of torch/_dynamo/guards.py, which an attribute is given.
        ("Keeper.use", {"pairs.Right.turn"}),
    ],
)
def test_each_name_is_what_stands_at_its_place(
    conn: sqlite3.Connection, caller: str, called: set[str]
) -> None:
    rows = conn.execute("SELECT target FROM v_edges WHERE source = ?", (f"torch.asks.{caller}",))
    found = {str(target).removeprefix("torch.") for (target,) in rows}
    assert (
        found
        - {"pairs.both", "pairs.counted", "pairs.many", "asks.gives"}
        - {"pairs.Left", "pairs.Right"}
        == called
    )


def test_parts_of_a_tuple_within_another() -> None:
    inner = "tuple(a.B(),union(c.D()|e.F()))"
    outer = f"tuple({inner},,list(a.B()))"
    assert tuple_parts(outer) == [inner, "", "list(a.B())"]
    assert element_of(element_of(outer, 0), 1) == "union(c.D()|e.F())"
    assert [element_of(outer, at) for at in (1, 7)] == ["", ""]
    assert element_of("a.f()", 2) == "a.f()[2]"
    assert element_of("a.b.size()", 2) == "a.b.size()[]"  # numbers all
