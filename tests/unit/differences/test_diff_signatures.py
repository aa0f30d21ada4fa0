"""Two signatures compared: what differs, what breaks a caller, and whose signatures count."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from torchtalk.tools.differences.parameters import Param, compare, compare_signatures, python_params
from torchtalk.tools.differences.python import is_public

SELF = Param("self", "Tensor", None)


@pytest.mark.parametrize(
    ("old", "new", "details", "breaking"),
    [
        ([SELF, Param("a", "int", None)], [SELF, Param("a", "SymInt", None)], ["a: int → SymInt"], False),
        ([SELF, Param("a", "int", None)], [SELF, Param("a", "int?", None)], ["a: int → int?"], False),
        ([SELF, Param("a", "int?", None)], [SELF, Param("a", "int", None)], ["a: int? → int"], True),
        ([SELF, Param("a", "int", None)], [SELF, Param("a", "DeviceIndex", None)],
         ["a: int → DeviceIndex"], False),
        ([SELF, Param("a", "int?", "1")], [SELF, Param("a", "Scalar?", "1")], ["a: int? → Scalar?"], False),
        ([SELF, Param("a", "int[]", None)], [SELF, Param("a", "Tensor", None)], ["a: int[] → Tensor"], True),
        ([SELF, Param("a", "int", None)], [SELF, Param("a", "int", "1")], ["a = (required) → 1"], False),
        ([SELF, Param("a", "int", "1")], [SELF, Param("a", "int", None)], ["a = 1 → (required)"], True),
        ([SELF, Param("a", "int", "1")], [SELF, Param("a", "int", "2")], ["a = 1 → 2"], True),
        ([SELF], [SELF, Param("a", "int", None)], ["+ a: int"], True),
        ([SELF], [SELF, Param("a", "int", "1")], ["+ a: int = 1"], False),
        ([Param("z", "int", None)], [Param("a", "float", "1"), Param("z", "int", None)],
         ["+ a: float = 1 (before z)"], True),
        ([SELF, Param("a", "int", "1")], [SELF], ["- a: int = 1"], True),
        ([SELF, Param("a", "int", "1")], [SELF, Param("b", "int", "1")], ["a is now called b"], True),
        ([Param("a", "int", None), SELF], [SELF, Param("a", "int", None)],
         ["order: a, self → self, a"], True),
        ([Param("a", "int", "1")], [Param("a", "int", "1", "keyword")], ["a is now keyword"], True),
        ([Param("a", "int", "1", "keyword")], [Param("a", "int", "1")], ["a is now positional"], False),
        ([Param("a", "Tensor", None)], [Param("a", "Tensor", None, alias="a!")],
         ["a: Tensor → Tensor(a!)"], True),
    ],
)  # fmt: skip
def test_what_breaks_a_schema(
    old: list[Param], new: list[Param], details: list[str], breaking: bool
) -> None:
    difference = compare(old, new, is_schema=True)
    assert (list(difference.details), difference.is_breaking) == (details, breaking)


@pytest.mark.parametrize(
    ("old", "new", "details"),
    [
        ("(self, a, b=1)", "(self, a, b=1)", ()),
        ("(self, a,  b = 1) -> None", "(self, a, b=1)", ()),
        ("(self, a=0)", "(self, a=0.0)", ()),
        ("(self, a)", "(self, a: int)", ("a: (no type) → int",)),
        ("(self, a, b)", "(self, a, *, b)", ("b is now keyword",)),
        ("(self, *args)", "(self, *args, **kwargs)", ("+ **kwargs",)),
        ("(self, a", "(self, b", ("(self, a → (self, b",)),
        ("(self, a", "(self,  a", ()),
    ],
)
def test_python_signatures(old: str, new: str, details: tuple[str, ...]) -> None:
    assert compare_signatures(old, new).details == details


_names = st.lists(st.sampled_from("abcdef"), unique=True, max_size=5)
_params = _names.map(lambda names: [Param(name, "int", "1") for name in names])


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(_params, _params, st.booleans())
def test_equal_lists_have_no_difference_and_others_have(
    old: list[Param], new: list[Param], is_schema: bool
) -> None:
    assert bool(compare(old, new, is_schema).details) == (old != new)


@settings(deadline=None)
@given(st.text(max_size=60))
def test_any_signature_is_compared(text: str) -> None:
    assert compare_signatures(text, text).details == ()
    python_params(text)


@pytest.mark.parametrize(
    ("name", "public"),
    [("torch.add", True), ("torch.Tensor.__add__", True), ("torch._C.add", False),
     ("torch.nn._private", False), ("torch.ops.aten.add", False), ("torch.testing._internal.x", False)],
)  # fmt: skip
def test_public_names(name: str, public: bool) -> None:
    assert is_public(name) == public
