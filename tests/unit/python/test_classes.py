"""What classes derive from, what they are called in public, and where the documentation has them."""

from __future__ import annotations

from tests.unit.support.python_sources import index
from tests.unit.support.python_torch import BASE, bases_of, index_torch
from torchtalk.names.imported import spellings


def test_bases_are_found_through_reexports_aliases_and_stars() -> None:
    conn = index_torch(
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
    assert bases_of(conn, "torch.a.A") == "torch.nn.modules.module.Module"
    assert bases_of(conn, "torch.b.B") == "torch.a.A, abc.ABC"
    assert bases_of(conn, "torch.c.Outer.Inner") == "torch.b.B"
    assert bases_of(conn, "torch.c.C") == "torch.c.Outer.Inner"
    assert bases_of(conn, "torch.loop.Y") == "torch.loop.X"
    rows = conn.execute("SELECT name FROM v_classes WHERE category = 'nn' ORDER BY name")
    assert [name for (name,) in rows] == [
        "torch.a.A", "torch.b.B", "torch.c.C", "torch.c.Outer.Inner",
        "torch.nn.modules.module.Module",
    ]  # fmt: skip


def test_what_comes_with_python_needs_no_class_that_stands_in_for_it() -> None:
    """torch/autograd/profiler.py has one for ContextDecorator; a package that is not PyTorch's may be missing."""
    fallback = (
        "except ImportError:\n    class {0}:\n        def run(self): ...\nclass Own({0}): ...\n"
    )
    conn = index_torch(
        {
            "torch/a.py": "try:\n    from contextlib import ContextDecorator as _C\n"
            + fallback.format("_C"),
            "torch/b.py": "try:\n    from tabulate import Table\n" + fallback.format("Table"),
            "torch/c.py": "try:\n    from msvcrt import Lock\n" + fallback.format("Lock"),
        }
    )
    assert bases_of(conn, "torch.a.Own") == "contextlib.ContextDecorator"
    assert bases_of(conn, "torch.b.Own") == "torch.b.Table"
    assert bases_of(conn, "torch.c.Own") == "torch.c.Lock"


def test_bases_are_found_beside_a_class_and_behind_an_object() -> None:
    """torch/_inductor/virtualized.py shows handlers as attributes of `V`, called as the module calls them."""
    conn = index_torch(
        {
            "torch/handlers.py": "class Handler: ...\n",
            "torch/virtual.py": (
                "from torch.handlers import Handler\n"
                "class _V:\n    Handler = Handler\n    def run(self): ...\n    go = run\nV = _V()\n"
            ),
            "torch/kernels.py": (
                "from .virtual import V\nclass Mine(V.Handler): ...\n"
                "class Sorter: ...\n"
                "class Parameters:\n    class Sorter: ...\n    class Own(Sorter): ...\n    class Other(V.Handler): ...\n"
                "class Outside(Sorter): ...\n"
            ),
        }
    )
    assert bases_of(conn, "torch.kernels.Mine") == "torch.handlers.Handler"
    assert bases_of(conn, "torch.kernels.Parameters.Own") == "torch.kernels.Parameters.Sorter"
    assert bases_of(conn, "torch.kernels.Parameters.Other") == "torch.handlers.Handler"
    assert bases_of(conn, "torch.kernels.Outside") == "torch.kernels.Sorter"


def test_with_metaclass_stands_for_the_bases_behind_its_metaclass() -> None:
    """As torch/jit/_script.py and torch/autograd/function.py have it until 1.13."""
    conn = index_torch(
        {
            "torch/nn/__init__.py": "from .modules.module import Module\n",
            "torch/nn/modules/module.py": "class Module: ...\n",
            "torch/_six.py": "def with_metaclass(meta, *bases): ...\n",
            "torch/jit/script.py": "import six\nfrom torch.nn import Module\nfrom torch._six import with_metaclass\n"
            "class Meta(type): ...\nclass Mixin: ...\n"
            "class Script(with_metaclass(Meta, Module, Mixin)): ...\n"
            "class Alone(six.with_metaclass(Meta)): ...\n",
        }
    )
    assert (
        bases_of(conn, "torch.jit.script.Script")
        == "torch.nn.modules.module.Module, torch.jit.script.Mixin"
    )
    assert bases_of(conn, "torch.jit.script.Alone") == "None"
    found = conn.execute("SELECT category FROM v_classes WHERE name = 'torch.jit.script.Script'")
    assert [category for (category,) in found] == ["nn"]
    assert not conn.execute(
        "SELECT 1 FROM v_coverage WHERE detail LIKE '%a base of torch.jit%'"
    ).fetchall()


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


def test_a_module_hidden_by_its_own_function_is_found() -> None:
    conn = index_torch(
        {
            "torch/par/__init__.py": "from torch.par.same import same\n",
            "torch/par/same.py": "class Kept: pass\ndef same(): pass\n",
            "torch/use.py": "from torch.par.same import Kept\nclass D(Kept): pass\n",
        }
    )
    assert bases_of(conn, "torch.use.D") == "torch.par.same.Kept"


def test_an_unknown_base_is_reported() -> None:
    conn = index_torch({"torch/f.py": "x = 1\nclass A(torch.nowhere.B, type(x)): pass\n"})
    rows = conn.execute("SELECT file, status, detail FROM v_coverage ").fetchall()
    details = [row["detail"] for row in rows if row["file"] == "torch/f.py"]
    assert [detail.partition(",")[0] for detail in details] == [
        "line 2: torch.nowhere.B", "line 2: type(x)",
    ]  # fmt: skip


def test_public_names_are_the_shortest_ones_nearby() -> None:
    conn = index_torch(
        {
            "torch/p/__init__.py": "from torch.p._private import A\nfrom torch.p.q import C\n",
            "torch/p/_private.py": "class A: pass\nclass B: pass\n",
            "torch/_hidden.py": "class Used: pass\nclass Kept: pass\nclass Shown: pass\nclass Listed: pass\n",
            "torch/user.py": "from torch._hidden import Used, Listed\n__all__ = ['Listed']\n",
            "torch/plain.py": "from torch._hidden import Kept\n",
            "torch/pack/__init__.py": "from torch._hidden import Shown\n",
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
    assert [name for (name,) in rows] == [
        "torch.plain.Kept",
        "torch.r.Else",
        "torch.user.Used",
        "torch.z.C",
    ]
    # What a module imports for its own use is none of its names.
    rows = conn.execute("SELECT name, public_name FROM v_classes WHERE name GLOB 'torch._hidden.*'")
    assert {row["name"].rpartition(".")[2]: row["public_name"] for row in rows} == {
        "Used": None, "Kept": None, "Shown": "torch.pack.Shown", "Listed": "torch.user.Listed",
    }  # fmt: skip


def test_documentation_groups_classes() -> None:
    rst = (
        "torch.nn\n========\n\n.. currentmodule:: torch\n\nThings\n------\n\n"
        ".. autosummary::\n    :nosignatures:\n\n    nn.A\n\nOther things\n------------\n\n"
        ".. autosummary::\n\n    nn.B\n"
    )
    conn = index_torch(
        {
            "docs/source/nn.rst": rst,
            "torch/nn/__init__.py": "class A: pass\nclass B: pass\nclass C: pass\n",
        }
    )
    rows = conn.execute("SELECT name, section FROM python_classes WHERE name LIKE 'torch.nn.%'")
    assert [tuple(row) for row in rows] == [
        ("torch.nn.A", "Things"), ("torch.nn.B", "Other things"), ("torch.nn.C", None),
    ]  # fmt: skip


def test_what_is_assigned_to_doc_is_what_a_class_says() -> None:
    """In the class, put together of pieces (torch/nn/modules/conv.py), and after it (torch/optim/adam.py)."""
    conn = index_torch(
        {
            "torch/doc.py": (
                'note = "later"\n'
                'class Conv:\n    __doc__ = (\n        r"""Slides over\n    its input.\n    """\n'
                '        + r"""\n    Shape: {n}\n    """.format(n=note)\n        + "More."\n    )\n'
                'class Adam:\n    """Not this."""\nAdam.__doc__ = (\n'
                '    r"""Steps down.\n\n    .. math::\n"""\n    + rf"""\n    Args: {note}\n"""\n)\n'
                'class Sparse: pass\nSparse.__doc__ = rf"""Steps by {note}.\n\n    Args:\n"""\n'
                'class Same: "Its own."\nSame.__doc__ = Conv.__doc__\n'
                'class Unit:\n    r"""__init__(size,bias=True)\n\n    Applies a unit.\n\n    More.\n    """\n'
                'class Bare:\n    """bare(size)\n\n    """\n'
                'def sums(a):\n    r"""sums(a) -> Tensor\n\n    Adds up.\n    """\n'
            ),
        }
    )
    rows = conn.execute("SELECT last, doc FROM python_classes WHERE name LIKE 'torch.doc.%'")
    assert dict(rows.fetchall()) == {
        "Conv": "Slides over its input.",
        "Adam": "Steps down.",
        "Sparse": "Steps by {note}.",
        "Same": "Its own.",
        # What tells Sphinx of the arguments says nothing of what it does.
        "Unit": "Applies a unit.",
        "Bare": "bare(size)",
    }
    row = conn.execute("SELECT doc FROM python_functions WHERE name = 'sums'").fetchone()
    assert row["doc"] == "Adds up."


def test_stars_of_a_package_do_not_lead_through_its_own_modules() -> None:
    """torch/quantization/__init__.py has nine: each to each would leave no room for the right one."""
    parts = [f"part{number}" for number in range(8)]
    stars = "".join(f"from .{part} import *\n" for part in parts)
    sources = {f"torch/old/{part}.py": "from torch.new import other\n" for part in parts}
    sources["torch/old/part0.py"] = "from torch.new import wanted\n"
    conn = index_torch(
        {
            "torch/old/__init__.py": f"{stars}__all__ = []\n",
            "torch/new.py": "def wanted(x): return x\ndef other(x): return x\n",
            **sources,
        }
    )
    names = [found.name for found in spellings(conn, "torch.old.wanted")]
    assert names == [*(f"torch.old.{part}.wanted" for part in reversed(parts)), "torch.new.wanted"]


def test_a_star_gives_what_is_called_like_its_module() -> None:
    """torch/ao/quantization/ has a quantize.py with a function of that name."""
    conn = index_torch(
        {
            "torch/ao/__init__.py": "from .quantize import *\n",
            "torch/ao/quantize.py": "__all__ = ['quantize', 'Quantized', 'convert']\n"
            "def quantize(model): return model\ndef convert(model): return model\nclass Quantized: ...\n",
            "torch/user.py": "from torch.ao import quantize\ndef use(m): return quantize(m)\n",
        }
    )
    rows = conn.execute("SELECT target FROM v_edges WHERE source = 'torch.user.use'")
    assert [target for (target,) in rows] == ["torch.ao.quantize.quantize"]
    apis = {api for (api,) in conn.execute("SELECT api FROM v_python_api")}
    assert {"torch.ao.quantize", "torch.ao.convert"} <= apis
    classes = conn.execute("SELECT public_name FROM v_classes WHERE name LIKE '%Quantized'")
    assert [name for (name,) in classes] == ["torch.ao.Quantized"]


def test_names_made_of_strings_and_classes_made_by_calls() -> None:
    conn = index(
        {
            "torch/made.py": """\
import collections
from enum import Enum
def _make(name):
    def fn(a): return a
    return fn
for __name in ("sqrt", "cos"):
    __sym = f"_sym_{__name}"
    __fn = _make(__name)
    globals()[__sym] = __fn
for i in range(2, 4):
    globals()["List" + str(i)] = _make
    globals()[f"Other{i}"] = _make
sym_sqrt = globals()["_sym_sqrt"]
def _export(name: str):
    def wrapper(func):
        globals()[name] = func
        return func
    return wrapper
@some(decorate=[_export("pool1d")])
@some(decorate=[_export("pool2d")])
def _pool(g): ...
Pair = collections.namedtuple("Pair", ["a"])
Kind = Enum("Kind", [])
"""
        }
    )
    rows = conn.execute(
        "SELECT name, kind, target, line FROM python_bindings WHERE kind <> 'import'"
    )
    made = "torch.made._make"
    assert {tuple(row) for row in rows if row["kind"] in ("alias", "call")} == {
        ("__fn", "call", made, 8),
        ("_sym_sqrt", "call", made, 9),
        ("_sym_cos", "call", made, 9),
        ("Other2", "alias", made, 12),
        ("Other3", "alias", made, 12),
        ("sym_sqrt", "alias", "torch.made._sym_sqrt", 13),
        ("pool1d", "alias", "torch.made._pool", 19),
        ("pool2d", "alias", "torch.made._pool", 20),
    }
    rows = conn.execute("SELECT name, bases, line FROM v_classes")
    assert {tuple(row) for row in rows} == {
        ("torch.made.Pair", "tuple", 22),
        ("torch.made.Kind", "enum.Enum", 23),
    }
