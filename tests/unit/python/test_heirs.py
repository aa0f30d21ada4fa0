"""What a class calls of its own objects that only its heirs have."""

from __future__ import annotations

from tests.unit.support.python_torch import index_torch

SOURCES = {
    "torch/base.py": """\
import enum
class Base:
    def step(self):
        if hasattr(self, "closed"):
            self.closed()
        self.open()
        self.__getitem__(0)
    def open(self): ...
class Mixin:
    def run(self):
        self.beside()
        return map(self.beside, ())
    def reset(self):
        super().reset()
        super().__len__()
class Foreign(Unknown):
    def run(self): self.closed()
    def open(self): super().open()
class Near(Foreign, Base):
    def closed(self): ...
def outside(base: Base): base.closed()
""",
    "torch/heirs.py": """\
from torch.base import Base, Mixin
class First(Base):
    def closed(self): ...
    def open(self): ...
    def __getitem__(self, at): ...
class Second(First): ...
class Third(Base):
    def closed(self): ...
class Neighbour:
    def beside(self): ...
    def reset(self): ...
    def __len__(self): ...
class Mixed(Mixin, Neighbour): ...
class Before(Neighbour, Mixin): ...
def elsewhere(base: Base): base.closed()
""",
    "test/test_base.py": "from torch.base import Base\nclass Fake(Base):\n    def closed(self): ...\n",
}


def test_what_only_heirs_have_is_theirs() -> None:
    conn = index_torch(SOURCES)
    rows = conn.execute(
        "SELECT caller.name, c.line, called.name, c.kind FROM python_calls AS c"
        " JOIN python_functions AS caller ON caller.id = c.caller_id"
        " JOIN python_resolutions AS r ON r.target_id = c.target_id"
        " JOIN python_functions AS called ON called.id = r.function_id ORDER BY 1, 2, 3"
    )
    assert [tuple(row) for row in rows] == [
        ("Base.step", 5, "First.closed", 0), ("Base.step", 5, "Near.closed", 0), ("Base.step", 5, "Third.closed", 0),
        ("Base.step", 6, "Base.open", 0),
        # Behind the mixin in its heir's order; not what stands before it, and nothing behind what nobody knows.
        ("Mixin.reset", 14, "Neighbour.reset", 0),
        ("Mixin.run", 11, "Neighbour.beside", 0),
        ("outside", 21, "First.closed", 0), ("outside", 21, "Near.closed", 0), ("outside", 21, "Third.closed", 0),
    ]  # fmt: skip
