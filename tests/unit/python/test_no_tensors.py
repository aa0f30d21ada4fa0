"""What conditions say of tensors: that they are none, or of a class that the tree has."""

from __future__ import annotations

import sqlite3

import pytest

from tests.unit.support.python_torch import index_torch

_SOURCES = {
    "torch/kinds.py": """
import torch
class Sym:
    def relu(self): ...
class Held(torch.Tensor):
    pass
""",
    "torch/guards.py": """
import numpy as np
import torch
from collections.abc import Iterable, Sequence
from typing import Any
from torch import Tensor
from torch.kinds import Held, Sym
from torch.overrides import has_torch_function_unary, handle_torch_function

def elsewhere(x):
    import symbols
    if has_torch_function_unary(x):
        return handle_torch_function(elsewhere, (x,), x)
    if isinstance(x, symbols.Basic):
        return x.relu()
    return x.nonzero()

def arrays(x: Tensor):
    if not isinstance(x, (np.ndarray, float)):
        return x.nonzero()
    return x.relu()

def listed(x: Tensor):
    if isinstance(x, (list, Sequence)):
        x.nonzero()
        return [y.relu() for y in x]

def mapped(x: Tensor):
    if isinstance(x, dict):
        x.nonzero()
        return x["one"].relu()

def own(x: Tensor):
    if isinstance(x, Sym):
        x.relu()
    x.nonzero()

def derived(x: Tensor):
    if isinstance(x, Held):
        x.relu()

def any_that_is_looped_over(x: Tensor):
    if isinstance(x, (Iterable, object)):
        x.relu()

def related(x: Tensor):
    from torchvision.tv_tensors import Image
    if isinstance(x, Image):
        x.relu()

def either(x: Tensor):
    if isinstance(x, Sym):
        x = 1
    elif isinstance(x, Tensor):
        x.relu()
    else:
        x = 2
    x.nonzero()

def otherwise(x, y: Tensor):
    if not isinstance(x, Tensor):
        y = None
    else:
        x.relu()
    y.nonzero()
""",
}


@pytest.fixture(scope="module")
def conn() -> sqlite3.Connection:
    return index_torch(_SOURCES)


@pytest.mark.parametrize(
    ("function", "called"),
    [
        ("elsewhere", {"torch._C.TensorBase.nonzero"}),
        ("arrays", {"torch._C.TensorBase.nonzero"}),
        ("listed", {"torch._C.TensorBase.relu"}),
        ("mapped", {"torch._C.TensorBase.relu"}),
        ("own", {"Sym.relu", "torch._C.TensorBase.nonzero"}),
        ("derived", {"torch._C.TensorBase.relu"}),
        ("any_that_is_looped_over", {"torch._C.TensorBase.relu"}),
        ("related", {"torch._C.TensorBase.relu"}),
        ("either", {"torch._C.TensorBase.relu"}),
        ("otherwise", {"torch._C.TensorBase.relu"}),
    ],
)
def test_what_is_called_where_a_class_is_asked_for(
    conn: sqlite3.Connection, function: str, called: set[str]
) -> None:
    rows = conn.execute(
        "SELECT coalesce(g.name, n.name) FROM python_calls AS c"
        " JOIN python_functions AS p ON p.id = c.caller_id"
        " JOIN python_resolutions AS r ON r.target_id = c.target_id"
        " LEFT JOIN python_functions AS g ON g.id = r.function_id"
        " LEFT JOIN python_natives AS n ON n.id = r.native_id"
        " WHERE p.name = ? AND c.kind IN (0, 2) AND coalesce(g.name, n.name) IS NOT NULL",
        (function,),
    )
    assert {row[0] for row in rows} == called
