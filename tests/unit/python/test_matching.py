"""`match` and `except*`: each branch is read by what was known before, and by what its pattern says."""

from __future__ import annotations

import sys

from tests.unit.support.python_sources import read
from tests.unit.support.python_torch import index_torch

_MATCHED = """
from torch import Tensor
from torch.kinds import Count, Tagged, Token, check
def cases(x, kind, t: Tensor):
    match x:
        case Count():
            x.plus()
        case Token(owner=Tagged() as y) | Token(owner=y) if check(kind):
            x.name(), y.tag()
        case Tensor() as v:
            v.relu(), x.top()
        case [Tagged() as first, *rest]:
            first.tag(), rest.plus()
        case {"a": Tagged() as named, **others}:
            named.tag(), others.plus()
        case _ as other:
            other.plus(), check(other)
    x.plus()
def given(t: Tensor, n):
    match n:
        case 1:
            t = Count()
        case Count.least:
            t.relu()
        case _:
            n = t.top()
            return
    t.plus(), n.relu()
def plain(x):
    match x:
        case Count() | Tagged() as y if y:
            x.plus()
        case _:
            x.name()
    x.tag()
"""


def test_cases_are_read_each_by_what_was_known_before_all_and_by_what_its_pattern_says() -> None:
    kinds = (
        "class Count:\n    def plus(self): ...\n    def tag(self): ...\nclass Tagged(Count): ...\n"
        "class Token:\n    owner: Tagged\n    def name(self): ...\ndef check(x): ...\n"
    )
    conn = index_torch({"torch/kinds.py": kinds, "torch/user.py": _MATCHED})
    rows = conn.execute(
        "SELECT DISTINCT p.name, c.line, coalesce(g.name, n.name) FROM python_calls AS c"
        " JOIN python_functions AS p ON p.id = c.caller_id"
        " JOIN python_resolutions AS r ON r.target_id = c.target_id"
        " LEFT JOIN python_functions AS g ON g.id = r.function_id"
        " LEFT JOIN python_natives AS n ON n.id = r.native_id"
        " WHERE coalesce(g.name, n.name) IS NOT NULL AND c.kind = 0 ORDER BY c.line, 3"
    )
    tensor = "torch._C.TensorBase"
    assert [(*row,) for row in rows] == [
        ("cases", 7, "Count.plus"),
        ("cases", 8, "check"),
        ("cases", 9, "Count.tag"),
        ("cases", 9, "Token.name"),
        ("cases", 11, f"{tensor}.relu"),
        ("cases", 11, f"{tensor}.top"),
        ("cases", 13, "Count.tag"),
        ("cases", 15, "Count.tag"),
        ("cases", 17, "check"),
        ("given", 24, f"{tensor}.relu"),
        ("given", 26, f"{tensor}.top"),
        ("given", 28, "Count.plus"),
        ("plain", 32, "Count.plus"),
    ]


def test_what_stands_below_a_case_or_an_exception_group_is_defined() -> None:
    source = (
        "match x:\n    case 1:\n        def one(): ...\n    case _:\n        def other(): ...\n"
    )
    if sys.version_info >= (3, 11):
        source += (
            "try:\n    def tried(): ...\nexcept* ValueError as e:\n    pass\n"
            "def body(t: Tensor):\n    try:\n        one()\n    except* ValueError:\n        other()\n"
        )
    fact = read(f"from torch import Tensor\n{source}", "torch/cased.py")
    names = {"one", "other"} | ({"tried", "body"} if sys.version_info >= (3, 11) else set())
    assert {function.name for function in fact.functions} == names
    called = [call.target for call in fact.calls]
    assert called == (["torch.cased.one", "torch.cased.other"] if len(names) > 2 else [])
