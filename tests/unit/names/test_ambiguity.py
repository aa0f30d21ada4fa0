"""Which candidates of a call are of another name, and not another overload."""

from __future__ import annotations

import pytest

from indexer.link.cpp.ambiguity import CANDIDATES, CLANG, ambiguous

_TEXT = CANDIDATES[0]


@pytest.mark.parametrize(
    ("names", "code", "are_ambiguous"),
    [
        (("a::X::f", "a::X::f"), _TEXT, False),
        (("a::X::f", "b::X::f"), _TEXT, True),
        # Where a file defines a method outside of the namespace that it uses, its name is the end of the other's.
        (("X::f", "a::X::f", "a::X::f"), _TEXT, False),
        (("X::f", "a::X::f", "b::X::f"), _TEXT, True),
        (("a::X::f",), _TEXT, True),
        (("a::X::f",), CLANG, False),
    ],
)
def test_overloads_are_of_one_name(names: tuple[str, ...], code: int, are_ambiguous: bool) -> None:
    rows = [(1, number, 7, code) for number in range(10, 10 + len(names))]
    found = set(ambiguous(rows, dict(enumerate(names, 10)), {1: 5}, {}))
    assert found == ({(number, 1) for _, number, _, _ in rows} if are_ambiguous else set())


@pytest.mark.parametrize(
    ("homes", "code", "are_ambiguous"),
    [
        ((5, 5), _TEXT, False),
        ((5,), _TEXT, False),
        ((5, 6), _TEXT, True),
        ((6,), _TEXT, True),
        # What clang offers it has looked up, and could not tell.
        ((5, 5), CLANG, True),
    ],
)
def test_methods_of_the_caller_s_own_file_are_nobody_else_s(
    homes: tuple[int, ...], code: int, are_ambiguous: bool
) -> None:
    """Unless the caller is a template, which is not among `callers`."""
    rows = [(1, number, 7, code) for number in range(10, 10 + len(homes))]
    names = {number: f"a::X{number}::f" for _, number, _, _ in rows}
    all_of_them = {(number, 1) for _, number, _, _ in rows}
    of = dict(enumerate(homes, 10))
    assert set(ambiguous(rows, names, {1: 5}, of)) == (all_of_them if are_ambiguous else set())
    assert set(ambiguous(rows, names, {}, of)) == all_of_them
