"""Who runs a special method that a class derived from another gives: who calls it on an object of the base."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.tools import all_tools

_FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: pour(Tensor self) -> Tensor\n",
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "torch/optim/__init__.py": "",
    "torch/optim/base.py": """\
class Base:
    def __init__(self, n): ...
    def __setstate__(self, state):
        self.state = state
    def __call__(self, x): ...
    def __eq__(self, other): ...
    def load(self, state):
        self.__init__(1)
        self.__setstate__(state)
""",
    "torch/optim/derived.py": """\
from torch.optim.base import Base
class Left(Base):
    def __init__(self):
        super().__init__(2)
    def __setstate__(self, state):
        super().__setstate__(state)
    def __call__(self, x):
        return super().__call__(x)
    def __eq__(self, other): ...
class Lower(Left):
    def __setstate__(self, state): ...
class Right(Base):
    def __setstate__(self, state):
        Base.__setstate__(self, state)
    def __call__(self, x): ...
""",
    "torch/optim/user.py": """\
from torch.optim.base import Base
def run(one: Base, other):
    return one(other)
def same(one: Base, other):
    return not one.__eq__(other)
""",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("module")) as found:
        yield found


def _users(conn: sqlite3.Connection, name: str, relation: str = "virtual") -> list[str]:
    answer = all_tools()["called_by"].ask(conn, name=f"torch.optim.{name}")
    return [each.name.removeprefix("torch.optim.") for each in answer.neighbours if each.relation == relation]  # fmt: skip


@pytest.mark.parametrize("name", ("Left", "Lower", "Right"))
def test_a_method_called_on_an_object_of_the_base(conn: sqlite3.Connection, name: str) -> None:
    """As `SGD.__setstate__`, which `Optimizer.load_state_dict` runs of its own object."""
    assert _users(conn, f"derived.{name}.__setstate__") == ["base.Base.load"]


def test_who_asks_the_base_s_by_name_or_super_runs_no_other(conn: sqlite3.Connection) -> None:
    assert "derived.Right.__setstate__" not in _users(conn, "derived.Left.__setstate__")
    users = _users(conn, "base.Base.__setstate__", "python")
    assert {"derived.Left.__setstate__", "derived.Right.__setstate__"} <= set(users)


def test_an_object_that_is_called_and_a_parameter_of_the_base_s_class(
    conn: sqlite3.Connection,
) -> None:
    for name in ("Left", "Right"):
        assert _users(conn, f"derived.{name}.__call__") == ["user.run"]
    assert _users(conn, "derived.Left.__eq__") == ["user.same"]


def test_what_makes_an_object_is_the_class_s_own(conn: sqlite3.Connection) -> None:
    assert _users(conn, "derived.Left.__init__") == []
