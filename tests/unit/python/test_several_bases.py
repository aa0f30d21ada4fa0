"""What a class that derives from several runs of two methods of one name: the first's, whichever is asked for."""

from __future__ import annotations

from indexer import link
from indexer.workers import WorkerPool
from tests.unit.support.python_torch import index_torch

TEXT = """\
class Base:
    def shared(self): ...
class First(Base):
    def name(self): ...
    def own(self): ...
    def above(self): ...
    def __eq__(self, other): ...
class Second(Base):
    def name(self): ...
    def own(self): ...
    def shared(self): ...
    def unasked(self): ...
class Nearer(Second):
    def above(self): ...
class Both(First, Nearer):
    def own(self): ...
class Far(Base):
    def above(self): ...
class Diamond(Far, Nearer): ...
class Lower(Nearer):
    def name(self): ...
class Again(Nearer, Lower, bound()): ...
def asks(second: Second, nearer: Nearer, base: Base):
    second.name()
    second.own()
    nearer.above()
    base.shared()
"""


def test_the_first_of_several_bases_overrides_the_others() -> None:
    # Not what the class has itself, what only one of them has, and what derives from the other anyway.
    conn = index_torch({"torch/a.py": TEXT})
    with WorkerPool(0) as pool:
        for _, step in link.steps((80, 81)):
            step(conn, pool)
    rows = conn.execute(
        "SELECT source, target, line FROM v_edges WHERE kind = 'virtual' ORDER BY line"
    )
    assert [tuple(row) for row in rows] == [
        ("torch.a.Second.name", "torch.a.First.name", 4),
        ("torch.a.Nearer.above", "torch.a.First.above", 6),
        ("torch.a.Base.shared", "torch.a.Second.shared", 11),
        ("torch.a.Second.own", "torch.a.Both.own", 16),
        ("torch.a.Nearer.above", "torch.a.Far.above", 18),
        ("torch.a.Second.name", "torch.a.Lower.name", 21),
    ]  # fmt: skip


def test_a_class_within_an_heir_stands_for_the_one_of_its_name() -> None:
    """`cls.Worker.current()` of torch/_dynamo/device_interface.py runs the worker of the device."""
    text = """\
class Interface:
    class Worker:
        def current(self): ...
        def unasked(self): ...
    def ask(self):
        return self.Worker.current()
class Cpu(Interface):
    class Worker:
        def current(self): ...
        def unasked(self): ...
    class Other:
        def current(self): ...
class Apart:
    class Worker:
        def current(self): ...
"""
    conn = index_torch({"torch/a.py": text})
    with WorkerPool(0) as pool:
        for _, step in link.steps((80, 81)):
            step(conn, pool)
    rows = conn.execute("SELECT source, target, line FROM v_edges WHERE kind = 'virtual'")
    assert [tuple(row) for row in rows] == [
        ("torch.a.Interface.Worker.current", "torch.a.Cpu.Worker.current", 9)
    ]
