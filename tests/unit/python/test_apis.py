"""Which names are APIs, and which operators these reach."""

from __future__ import annotations

from tests.unit.support.python_torch import BASE, index_torch, operators_of

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


def test_apis_are_names_that_users_import() -> None:
    body = "import torch\ndef f(x):\n    return torch.relu(x)\n"
    conn = index_torch(
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
    conn = index_torch({
        "torch/__init__.py": init,
        "torch/functional.py": "from torch._low import low\n__all__ = ['own', 'low']\ndef own(x): pass\n"
                               "def unlisted(x): pass\n",
        "torch/_low.py": "import torch\ndef low(x):\n    return torch.relu(x)\n",
    })  # fmt: skip
    assert operators_of(conn, "torch.own") == {None: "python only"}
    assert operators_of(conn, "torch.low") == {"aten::relu": "python"}
    assert operators_of(conn, "torch.unlisted") == {}


def test_what_a_decorator_lists_is_shown_by_the_package() -> None:
    """torch/masked/_ops.py lists so what torch/masked/__init__.py imports, whose own `__all__` is of other things."""
    conn = index_torch({
        "torch/pack/__init__.py": "from ._ops import seen, hidden\n__all__ = ['other']\n",
        "torch/pack/_ops.py": "import torch\n__all__ = []\n"
                              "def _listed(func):\n    func.__doc__ = 'x'\n    __all__.append(func.__name__)\n"
                              "    return func\n"
                              "def _only_named(func):\n    __all__.append(torch.__name__)\n    return func\n"
                              "@_listed\ndef seen(x):\n    return torch.relu(x)\n"
                              "@_only_named\ndef hidden(x):\n    return torch.relu(x)\n",
    })  # fmt: skip
    assert operators_of(conn, "torch.pack.seen") == {"aten::relu": "python"}
    assert operators_of(conn, "torch.pack.hidden") == {}
    exports = conn.execute("SELECT name FROM python_exports").fetchall()
    assert [name for (name,) in exports] == ["other", "seen"]


def test_python_bodies_are_followed() -> None:
    conn = index_torch(
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
    assert operators_of(conn, "torch.f.one") == {
        "aten::add.Tensor": "python",
        "aten::relu": "python: torch.f.two",
        "aten::top": "python: torch.f.two",
    }
    assert operators_of(conn, "torch.f.none") == {None: "python only"}
    row = conn.execute(
        "SELECT file, line FROM v_python_api WHERE api = 'torch.f.one' AND operator = 'aten::top'"
    ).fetchone()
    assert (row["file"], row["line"]) == ("torch/f.py", 6)


def test_only_what_stands_on_a_functions_way_is_reached() -> None:
    conn = index_torch({"torch/body.py": BODY})
    assert operators_of(conn, "torch.body.shown") == {
        "aten::relu": "python",
        "aten::add.Tensor": "python",
    }
    assert "aten::add.out" in operators_of(conn, "torch.body.with_out")
    deep = "python: torch.body._two → torch.body._one"
    assert operators_of(conn, "torch.body.deep") == {"aten::relu": deep}
    kinds = conn.execute(
        "SELECT DISTINCT c.kind FROM python_calls AS c JOIN python_targets AS t"
        " ON t.id = c.target_id WHERE t.target LIKE '%nonzero'"
    )
    assert [kind for (kind,) in kinds] == [3]


def test_names_given_by_calls_stand_for_what_was_handed_over() -> None:
    conn = index_torch(
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
    assert set(operators_of(conn, "torch.f.a")) == {"aten::gelu"}
    assert set(operators_of(conn, "torch.f.both")) == {"aten::relu", "aten::top"}
    assert set(operators_of(conn, "torch.f.nested")) == {"aten::relu", "aten::top", "aten::gelu"}


def test_operators_are_reached_through_torch_ops() -> None:
    conn = index_torch(
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
    assert set(operators_of(conn, "torch.f.a")) == {"aten::add.Scalar"}
    assert set(operators_of(conn, "torch.f.b")) == {"aten::relu"}
    assert set(operators_of(conn, "torch.f.c")) == {"aten::gelu"}


def test_the_order_of_reading_makes_no_difference() -> None:
    first, second = (
        index_torch({"torch/f.py": "import torch\ndef f(): torch.relu(1)\n"}) for _ in "ab"
    )
    assert list(first.iterdump()) == list(second.iterdump())
