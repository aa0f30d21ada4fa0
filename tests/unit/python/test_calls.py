"""Which function or class a call in Python runs."""

from __future__ import annotations

import pytest

from indexer import link
from indexer.workers import WorkerPool
from tests.unit.support.python_torch import index_torch

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
    conn = index_torch({
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


def _edges(files: dict[str, str]) -> set[tuple[str, str, str, int]]:
    conn = index_torch(files)
    with WorkerPool(0) as pool:
        for _, step in link.steps((80, 81)):
            step(conn, pool)
    return {tuple(row) for row in conn.execute("SELECT source, target, kind, line FROM v_edges")}


def test_whoever_uses_a_class_runs_what_nobody_names() -> None:
    edges = _edges({"torch/a.py": """\
class Guard:
    def __enter__(self): ...
    def __exit__(self, *args): ...
    def __repr__(self): ...
@dataclass
class Config:
    def __post_init__(self): ...
class Mode:
    def __torch_dispatch__(self, func, types): ...
def run():
    with Guard():
        Config()
"""})  # fmt: skip
    methods = {(source, target, line) for source, target, kind, line in edges if kind == "method"}
    assert methods == {
        ("torch.a.Guard", "torch.a.Guard.__enter__", 2), ("torch.a.Guard", "torch.a.Guard.__exit__", 3),
        ("torch.a.Config", "torch.a.Config.__post_init__", 7),
        ("torch.a.Mode", "torch.a.Mode.__torch_dispatch__", 9),
    }  # fmt: skip


def test_what_the_fields_of_a_string_call() -> None:
    edges = _edges({"torch/a.py": """\
def folder(x=None): ...
def name(x): ...
def path(key):
    return f"{folder()}/{key}/{{name(key)}}" + rf'{name(key["("])!r:>3}'
def text():
    return f\"\"\"
begins {folder(
        )}
{name(1)} name(2)\"\"\"
def plain():
    return "{folder()}"
"""})  # fmt: skip
    assert {edge for edge in edges if edge[2] == "python"} == {
        ("torch.a.path", "torch.a.folder", "python", 4),
        ("torch.a.path", "torch.a.name", "python", 4),
        ("torch.a.text", "torch.a.name", "python", 9),
    }


def test_who_reads_a_property() -> None:
    edges = _edges({"torch/a.py": """\
class Base:
    @property
    def nodes(self): ...
    @property
    def shape(self): ...
class Graph(Base):
    shape: int = 3
    @property
    def owner(self): ...
    @owner.setter
    def owner(self, value): ...
    def walk(self):
        self.nodes[0].owner
        self.shape
    def give(self):
        self.owner = 1
class Other:
    def see(self, graph: Graph, other):
        return graph.owner == self.owner + other.nodes
"""})  # fmt: skip
    assert {edge for edge in edges if edge[2] == "python"} == {
        ("torch.a.Graph.walk", "torch.a.Base.nodes", "python", 13),
        ("torch.a.Graph.give", "torch.a.Graph.owner", "python", 16),
        ("torch.a.Other.see", "torch.a.Graph.owner", "python", 19),
    }


def test_who_reads_a_property_of_another_files_class() -> None:
    edges = _edges({"torch/a.py": """\
class Nodes:
    @property
    def first(self): ...
class Base:
    @property
    def nodes(self) -> Nodes: ...
    @property
    def kept(self): ...
    def method(self): ...
    plain = 1
class Graph(Base): ...
""", "torch/b.py": """\
from torch.a import Graph
class Heir(Graph):
    def walk(self):
        return self.kept + self.plain
    def keep(self):
        self.nodes = 1
class Holder:
    def __init__(self, graph: Graph):
        self.graph = graph
    def use(self):
        return [self.graph.nodes.first, self.graph.method]
def read(x: Graph, y, nodes: "Graph"):
    made = Graph()
    x.nodes = y.nodes
    x.method()
    return x.plain, nodes.kept, made.nodes(1), made.kept
def follow(x: Graph, t: "Tensor"):
    if x.nodes:
        x.method()
"""})  # fmt: skip
    assert {edge for edge in edges if edge[2] == "python" and edge[1] != "torch.a.Graph"} == {
        ("torch.b.Heir.walk", "torch.a.Base.kept", "python", 4),
        ("torch.b.Holder.use", "torch.a.Base.nodes", "python", 11),
        ("torch.b.Holder.use", "torch.a.Nodes.first", "python", 11),
        ("torch.b.read", "torch.a.Base.method", "python", 15),
        ("torch.b.read", "torch.a.Base.nodes", "python", 16),  # what it gives is called
        ("torch.b.read", "torch.a.Base.kept", "python", 16),
        ("torch.b.follow", "torch.a.Base.nodes", "python", 18),
        ("torch.b.follow", "torch.a.Base.method", "python", 19),
    }


def test_what_a_decorator_puts_into_a_table_may_run_where_it_is_looked_up() -> None:
    edges = _edges({"torch/a.py": """\
_TABLE: Dict[
    type, Callable
] = {}  # what runs for which type
CHECKS = []
OTHER = {}
def register(kind):
    if kind in _TABLE:
        raise RuntimeError
    def decorator(fun):
        _TABLE[kind, 1] = fun
        return fun
    return decorator
def check(run):
    CHECKS.append((1, run))
    return run
def wrapped(run):
    OTHER["last"] = 1
    return run
@register(int)
def of_int(x): ...
@check
@wrapped
def checked(x): ...
def look(kind):
    return _TABLE[kind]
def forget(kind):
    if kind in _TABLE:
        del _TABLE[kind]
def run(kind):
    return look(kind)() + OTHER[kind]
""", "torch/b.py": """\
from torch import a as other
from torch.a import CHECKS, register
@other.register(str)
def of_str(x): ...
@register(float)
@register(bool)
def of_float(x): ...
def test(x):
    return any(run(x) for _, run in CHECKS)
"""})  # fmt: skip
    assert {edge for edge in edges if edge[2] == "candidate"} == {
        ("torch.a.look", "torch.a.of_int", "candidate", 25),
        ("torch.a.look", "torch.b.of_str", "candidate", 25),
        ("torch.a.look", "torch.b.of_float", "candidate", 25),
        ("torch.b.test", "torch.a.checked", "candidate", 9),
    }


def test_a_chain_of_calls_on_a_line_each() -> None:
    edges = _edges({"torch/a.py": """\
class Config:
    def one(self) -> "Config": ...
    def two(self): ...
def make():
    return (
        Config()
        .one()

        .two()
    )
def none(x):
    return [x
        .two()]
"""})  # fmt: skip
    assert {edge for edge in edges if edge[2] == "python"} == {
        ("torch.a.make", "torch.a.Config", "python", 6), ("torch.a.make", "torch.a.Config.one", "python", 7),
        ("torch.a.make", "torch.a.Config.two", "python", 9),
    }  # fmt: skip


VIRTUAL = """\
class Source:
    def name(self): ...
    def uncalled(self): ...
    def forward(self): ...
class Middle(Source): ...
class Attr(Middle):
    def name(self): ...
    def uncalled(self): ...
    def forward(self): ...
class Item(Attr):
    def name(self): ...
def guard(source: Source):
    source.name()
    source.forward()
class Builder:
    def __init__(self, source: Source):
        self.source = source
    def wrap(self):
        self.source = Item()
        return self.source.name()
"""


def test_a_call_of_a_method_may_run_what_overrides_it() -> None:
    edges = _edges({"torch/a.py": VIRTUAL})
    assert {edge for edge in edges if edge[2] == "virtual"} == {
        ("torch.a.Source.name", "torch.a.Attr.name", "virtual", 7),
        ("torch.a.Attr.name", "torch.a.Item.name", "virtual", 11),
    }


def test_an_override_of_two_bases_is_run_by_callers_of_either() -> None:
    text = (
        "class Left:\n    def name(self): ...\nclass Right:\n    def name(self): ...\n"
        "class Both(Left, Right):\n    def name(self): ...\n"
        "def guard(left: Left, right: Right):\n    left.name()\n    right.name()\n"
    )
    found = {edge for edge in _edges({"torch/a.py": text}) if edge[2] == "virtual"}
    assert found == {
        ("torch.a.Left.name", "torch.a.Both.name", "virtual", 6),
        ("torch.a.Right.name", "torch.a.Both.name", "virtual", 6),
    }


def test_what_an_object_holds_is_of_the_class_that_all_are_derived_from() -> None:
    edges = _edges({"torch/a.py": VIRTUAL})
    calls = {edge[1:] for edge in edges if edge[0] == "torch.a.Builder.wrap"}
    assert calls == {("torch.a.Item", "python", 19), ("torch.a.Source.name", "python", 20)}


def test_calls_that_lead_out_of_the_tree_are_counted() -> None:
    conn = index_torch({"torch/a.py": "def f(x):\n    torch_like.g(x)\ndef h():\n    torch.nothing()\n"
                   "    f(1)\nimport torch\n"})  # fmt: skip
    targets = conn.execute("SELECT target FROM python_targets")
    assert [target for (target,) in targets] == ["torch.a.f"]
    rows = conn.execute("SELECT detail FROM v_coverage WHERE layer = 'python' AND file IS NULL")
    assert [d for (d,) in rows] == ["1 calls lead to nothing that this tree defines"]
