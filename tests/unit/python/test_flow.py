"""Values that are followed where no annotation says what they are: what is asked about, and what optimizers hold."""

from __future__ import annotations

import sqlite3

import pytest

from tests.unit.support.python_sources import read
from tests.unit.support.python_torch import index_torch, operators_of

SOURCES = {
    "torch/asked.py": """
import torch

def narrowed(x, y):
    if isinstance(x, torch.Tensor) and y:
        x.relu()
    x.top()
    return y.relu_backward() if isinstance(y, torch.Tensor) else y.nonzero()

def kept(x):
    if isinstance(x, int):
        x.relu()

def laid_out(z: torch.Tensor, **kwargs):
    x = kwargs.get("mask")
    y = kwargs.get("other")
    if x.layout == torch.strided and y.layout != torch.strided and y.layout == kwargs:
        return x.relu(), y.top()
    return x.nonzero()

def numbers(x: torch.Tensor, y: torch.Tensor | float, z: torch.Tensor):
    if isinstance(x, (int, float)) and x + 1:
        x = torch.top(x)
    if not isinstance(y, torch.Tensor):
        return -y + 1
    return z.relu() if isinstance(z, float) else y.relu_backward()
""",
    "torch/typed.py": """
from torch import Tensor
class Stored:
    def type(self, kind=None): ...
def named(x: Stored, y: Tensor):
    return x.type()
def converted(x: Stored, y: Tensor):
    return x.type("torch.HalfTensor")
""",
    "torch/maybe.py": """
from typing import Optional, Sequence
from torch import Tensor
_OptionalTensor = Optional[Tensor]
def maybe(xs: Sequence[_OptionalTensor]):
    for x in xs:
        x.relu()
""",
    "torch/loops.py": """
from torch import Tensor

def numbered(xs: list[Tensor], ys: list[int]):
    for i, x in enumerate(xs):
        i + 1
    for n, (x, y) in enumerate(zip(xs, ys)):
        y + n
        x.relu()
    return [i + 1 for i, x in enumerate(xs)]
""",
    "torch/kinds.py": """
import torch
from torch import Tensor

def kind(x: Tensor):
    if type(x) + torch.Tensor or type(x) + Tensor:
        return isinstance(x, Tensor) and type(x) + torch.Tensor
    return torch.Tensor + None

def explicit(x):
    return Tensor.__add__(x, 1)
""",
    "torch/optim/small.py": """
import torch

class Optimizer: ...

class Small(Optimizer):
    def _flat(self):
        views = []
        return torch.relu(views)
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                g = p.grad
                g.top()
        flat = self._flat()
        return flat + 1
    def other(self, sizes):
        return sizes["params"].relu()
""",
}


@pytest.fixture(scope="module")
def conn() -> sqlite3.Connection:
    return index_torch(SOURCES)


def test_a_name_is_the_tensor_that_a_condition_says_it_is_and_no_further(
    conn: sqlite3.Connection,
) -> None:
    assert set(operators_of(conn, "torch.asked.narrowed")) == {"aten::relu"}
    assert set(operators_of(conn, "torch.asked.kept")) == {None}


def test_what_has_one_of_torchs_layouts_is_a_tensor(conn: sqlite3.Connection) -> None:
    assert set(operators_of(conn, "torch.asked.laid_out")) == {"aten::relu"}


def test_a_name_is_no_tensor_where_a_condition_says_that_it_is_a_number(
    conn: sqlite3.Connection,
) -> None:
    assert set(operators_of(conn, "torch.asked.numbers")) == {"aten::top"}


def test_what_enumerate_counts_and_zip_pairs_is_no_tensor(conn: sqlite3.Connection) -> None:
    assert set(operators_of(conn, "torch.loops.numbered")) == {"aten::relu"}


def test_what_a_module_calls_like_a_built_in_function_is_its_own() -> None:
    """torch/_functorch/_aot_autograd/ has `zip = strict_zip`."""
    fact = read(
        "from torch import Tensor\n"
        "def strict(*lists): ...\nzip = strict\n"
        "def one(xs: list[Tensor], ys):\n    for x, y in zip(xs, ys):\n        x.relu()\n"
        "    return [y for pair in enumerate(zip(xs))]\n"
    )
    assert [(call.line, call.target.rpartition(".")[2]) for call in fact.calls] == [
        (5, "zip"),
        (6, "relu"),
        (7, "zip"),
    ]


def test_what_is_taken_from_a_size_is_asked_to_do_it_in_reverse() -> None:
    fact = read(
        "from torch import Tensor\n"
        "def one(x: Tensor):\n    return x.size(0) - x\n"
        "def two(x: Tensor):\n    return x.shape[0] - 1\n"
        "def three(x: Tensor):\n    return x.relu() - x\n"
    )
    found = [(call.line, call.target) for call in fact.calls if call.target.endswith("sub__")]
    assert found == [(3, "torch.Tensor().__rsub__"), (7, "torch.Tensor().relu().__sub__")]


def test_type_without_an_argument_only_names_one(conn: sqlite3.Connection) -> None:
    rows = conn.execute("SELECT source, target FROM v_edges WHERE source LIKE 'torch.typed.%'")
    assert [tuple(row) for row in rows] == [("torch.typed.converted", "torch.typed.Stored.type")]


def test_a_name_for_an_optional_tensor_is_one(conn: sqlite3.Connection) -> None:
    assert set(operators_of(conn, "torch.maybe.maybe")) == {"aten::relu"}


def test_an_operator_on_a_class_is_none_on_its_objects(conn: sqlite3.Connection) -> None:
    assert set(operators_of(conn, "torch.kinds.kind")) == {None}
    assert set(operators_of(conn, "torch.kinds.explicit")) == {"aten::add.Tensor"}


def test_what_an_optimizer_does_with_its_parameters_is_followed(conn: sqlite3.Connection) -> None:
    rows = conn.execute(
        "SELECT p.name, n.name FROM python_calls AS c"
        " JOIN python_functions AS p ON p.id = c.caller_id"
        " JOIN python_resolutions AS r ON r.target_id = c.target_id AND c.kind <> 7"
        " JOIN python_natives AS n ON n.id = r.native_id WHERE p.name LIKE 'Small.%'"
    )
    assert {tuple(row) for row in rows} == {
        ("Small._flat", "torch._C._VariableFunctions.relu"),
        ("Small.step", "torch._C.TensorBase.top"),
        ("Small.step", "torch._C.TensorBase.__add__"),
    }


def test_what_only_asks_is_no_reference_and_what_is_handed_on_is_kept() -> None:
    conn = index_torch(
        {
            "torch/asks.py": "import torch\ndef used(x): return x\n"
            "def runs(x):\n    if isinstance(x, torch.Tensor):\n        return x.relu()\n"
            "    return {'a': [used]}\n"
        }
    )
    rows = conn.execute(
        "SELECT c.kind, t.target FROM python_calls AS c JOIN python_targets AS t ON t.id = c.target_id"
        " JOIN python_functions AS p ON p.id = c.caller_id WHERE p.name = 'runs' ORDER BY c.kind"
    )
    assert [tuple(row) for row in rows] == [(0, "torch.Tensor().relu"), (4, "torch.asks.used")]


def test_what_a_function_of_the_file_is_given_is_followed_there() -> None:
    conn = index_torch(
        {
            "torch/norm.py": "import torch\nfrom torch import Tensor\n\n"
            "def helper(x, n):\n    return inner(n, x=x)\n\n"
            "def inner(n, x=None):\n    n.top()\n    return x.relu()\n\n"
            "def uncalled(x):\n    return x.relu()\n\n"
            "class Norm:\n"
            "    def _one(self, input):\n        return self._all(input.relu()).nonzero()\n"
            "    def _all(self, input):\n        return helper(input, 1)\n"
            "    def _other(self, input):\n        return input.relu()\n"
            "    def forward(self, input: Tensor) -> Tensor:\n        self._other(2)\n        return self._one(input)\n"
        }
    )
    rows = conn.execute(
        "SELECT p.name, n.name FROM python_calls AS c"
        " JOIN python_functions AS p ON p.id = c.caller_id"
        " JOIN python_resolutions AS r ON r.target_id = c.target_id AND c.kind <> 7"
        " JOIN python_natives AS n ON n.id = r.native_id"
    )
    assert {tuple(row) for row in rows} == {
        ("Norm._one", "torch._C.TensorBase.nonzero"),
        ("Norm._one", "torch._C.TensorBase.relu"),
        ("inner", "torch._C.TensorBase.relu"),
    }


def test_what_an_optimizer_keeps_of_its_parameters_is_followed() -> None:
    conn = index_torch(
        {
            "torch/optim/kept.py": "class Kept:\n"
            "    def __init__(self, params):\n        self._params = self.param_groups[0]['params']\n"
            "    def _set(self):\n        for p in self._params:\n            p.relu()\n"
            "    def step(self, closure=None):\n        self._set()\n"
        }
    )
    rows = conn.execute(
        "SELECT p.name, n.name FROM python_calls AS c"
        " JOIN python_functions AS p ON p.id = c.caller_id"
        " JOIN python_resolutions AS r ON r.target_id = c.target_id AND c.kind <> 7"
        " JOIN python_natives AS n ON n.id = r.native_id"
    )
    assert ("Kept._set", "torch._C.TensorBase.relu") in {tuple(row) for row in rows}


def test_loops_over_what_is_reversed_or_mapped_and_what_is_tried() -> None:
    conn = index_torch(
        {
            "torch/parts.py": "from torch import Tensor\n"
            "class Part:\n    def run(self): ...\n    def only(self): ...\n"
            "class Whole:\n    def __init__(self, parts: list[Part], named: dict[str, Part]):\n"
            "        self.parts = parts\n        self.named = named\n"
            "    @property\n    def known(self) -> dict[str, Part]: ...\n",
            "torch/user.py": "from torch import Tensor\nfrom torch.parts import Part, Whole\n"
            "def sliced(whole: Whole, t: Tensor):\n    for part in whole.parts[1:]:\n        part.run()\n"
            "def flat(whole: Whole, t: Tensor):\n    return [x.run() for x in (whole.parts[0], t)]\n"
            "def back(whole: Whole, t: Tensor):\n    for part in reversed(whole.parts):\n        part.run()\n"
            "def items(whole: Whole, t: Tensor):\n    for name, part in whole.named.items():\n"
            "        part.run()\n        name.only()\n"
            "def values(whole: Whole, t: Tensor):\n    for part in whole.known.values():\n        part.run()\n"
            "def keys(whole: Whole, t: Tensor):\n    for part in whole.known:\n        part.only()\n"
            "    for part in whole.named.keys():\n        part.only()\n"
            "def tried(whole: Whole, t: Tensor):\n    try:\n        named = whole.known\n    except E:\n"
            "        named = {}\n        other = Part()\n    for _, part in named.items():\n        part.run()\n"
            "    other.only()\n",
        }
    )
    rows = conn.execute(
        "SELECT p.name, g.name FROM python_calls AS c JOIN python_functions AS p ON p.id = c.caller_id"
        " JOIN python_resolutions AS r ON r.target_id = c.target_id AND c.kind <> 7"
        " JOIN python_functions AS g ON g.id = r.function_id WHERE g.name LIKE 'Part.%'"
    )
    assert {tuple(row) for row in rows} == {
        ("back", "Part.run"), ("items", "Part.run"), ("values", "Part.run"), ("tried", "Part.run"),
        ("tried", "Part.only"), ("sliced", "Part.run"), ("flat", "Part.run"),
    }  # fmt: skip


def test_a_branch_is_read_by_what_was_known_before_the_other_one() -> None:
    conn = index_torch(
        {
            "torch/kinds.py": "from torch import Tensor\nclass Number:\n    def plus(self): ...\n"
            "class Tagged(Tensor):\n    def tag(self): ...\ndef number(x) -> Number: ...\n",
            "torch/user.py": "from typing import cast\nfrom torch import Tensor\nfrom torch.kinds import Number, Tagged, number\n"
            "def branches(x: Tensor, n):\n    if n:\n        x = number(n)\n    else:\n        x.relu()\n    x.plus()\n"
            "def tagged(x: Tensor):\n    y = x.tag() if isinstance(x, Tagged) else x\n    x.relu()\n"
            "def each(xs, t: Tensor):\n    return [x.tag() for x in xs if isinstance(x, Tagged)]\n"
            "def casts(x, t: Tensor):\n    cast(Tagged, x).tag()\n",
        }
    )
    rows = conn.execute(
        "SELECT p.name, coalesce(g.name, n.name) FROM python_calls AS c"
        " JOIN python_functions AS p ON p.id = c.caller_id"
        " JOIN python_resolutions AS r ON r.target_id = c.target_id AND c.kind <> 7"
        " LEFT JOIN python_functions AS g ON g.id = r.function_id"
        " LEFT JOIN python_natives AS n ON n.id = r.native_id"
        " WHERE coalesce(g.name, n.name) IS NOT NULL AND c.kind = 0"
    )
    assert {tuple(row) for row in rows} >= {
        ("branches", "torch._C.TensorBase.relu"),
        ("branches", "Number.plus"),
        ("tagged", "Tagged.tag"),
        ("tagged", "torch._C.TensorBase.relu"),
        ("each", "Tagged.tag"),
        ("casts", "Tagged.tag"),
    }


def test_an_operator_that_is_registered_does_not_run() -> None:
    """As those that torch.vmap has `_register_python_decomposition_vmap` take, once."""
    conn = index_torch(
        {
            "torch/maps.py": "import torch\n"
            "def _register_decomposition(op): ...\n"
            "def load(x: torch.Tensor):\n"
            "    _register_decomposition(torch.ops.aten.relu.default)\n"
            "    torch.library.register(torch.ops.aten.top.default, kind=x)\n"
            "    run(torch.ops.aten.nonzero.default, x)\n",
            "torch/__init__.py": "from torch.maps import load\n__all__ = ['load']\n",
        }
    )
    assert [operator for operator in operators_of(conn, "torch.load") if operator] == [
        "aten::nonzero"
    ]


@pytest.mark.parametrize("number", ["prims.NumberType", "prims.RealNumberType", "types.Number"])
def test_a_number_has_the_operators_of_what_stands_beside_it(number: str) -> None:
    fact = read(
        "from torch import prims, types\n"
        "from torch.prims import TensorLikeType\n"
        f"def addcdiv(value: {number}, x: TensorLikeType, y: TensorLikeType):\n"
        "    return x + value * x / y\n",
        "torch/_refs/__init__.py",
    )
    found = {call.target.rpartition(".")[2] for call in fact.calls if call.kind == "operator"}
    of = {call.target.rpartition(".")[0] for call in fact.calls if call.kind == "operator"}
    assert (found, of) == ({"__add__", "__rmul__", "__truediv__"}, {"torch.prims.TensorLikeType()"})
