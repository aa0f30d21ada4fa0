"""Evaluating expressions statically: never wrong, sometimes UNKNOWN, never an exception."""

from __future__ import annotations

import ast
import warnings
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.extract.python.told_values import UNKNOWN, bind, elements, value


def read(text: str, **names: Any) -> Any:
    return value(ast.parse(text, mode="eval").body, names)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("'a' + 'b'", "ab"),
        ("f'p_{n}'", "p_3"),
        ("'%s_%d' % ('a', n)", "a_3"),
        ("'{}.{}'.format('a', 'b')", "a.b"),
        ("[1, *range(2, 4)]", (1, 2, 3)),
        ("list(zip(('a', 'b'), (1, 2)))", (("a", 1), ("b", 2))),
        ("product(('a',), (1, 2))", (("a", 1), ("a", 2))),
        ("{'a': 1}['a']", 1),
        ("{'a': 1, 'b': 2}.items()", (("a", 1), ("b", 2))),
        ("'up' if n == 3 else 'down'", "up"),
        ("'same' if unknown else 'same'", "same"),
        ("n in (1, 3) and not n == 1", True),
        ("None and unknown", None),
        ("unknown or True", UNKNOWN),
        ("'x_' + unknown", UNKNOWN),
        ("'a' if unknown else 'b'", UNKNOWN),
        ("unknown()", UNKNOWN),
        ("f'{unknown}'", UNKNOWN),
        ("lambda: 1", UNKNOWN),
        ("[1, *unknown]", UNKNOWN),
        ("(1, 2)[5]", UNKNOWN),
        ("'%d' % ('a',)", UNKNOWN),
        ("range(10 ** 9)", UNKNOWN),
    ],
)
def test_value(text: str, expected: Any) -> None:
    assert read(text, n=3) == expected


def test_a_long_range_is_not_followed() -> None:
    node = ast.parse("range(n)", mode="eval").body
    assert elements(node, {"n": 1_000_000_000}) is None
    assert elements(node, {"n": 3}) == [0, 1, 2]


def test_binding_unpacks() -> None:
    names: dict[str, Any] = {}
    target = ast.parse("for a, (b, c) in x: pass").body[0].target  # type: ignore[attr-defined]
    bind(target, ("x", ("y", 1)), names)
    assert names == {"a": "x", "b": "y", "c": 1}
    bind(target, UNKNOWN, names)
    assert set(map(repr, names.values())) == {"UNKNOWN"}


_ATOMS = st.sampled_from(
    ["1", "'a'", "n", "unknown", "None", "(1, 'b')", "[n]", "{'k': 2}", "f(n)"]
)


def _larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pair = st.tuples(inner, inner)
    return st.one_of(
        pair.map(lambda p: f"({p[0]} + {p[1]})"),
        pair.map(lambda p: f"({p[0]} % {p[1]})"),
        pair.map(lambda p: f"({p[0]} if {p[1]} else {p[0]})"),
        pair.map(lambda p: f"({p[0]} == {p[1]})"),
        pair.map(lambda p: f"({p[0]} in {p[1]})"),
        pair.map(lambda p: f"({p[0]})[{p[1]}]"),
        pair.map(lambda p: f"zip({p[0]}, {p[1]})"),
        pair.map(lambda p: f"({p[0]} and not {p[1]})"),
        inner.map(lambda p: f"list({p})"),
        inner.map(lambda p: f"str({p})"),
        inner.map(lambda p: f"({p}).format({p})"),
        inner.map(lambda p: f"'{{}}'.format({p})"),
        inner.map(lambda p: f"range({p})"),
    )


@given(st.recursive(_ATOMS, _larger, max_leaves=12))
def test_what_is_known_is_what_python_says(text: str) -> None:
    found = read(text, n=3)
    if found is UNKNOWN or "UNKNOWN" in repr(found):
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # `(1)[1]`: Python warns before it says that it cannot
            truth = eval(text, {"n": 3, "unknown": object(), "f": lambda n: object()})
    except (TypeError, ValueError, LookupError, AttributeError):
        return  # the file could not have been imported
    if isinstance(found, (str, int, bool)) and not isinstance(truth, (zip, range, list)):
        assert truth == found
