"""Who reads a property and who sets it, which are two functions of one name."""

from __future__ import annotations

from indexer import link
from indexer.workers import WorkerPool
from tests.unit.support.python_torch import index_torch


def _users(files: dict[str, str], name: str) -> dict[str, list[tuple[str, int]]]:
    """Who runs the functions of one name, by their kind, and where."""
    conn = index_torch(files)
    with WorkerPool(0) as pool:
        for _, step in link.steps((80, 81)):
            step(conn, pool)
    rows = conn.execute(
        "SELECT DISTINCT p.kind, c.name, e.line FROM edges AS e"
        " JOIN python_functions AS p ON p.id * 16 + 4 = e.target AND p.name = ?"
        " JOIN python_functions AS c ON c.id * 16 + 4 = e.source ORDER BY e.line, c.name",
        (name,),
    )
    found: dict[str, list[tuple[str, int]]] = {"property": [], "setter": []}
    for kind, caller, line in rows:
        found[kind].append((caller, line))
    return found


_GRAPHS = """\
class Nodes: ...
class Module:
    @property
    def graph(self) -> "elsewhere.Graph":
        return self._graph
    @graph.setter
    def graph(self, given):
        self._graph = given
    @property
    def fixed(self): ...
    def __init__(self, graph):
        self.graph = graph
class Heir(Module):
    def renew(self):
        self.graph = None
        self.graph.lint()
class Reading(Module):
    @property
    def graph(self): ...
    def keep(self):
        self.graph = 1
"""


def test_what_an_object_of_another_file_s_class_is_given() -> None:
    """As `aot_autograd_gm.graph = cse_graph` in torch/_inductor/freezing.py."""
    user = """\
from torch.a import Heir, Module, Reading
import torch
def freeze(gm: Module, reading: Reading, other):
    gm.graph = other
    gm.graph.first = gm.graph
    if gm.graph == other:
        other.graph = gm.fixed = 2
    reading.graph = other
def follow(gm: Heir, x: "torch.Tensor"):
    gm.graph += 1
    return torch.relu(x)
class Holder:
    def __init__(self, gm: Module):
        self.gm = gm
    def set(self, graph):
        self.gm.graph = graph
"""
    users = _users({"torch/a.py": _GRAPHS, "torch/b.py": user}, "Module.graph")
    assert users["setter"] == [
        ("freeze", 4), ("follow", 10), ("Module.__init__", 12), ("Heir.renew", 15), ("Holder.set", 16),
    ]  # fmt: skip
    assert ("freeze", 5) in users["property"]
    assert ("follow", 10) in users["property"]
    assert not {("freeze", 4), ("Module.__init__", 12), ("Heir.renew", 15)} & {*users["property"]}


def test_what_is_read_is_not_what_sets() -> None:
    """The getter says to return what nobody knows, and the setter stands behind it."""
    user = """\
from torch.a import Module
def look(gm: Module):
    run(gm.graph)
    gm.graph(1)
"""
    users = _users({"torch/a.py": _GRAPHS, "torch/b.py": user}, "Module.graph")
    assert not any(caller == "look" for caller, _ in users["setter"])
    assert {line for caller, line in users["property"] if caller == "look"} == {3, 4}


_WORLD = """\
import torch
class World:
    @property
    def default(self): ...
    @default.setter
    def default(self, value): ...
class Meta(type):
    @property
    def WORLD(cls):
        return _world.default
    @WORLD.setter
    def WORLD(cls, value):
        _world.default = value
class Group(metaclass=Meta): ...
_world = World()
def update(value):
    _world.default = value
def reduce(x: "torch.Tensor"):
    _world.default = _world.default
    return torch.relu(x)
def current():
    return Group.WORLD
def enter(group):
    Group.WORLD = group
def other(Group):
    return Group.WORLD
"""


def test_an_object_of_the_module_in_a_body_that_works_on_tensors() -> None:
    """As `_world.pg_coalesce_state` in `all_reduce`, whose values are followed."""
    users = _users({"torch/c.py": _WORLD}, "World.default")
    assert users["property"] == [("Meta.WORLD", 10), ("reduce", 19)]
    assert users["setter"] == [("Meta.WORLD", 13), ("update", 17), ("reduce", 19)]


def test_a_property_of_a_metaclass_is_read_of_the_class() -> None:
    """As `GroupMember.WORLD` of torch/distributed/distributed_c10d.py."""
    users = _users({"torch/c.py": _WORLD}, "Meta.WORLD")
    assert users == {"property": [("current", 22)], "setter": [("enter", 24)]}


_TRANSFORMS = """\
from functools import cached_property
class Spec:
    @property
    def mesh(self): ...
class Op:
    @cached_property
    def spec(self) -> Spec: ...
    def cost(self): ...
class Transform:
    @property
    def inv(self) -> "Transform": ...
    def __call__(self, x): ...
"""


def test_what_a_property_gives_is_called_at_once() -> None:
    """As `transform.inv(y)` in torch/distributions/transforms.py: both run, where only the call was known."""
    user = """\
from torch.a import Transform
class Both(Transform):
    def __init__(self, parts: list[Transform]):
        self.parts = parts
    def back(self, y):
        for part in self.parts:
            y = part.inv(y)
        run(self.inv)
"""
    files = {"torch/a.py": _TRANSFORMS, "torch/b.py": user}
    assert _users(files, "Transform.inv")["property"] == [("Both.back", 7), ("Both.back", 8)]
    conn = index_torch(files)
    rows = conn.execute(
        "SELECT c.line, c.kind FROM python_calls AS c JOIN python_resolutions AS r ON r.target_id = c.target_id"
        " JOIN python_functions AS p ON p.id = r.function_id AND p.name = 'Transform.__call__'"
    )
    assert [tuple(row) for row in rows] == [(7, 0)]


def test_what_stands_behind_square_brackets() -> None:
    """As `self.strategies[0].output_spec.ndim` in torch/distributed/tensor/_op_schema.py."""
    user = """\
from torch.a import Op
class Strategy:
    def __init__(self, ops: list[Op]):
        self.ops: list[Op] = ops
        self.by_name: dict[str, Op] = {}
    def mesh(self):
        return self.ops[0].spec.mesh
    def set(self):
        self.ops[0].spec = 1
        self.ops[1:].spec
    def named(self, name):
        return self.by_name[name].spec.lay_out()
    def cost(self):
        self.ops[0].cost()
def of(ops: list[Op]):
    return ops[-1].spec
"""
    files = {"torch/a.py": _TRANSFORMS, "torch/b.py": user}
    assert _users(files, "Op.spec")["property"] == [
        ("Strategy.mesh", 7), ("Strategy.named", 12), ("of", 16),
    ]  # fmt: skip
    assert _users(files, "Spec.mesh")["property"] == [("Strategy.mesh", 7)]


def test_what_a_field_of_a_text_reads() -> None:
    """As `f"{self.device_type}"` in torch/distributed/device_mesh.py."""
    user = """\
from torch.a import Op, Spec
def say(op: Op, x):
    return f"op.spec {op.spec.mesh!r:>4} {{op.spec}}" + "{op.spec}"
def said(spec: Spec):
    return f"{{{spec.mesh}}} {spec.mesh=}"
def shown(spec: Spec, op: Op):
    return f'''{1:2.3f}
        {op.spec}'''
def plain(spec: Spec):
    return rb"{spec.mesh}"
"""
    files = {"torch/a.py": _TRANSFORMS, "torch/b.py": user}
    assert _users(files, "Op.spec")["property"] == [("say", 3), ("shown", 8)]
    assert _users(files, "Spec.mesh")["property"] == [("say", 3), ("said", 5)]
