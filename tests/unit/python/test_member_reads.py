"""Who reads what a class has and is no method, as the members of an enumeration are."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from indexer.extract.python.calls import CALL, HANDED
from tests.unit.support.asking import ask, text
from tests.unit.support.python_torch import BASE, index_torch
from tests.unit.support.small_tree import indexed

FILES = {
    "torch/policy.py": """from enum import Enum
class Policy(Enum):
    SAVE = 0
    DROP = 1
    def is_save(self): return True
class _Held:
    LIMIT = 3
    class Inner: pass
    @classmethod
    def make(cls): return cls()
def reads(x):
    return x == Policy.SAVE
def values(x):
    return Policy.DROP.value + _Held.LIMIT
def by_default(x=Policy.DROP):
    return x
def methods(xs):
    return map(_Held.make, xs), Policy.__members__, _Held.Inner
def calls(x):
    return Policy(x), Policy.SAVE
def guards(x):
    return x == Policy.is_save or x(Policy.is_save, _Held.make,
        _Held.LIMIT)
def compares(x):
    return x is not Policy.is_save and Policy.is_save == x
def hides(Policy):
    return Policy.SAVE
def typed(x: "torch.Tensor") -> "torch.Tensor":
    return x if Policy.SAVE else x
""",
    "test/test_policy.py": """from unittest import TestCase
import torch.policy
from torch.testing._internal.common_utils import parametrize
class TestPolicy(TestCase):
    def test_save(self):
        self.assertEqual(torch.policy.Policy.SAVE, 0)
    @parametrize("policy", [torch.policy.Policy.DROP])
    def test_given(self, policy): pass
    def test_other(self): pass
""",
}


@pytest.fixture(scope="module")
def linked() -> sqlite3.Connection:
    return index_torch(FILES)


@pytest.mark.parametrize(
    ("reader", "classes"),
    [
        ("reads", ["Policy"]), ("values", ["Policy", "_Held"]), ("by_default", ["Policy"]), ("methods", []),
        ("calls", ["Policy"]), ("hides", []), ("typed", ["Policy"]), ("TestPolicy.test_save", ["Policy"]),
        ("TestPolicy.test_given", ["Policy"]), ("TestPolicy.test_other", []),
    ],
)  # fmt: skip
def test_a_member_is_a_use_of_its_class(
    linked: sqlite3.Connection, reader: str, classes: list[str]
) -> None:
    rows = linked.execute(
        "SELECT k.last FROM python_functions AS p JOIN python_calls AS c ON c.caller_id = p.id"
        " JOIN python_resolutions AS r ON r.target_id = c.target_id"
        " JOIN python_classes AS k ON k.id = r.class_id WHERE p.name = ? ORDER BY 1",
        (reader,),
    )
    assert [row["last"] for row in rows] == classes


@pytest.mark.parametrize(
    ("reader", "methods"),
    [
        ("methods", [("_Held.make", 18)]),
        ("guards", [("Policy.is_save", 22), ("_Held.make", 22)]),
        ("compares", []),
        ("calls", []),
    ],
)
def test_a_method_is_handed_on_by_its_class(
    linked: sqlite3.Connection, reader: str, methods: list[tuple[str, int]]
) -> None:
    rows = linked.execute(
        "SELECT target, line FROM v_edges WHERE source = ? AND target GLOB 'torch.policy.*.*' ORDER BY 1",
        (f"torch.policy.{reader}",),
    )
    assert [(row[0].removeprefix("torch.policy."), row[1]) for row in rows] == methods


def test_to_hand_a_method_on_is_not_to_reach_its_operators() -> None:
    conn = index_torch({"torch/named.py": """from torch import Tensor
class Named:
    def grow(self, x: Tensor): return x.add(1)
def lists():
    return {Named.grow: 1}
def grows(x):
    return Named.grow(Named(), x)
"""})  # fmt: skip
    rows = conn.execute(
        "SELECT p.name, max(c.kind) FROM python_calls AS c JOIN python_functions AS p ON p.id = c.caller_id"
        " JOIN python_resolutions AS r ON r.target_id = c.target_id"
        " JOIN python_functions AS g ON g.id = r.function_id AND g.name = 'Named.grow' GROUP BY 1 ORDER BY 1"
    )
    assert [tuple(row) for row in rows] == [("grows", CALL), ("lists", HANDED)]


def test_its_users_and_tests_are_found(tmp_path: Path) -> None:
    with indexed({**BASE, **FILES}, tmp_path) as conn:
        lines = text(conn, "called_by", name="torch.policy._Held")
        assert any("torch.policy.values" in line and "torch/policy.py:13" in line for line in lines)
        changed = ask(conn, "affected", names="torch/policy.py:4")
        using = {test.name for test in changed.tests if "uses it" in " ".join(test.path)}
        assert using == {"TestPolicy.test_save", "TestPolicy.test_given"}
        assert "2 tests" in text(conn, "find_similar_tests", query="torch.policy.Policy")[0]
