"""What a name is given where something stands behind a call, in bodies that are read as text: `v = X(a).m()`."""

from __future__ import annotations

import pytest

from tests.unit.support.python_sources import index

SOURCES = {
    "torch/__init__.py": "",
    "torch/kinds.py": """
from typing import TypeVar, overload
from typing_extensions import Self

T = TypeVar("T", bound="Module")

class Other:
    def run(self): ...

class Module:
    def eval(self: T) -> T: ...
    @overload
    def to(self, device: int) -> Self: ...
    @overload
    def to(self, dtype: str) -> Self: ...
    def to(self, *args):
        return self._apply(args)
    @overload
    def split(self, a: int) -> Other: ...
    @overload
    def split(self, a: str) -> Self: ...
    def split(self, a):
        return self._apply(a)
    def trained(self):
        return self
    def other(self) -> Other: ...
    def unknown(self):
        return anything(self)
    def others(self) -> list[Other]: ...

class Heir(Module):
    def run(self): ...
""",
    "torch/users.py": """
from torch.kinds import Heir
""",
}


@pytest.mark.parametrize(
    ("value", "runs"),
    [
        ("Heir(a)", ["Heir.run"]),
        ("Heir(a).other()", ["Other.run"]),
        ("Heir(\n        a\n    ).other()", ["Other.run"]),
        ("Heir(a).unknown()", []),
        ("Heir(a).split(a)", []),
        ("Heir(a).eval()", ["Heir.run"]),
        ("Heir(a).trained()", ["Heir.run"]),
        ("Heir(a).to(a).eval()", ["Heir.run"]),
        ("Heir(a).to(a).other().unknown()", []),
        ("Heir(a).others()[0]", ["Other.run"]),
        ("Heir(a)[0]", []),
        ("Heir(a)[a][0]", []),
        ("Heir(a) is None", []),
        ("Heir(a) and a", []),
        ("Heir(a) if a else None", ["Heir.run"]),
    ],
)
def test_what_is_given(value: str, runs: list[str]) -> None:
    user = f"def use(a):\n    v = {value}\n    v.run()\n"
    conn = index({**SOURCES, "torch/users.py": SOURCES["torch/users.py"] + user})
    found = conn.execute(
        "SELECT target FROM v_edges WHERE source = 'torch.users.use' AND target GLOB '*.run'"
    )
    assert [target.removeprefix("torch.kinds.") for (target,) in found] == runs
