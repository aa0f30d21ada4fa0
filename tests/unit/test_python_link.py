"""Resolving names: imports, aliases, inheritance, results, bindings in C++."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

import pytest

from indexer import link
from indexer.workers import WorkerPool
from tests.unit.python_sources import YAML, index

OPERATORS = """
- func: relu(Tensor self) -> Tensor
  variants: function, method

- func: add.Tensor(Tensor self, Tensor other) -> Tensor
  variants: function, method

- func: add.Scalar(Tensor self, Scalar other) -> Tensor
  variants: function, method

- func: add.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)

- func: add_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
  variants: method

- func: top(Tensor self) -> (Tensor values, Tensor indices)
  variants: function, method

- func: gelu(Tensor self) -> Tensor
  python_module: nn

- func: relu_backward(Tensor self) -> Tensor

- func: nonzero(Tensor self) -> Tensor
  variants: function, method

- func: nonzero.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)

- func: nonzero_numpy(Tensor self) -> Tensor[]
  variants: function, method
"""
RULES = '_SKIP_PYTHON_BINDINGS = [".*_backward", "nonzero(_(out|numpy))?"]\n'
RULES += 'SKIP_PYTHON_BINDINGS_SIGNATURES = ["add.Scalar(Tensor self, Scalar other) -> Tensor"]\n'
METHODS = """
template<typename T>
static T dispatch_top(const Tensor & self) {
  return self.template relu<T>();
}

static Tensor dispatch_top(const Tensor & self, Device device) {
  return self.top(device);
}

static PyObject * THPVariable_relu_scalar(PyObject* self, PyObject* args) {
  return wrap(dispatch_top<c10::add<double>>(self_));
}

static PyObject * THPVariable_top(PyObject* self, PyObject* args) {
  return wrap(dispatch_top(self_, device));
}

static PyObject * THPVariable_tolist(PyObject* self, PyObject* args) {
  return torch::utils::tensor_to_list(self_);
}

static PyObject * THPVariable_nonzero(PyObject* self, PyObject* args) {
  if (as_tuple) return wrap(dispatch_nonzero_numpy(self_));
  return wrap(dispatch_nonzero(self_));
}

// {"not_this", THPVariable_nonzero, METH_NOARGS, nullptr},
PyMethodDef variable_methods[] = {
  {"__add__", castPyCFunctionWithKeywords(TypeError_to_NotImplemented_<THPVariable_add>), 0},
  {"__float__", THPVariable_relu_scalar, METH_NOARGS, nullptr},
  {"high", THPVariable_top, METH_NOARGS, nullptr},
  {"tolist", THPVariable_tolist, METH_NOARGS, nullptr},
  {"nonzero", castPyCFunctionWithKeywords(THPVariable_nonzero), 0},
};
"""
BASE = {
    YAML: OPERATORS,
    "tools/autograd/gen_python_functions.py": RULES,
    "tools/autograd/templates/python_variable_methods.cpp": METHODS,
    "torch/csrc/utils/tensor_list.cpp": """
PyObject* tensor_to_list(const Tensor& tensor) {
  Tensor data = tensor.relu().add(1);
}
""",
    "torch/__init__.py": "from torch._tensor import Tensor\n",
    "torch/_tensor.py": "from torch import _C\nclass Tensor(_C.TensorBase):\n    pass\n",
}


def _index(sources: Mapping[str, str]) -> sqlite3.Connection:
    return index({**BASE, **sources})


def _api(conn: sqlite3.Connection, api: str) -> dict[str | None, str]:
    rows = conn.execute("SELECT operator, via FROM v_python_api WHERE api = ?", (api,))
    return {row["operator"]: row["via"] for row in rows}


def _bases(conn: sqlite3.Connection, name: str) -> str:
    row = conn.execute("SELECT bases FROM v_classes WHERE name = ?", (name,)).fetchone()
    return str(row["bases"])


@pytest.mark.parametrize(
    ("api", "operators"),
    [
        ("torch.relu", {"aten::relu": "binding"}),
        ("torch.Tensor.relu", {"aten::relu": "binding"}),
        ("torch.add", {"aten::add.Tensor": "binding", "aten::add.out": "binding"}),
        ("torch.Tensor.add", {"aten::add.Tensor": "binding"}),
        ("torch.Tensor.__add__", {"aten::add.Tensor": "binding"}),
        ("torch._C._nn.gelu", {"aten::gelu": "binding"}),
        ("torch.gelu", {}),
        ("torch.relu_backward", {}),
        ("torch.nonzero", {}),
        (
            "torch.Tensor.nonzero",
            {"aten::nonzero": "handwritten", "aten::nonzero_numpy": "handwritten"},
        ),
        ("torch.Tensor.not_this", {}),
        ("torch.Tensor.__float__", {"aten::relu": "handwritten"}),
        ("torch.Tensor.high", {"aten::top": "handwritten"}),
        (
            "torch.Tensor.tolist",
            {f"aten::{name}": "handwritten" for name in ("relu", "add.Tensor", "add.Scalar")},
        ),
        ("torch.ops.aten.relu_backward", {"aten::relu_backward": "ops"}),
    ],
)
def test_bindings_follow_the_generators_rules(api: str, operators: dict[str, str]) -> None:
    assert _api(_index({}), api) == operators


def test_bases_are_found_through_reexports_aliases_and_stars() -> None:
    conn = _index(
        {
            "torch/nn/__init__.py": "from .modules import *\n",
            "torch/nn/modules/__init__.py": "from .module import Module\n__all__ = ['Module']\n",
            "torch/nn/modules/module.py": "class Module:\n    pass\n",
            "torch/a.py": "import torch.nn as nn\nBase = nn.Module\nclass A(Base): pass\n",
            "torch/b.py": "from torch.a import *\nimport abc\nclass B(A, abc.ABC): pass\n",
            "torch/c.py": (
                "try:\n    from torch.b import B as Used\nexcept ImportError:\n    Used = object\n"
                "class Outer:\n    class Inner(Used): pass\n"
                "class C(Outer.Inner): pass\n"
            ),
            "torch/loop.py": "from torch.loop import X\nclass Y(X): pass\nclass Z(Z): pass\n",
        }
    )
    assert _bases(conn, "torch.a.A") == "torch.nn.modules.module.Module"
    assert _bases(conn, "torch.b.B") == "torch.a.A, abc.ABC"
    assert _bases(conn, "torch.c.Outer.Inner") == "torch.b.B"
    assert _bases(conn, "torch.c.C") == "torch.c.Outer.Inner"
    assert _bases(conn, "torch.loop.Y") == "torch.loop.X"
    rows = conn.execute("SELECT name FROM v_classes WHERE category = 'nn' ORDER BY name")
    assert [name for (name,) in rows] == [
        "torch.a.A", "torch.b.B", "torch.c.C", "torch.c.Outer.Inner",
        "torch.nn.modules.module.Module",
    ]  # fmt: skip


def test_public_names_are_the_shortest_ones_nearby() -> None:
    conn = _index(
        {
            "torch/p/__init__.py": "from torch.p._private import A\nfrom torch.p.q import C\n",
            "torch/p/_private.py": "class A: pass\nclass B: pass\n",
            "torch/p/q.py": "class C: pass\n",
            "torch/z.py": (
                "from torch.p.q import C\nfrom typing import TYPE_CHECKING\n"
                "if TYPE_CHECKING:\n    from torch.p._private import B\n"
            ),
            "torch/r/__init__.py": (
                "from torch.r.long import LongName as Short, Other as Else\n__all__ = ['Short']\n"
            ),
            "torch/r/long.py": "class LongName: pass\nclass Other: pass\n",
        }
    )
    rows = conn.execute("SELECT name, public_name FROM v_classes WHERE name GLOB 'torch.[pr].*'")
    assert {row["name"]: row["public_name"] for row in rows} == {
        "torch.p._private.A": "torch.p.A",
        "torch.p._private.B": None,
        "torch.p.q.C": "torch.p.C",
        "torch.r.long.LongName": "torch.r.Short",
        "torch.r.long.Other": "torch.r.long.Other",
    }
    rows = conn.execute("SELECT name FROM python_aliases ORDER BY name")
    assert [name for (name,) in rows] == ["torch.r.Else", "torch.z.C"]


def test_a_module_hidden_by_its_own_function_is_found() -> None:
    conn = _index(
        {
            "torch/par/__init__.py": "from torch.par.same import same\n",
            "torch/par/same.py": "class Kept: pass\ndef same(): pass\n",
            "torch/use.py": "from torch.par.same import Kept\nclass D(Kept): pass\n",
        }
    )
    assert _bases(conn, "torch.use.D") == "torch.par.same.Kept"


def test_python_bodies_are_followed() -> None:
    conn = _index(
        {
            "torch/f.py": (
                "import torch\n"
                "from torch import Tensor\n"
                "def one(x: Tensor) -> Tensor:\n"
                "    return two(x) + x\n"
                "def two(x: Tensor):\n"
                "    values, indices = torch.top(x)\n"
                "    return values.relu()\n"
                "def none(x: Tensor):\n"
                "    return x.shape\n"
            )
        }
    )
    assert _api(conn, "torch.f.one") == {
        "aten::add.Tensor": "python",
        "aten::relu": "python: torch.f.two",
        "aten::top": "python: torch.f.two",
    }
    assert _api(conn, "torch.f.none") == {None: "python only"}
    row = conn.execute(
        "SELECT file, line FROM v_python_api WHERE api = 'torch.f.one' AND operator = 'aten::top'"
    ).fetchone()
    assert (row["file"], row["line"]) == ("torch/f.py", 6)


def test_apply_of_an_autograd_function_runs_its_forward() -> None:
    conn = _index(
        {
            "torch/autograd/function.py": (
                "class Base:\n    @classmethod\n    def apply(cls, *args): ...\n"
                "class Function(Base):\n    @staticmethod\n    def forward(*args): ...\n"
            ),
            "torch/autograd/__init__.py": "from torch.autograd.function import Function\n",
            "torch/f.py": (
                "import torch\n"
                "class Own(torch.autograd.Function):\n"
                "    @staticmethod\n"
                "    def forward(ctx, x: torch.Tensor):\n"
                "        return x.relu()\n"
                "class Other:\n"
                "    def apply(self, x: torch.Tensor):\n"
                "        return torch.top(x)\n"
                "def one(x):\n    return Own.apply(x)\n"
                "def two(x, other: Other):\n    return other.apply(x)\n"
            ),
        }
    )
    assert _api(conn, "torch.f.one") == {"aten::relu": "python: torch.f.Own.forward"}
    assert _api(conn, "torch.f.two") == {"aten::top": "python: torch.f.Other.apply"}


def test_whoever_runs_an_autograd_function_runs_its_gradient() -> None:
    conn = _index(
        {
            "torch/autograd/function.py": "class Function:\n    def forward(*args): ...\n",
            "torch/f.py": (
                "from torch.autograd.function import Function\n"
                "class Own(Function):\n"
                "    @staticmethod\n"
                "    def forward(x): return x\n"
                "    @staticmethod\n"
                "    def setup_context(ctx, inputs, output): ...\n"
                "    @staticmethod\n"
                "    def backward(ctx, grad): return grad.relu()\n"
                "class Deeper(Own):\n"
                "    def forward(x): return x\n"
                "    def jvp(ctx, x): return x\n"
                "class Other:\n"
                "    def forward(x): return x\n"
                "    def backward(x): return x\n"
            ),
        }
    )
    with WorkerPool(0) as pool:
        for _, step in link.steps((80, 81)):
            step(conn, pool)
    rows = conn.execute(
        "SELECT source, target, kind, line FROM v_edges"
        " WHERE file = 'torch/f.py' AND source LIKE '%.forward' ORDER BY line"
    )
    assert [tuple(row) for row in rows] == [
        ("torch.f.Own.forward", "torch.f.Own.setup_context", "python", 6),
        ("torch.f.Own.forward", "torch.f.Own.backward", "derivative", 8),
        ("torch.f.Deeper.forward", "torch.f.Deeper.jvp", "derivative", 11),
    ]


def test_names_given_by_calls_stand_for_what_was_handed_over() -> None:
    conn = _index(
        {
            "torch/f.py": (
                "import torch\nfrom torch._C import _add_docstr\n"
                "a = _add_docstr(torch._C._nn.gelu, 'doc')\n"
                "def yes(x): return torch.relu(x)\n"
                "def no(x): return torch.top(x)\n"
                "both = choose(if_true=yes, if_false=no)\n"
                "nested = choose(if_true=both, if_false=a)\n"
            )
        }
    )
    assert set(_api(conn, "torch.f.a")) == {"aten::gelu"}
    assert set(_api(conn, "torch.f.both")) == {"aten::relu", "aten::top"}
    assert set(_api(conn, "torch.f.nested")) == {"aten::relu", "aten::top", "aten::gelu"}


def test_operators_are_reached_through_torch_ops() -> None:
    conn = _index(
        {
            "torch/_ops.py": "class _Ops: pass\nops = _Ops()\n",
            "torch/__init__.py": "from torch._tensor import Tensor\nfrom torch._ops import ops\n",
            "torch/f.py": (
                "import torch\nfrom torch._ops import ops\naten = torch.ops.aten\n"
                "def a(x): return torch.ops.aten.add.Scalar(x)\n"
                "def b(x): return aten.relu(x)\n"
                "def c(x): return ops.aten.gelu.default(x)\n"
            ),
        }
    )
    assert set(_api(conn, "torch.f.a")) == {"aten::add.Scalar"}
    assert set(_api(conn, "torch.f.b")) == {"aten::relu"}
    assert set(_api(conn, "torch.f.c")) == {"aten::gelu"}


def test_an_unknown_base_is_reported() -> None:
    conn = _index({"torch/f.py": "x = 1\nclass A(torch.nowhere.B, type(x)): pass\n"})
    rows = conn.execute("SELECT file, status, detail FROM v_coverage ").fetchall()
    details = [row["detail"] for row in rows if row["file"] == "torch/f.py"]
    assert [detail.partition(",")[0] for detail in details] == [
        "line 2: torch.nowhere.B", "line 2: type(x)",
    ]  # fmt: skip


def test_an_installed_package_is_read_by_its_stubs() -> None:
    conn = index(
        {
            YAML: OPERATORS,
            "torch/__init__.py": "",
            "torch/_C/_VariableFunctions.pyi": "def relu(input): ...\ndef tensor(data): ...\n",
            "torch/_C/__init__.pyi": "class TensorBase:\n    def relu(self): ...\n"
            "    def __add__(self, other): ...\n    def nonzero(self): ...\n",
            "torch/f.py": "import torch\ndef f(x): return torch._VF.top(x)\n",
            "torch/_VF.py": "",
        }
    )
    assert set(_api(conn, "torch.relu")) == {"aten::relu"}
    assert _api(conn, "torch.top") == {}
    assert set(_api(conn, "torch.f.f")) == {"aten::top"}
    assert set(_api(conn, "torch.Tensor.__add__")) == set()


def test_a_stubs_class_that_is_not_the_tensors_has_no_operators() -> None:
    conn = index(
        {
            YAML: OPERATORS,
            "torch/__init__.py": "",
            "torch/_C/_VariableFunctions.pyi": "def top(input): ...\n",
            "torch/_C/__init__.pyi": "class _TensorBase:\n    def relu(self): ...\n"
            "class Size:\n    def __add__(self, other): ...\n    def relu(self): ...\n",
            "torch/_C/_c10d.pyi": "def gelu(x): ...\nclass Store:\n    def add(self, n): ...\n",
        }
    )
    natives = {name for (name,) in conn.execute("SELECT name FROM python_natives")}
    assert {name for name in natives if ".Size." in name or "c10d" in name} == set()
    # The old name of the tensor's class is that class: what it does not list is left out.
    tensor = {name for name in natives if "TensorBase" in name}
    assert tensor == {"torch._C.TensorBase.relu"}


def test_documentation_groups_classes() -> None:
    rst = (
        "torch.nn\n========\n\n.. currentmodule:: torch\n\nThings\n------\n\n"
        ".. autosummary::\n    :nosignatures:\n\n    nn.A\n\nOther things\n------------\n\n"
        ".. autosummary::\n\n    nn.B\n"
    )
    conn = _index(
        {
            "docs/source/nn.rst": rst,
            "torch/nn/__init__.py": "class A: pass\nclass B: pass\nclass C: pass\n",
        }
    )
    rows = conn.execute("SELECT name, section FROM python_classes WHERE name LIKE 'torch.nn.%'")
    assert [tuple(row) for row in rows] == [
        ("torch.nn.A", "Things"), ("torch.nn.B", "Other things"), ("torch.nn.C", None),
    ]  # fmt: skip


def test_the_order_of_reading_makes_no_difference() -> None:
    first, second = (_index({"torch/f.py": "import torch\ndef f(): torch.relu(1)\n"}) for _ in "ab")
    assert list(first.iterdump()) == list(second.iterdump())


BODY = """
from torch import Tensor
import torch, warnings

__all__ = ["shown", "deep", "with_out"]

def shown(x: Tensor) -> Tensor:
    if torch.overrides.has_torch_function_unary(x):
        return x.nonzero()
    if not torch.jit.is_scripting():
        y = torch.relu(x)
    else:
        y = torch.top(x)
    assert x.nonzero(), torch.gelu(x)
    if x.dim() < 2:
        warnings.warn(f"{x.nonzero()}")
        raise ValueError(x.nonzero())
    return torch.add(y, x)

def with_out(x: Tensor, *, out=None) -> Tensor:
    return torch.add(x, x, out=out)

def _one(x: Tensor):
    return torch.relu(x)

def _two(x: Tensor):
    return _one(x)

def deep(x: Tensor):
    return _two(x)

def unlisted(x: Tensor):
    return torch.relu(x)
"""


def test_only_what_stands_on_a_functions_way_is_reached() -> None:
    conn = _index({"torch/body.py": BODY})
    assert _api(conn, "torch.body.shown") == {"aten::relu": "python", "aten::add.Tensor": "python"}
    assert "aten::add.out" in _api(conn, "torch.body.with_out")
    deep = "python: torch.body._two → torch.body._one"
    assert _api(conn, "torch.body.deep") == {"aten::relu": deep}
    kinds = conn.execute(
        "SELECT DISTINCT c.kind FROM python_calls AS c JOIN python_targets AS t"
        " ON t.id = c.target_id WHERE t.target LIKE '%nonzero'"
    )
    assert [kind for (kind,) in kinds] == [3]


def test_apis_are_names_that_users_import() -> None:
    body = "import torch\ndef f(x):\n    return torch.relu(x)\n"
    conn = _index(
        {
            "torch/body.py": BODY,
            "torch/plain.py": body + "from torch.body import shown\n",
            "torch/pack/__init__.py": "from torch._hidden import f\nfrom torch.plain import f as g\n",
            "torch/_hidden.py": body,
            "functorch/__init__.py": "",
            "functorch/examples/run.py": body,
        }
    )
    rows = conn.execute("SELECT DISTINCT api FROM v_python_api WHERE via LIKE 'python%'")
    assert {api for (api,) in rows} == {
        "torch.body.shown", "torch.body.deep", "torch.body.with_out", "torch.body.unlisted", "torch.plain.f",
        "torch.pack.f",
    }  # fmt: skip
    first = conn.execute(
        "SELECT api FROM v_python_api WHERE operator = 'aten::relu' LIMIT 1"
    ).fetchone()
    assert first["api"] == "torch.relu"


def test_what_a_module_imports_of_another_s_all_is_public_there() -> None:
    """torch/__init__.py does so with torch.functional, and does not list it again."""
    init = BASE["torch/__init__.py"] + "from torch.functional import *\n__all__ = ['Tensor']\n"
    conn = _index({
        "torch/__init__.py": init,
        "torch/functional.py": "from torch._low import low\n__all__ = ['own', 'low']\ndef own(x): pass\n"
                               "def unlisted(x): pass\n",
        "torch/_low.py": "import torch\ndef low(x):\n    return torch.relu(x)\n",
    })  # fmt: skip
    assert _api(conn, "torch.own") == {None: "python only"}
    assert _api(conn, "torch.low") == {"aten::relu": "python"}
    assert _api(conn, "torch.unlisted") == {}


BRANCHES = """
import sys, torch
from typing import TYPE_CHECKING
try:
    from torch.real import helper
    class Made: pass
except ImportError:
    def helper(): pass
    class Made: pass
if torch._C._has_it:
    class Wide:
        def one(self): pass
    def f(): pass
else:
    class Wide:
        "Stands in."
    def f(): raise RuntimeError
if not torch._C._has_it:
    class Late: pass
    def g(): pass
else:
    class Late: pass
    def g(): pass
if torch._C._is_small:
    class Larger: pass
else:
    class Larger:
        def one(self): pass
if sys.platform == "win32":
    from torch.windows import load
else:
    from torch.linux import load
if TEST_WITH_THIS:
    from torch.windows import case
else:
    from torch.linux import case
if torch._C._only_here:
    pass
else:
    def alone(): pass
"""


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("Made", 6), ("Wide", 11), ("f", 13), ("Late", 22), ("g", 23), ("Larger", 27), ("helper", 1),
        ("load", 2), ("alone", 40), ("case", 3),
    ],
)  # fmt: skip
def test_of_several_branches_that_counts_which_runs_as_a_rule(name: str, meant: int) -> None:
    conn = _index({
        "torch/a.py": BRANCHES,
        "torch/real.py": "def helper(): pass\n", "torch/linux.py": "\ndef load(): pass\ndef case(): pass\n",
        "torch/windows.py": "\n\ndef load(): pass\n\ndef case(): pass\n",
        "torch/b.py": f"from torch import a\ndef use():\n    a.{name}()\n",
    })  # fmt: skip
    (row,) = conn.execute(
        "SELECT coalesce(p.line, k.line) AS line FROM python_resolutions AS r"
        " LEFT JOIN python_functions AS p ON p.id = r.function_id"
        " LEFT JOIN python_classes AS k ON k.id = r.class_id"
        f" JOIN python_targets AS t ON t.id = r.target_id WHERE t.target = 'torch.a.{name}'"
    ).fetchall()
    assert row["line"] == meant
    rows = conn.execute("SELECT line FROM v_classes WHERE public_name = ?", (f"torch.a.{name}",))
    assert [line for (line,) in rows] in ([], [meant])


def test_calls_that_lead_out_of_the_tree_are_counted() -> None:
    conn = _index({"torch/a.py": "def f(x):\n    torch_like.g(x)\ndef h():\n    torch.nothing()\n"
                   "    f(1)\nimport torch\n"})  # fmt: skip
    targets = conn.execute("SELECT target FROM python_targets")
    assert [target for (target,) in targets] == ["torch.a.f"]
    rows = conn.execute("SELECT detail FROM v_coverage WHERE layer = 'python' AND file IS NULL")
    assert [d for (d,) in rows] == ["1 calls lead to nothing that this tree defines"]


def test_a_class_that_abcmeta_makes_is_of_the_module_abc() -> None:
    """`type.__new__` is called there, and so that is what the class says."""
    conn = index(
        {
            **BASE,
            "torch/a.py": "from abc import ABCMeta\nfrom typing import Any\n"
            'ABC: Any = ABCMeta("ABC", (object,), {})\nclass A(ABC): ...\n',
            "torch/b.py": "import abc\nfrom torch.a import ABC\nclass B(ABC, metaclass=abc.ABCMeta): ...\n",
        }
    )
    rows = conn.execute("SELECT name, bases FROM v_classes WHERE name LIKE 'torch._._'")
    assert dict(rows.fetchall()) == {"torch.a.A": "abc.ABC", "torch.b.B": "abc.ABC"}
