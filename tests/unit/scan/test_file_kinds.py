"""The kind of a file by its path."""

from __future__ import annotations

import os

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from indexer.scan.files import SUFFIXES, kind_of

PIECES = (".", "..", "/", "a", "x.y", *(f".{suffix}" for suffix in sorted(SUFFIXES)))


@given(st.lists(st.sampled_from(PIECES), max_size=6).map("".join))
@example("a/.cpp")
@example("..py")
@example(".git.d/x")
def test_only_what_is_an_ending_tells(path: str) -> None:
    ending = os.path.splitext(path)[1]
    assert (kind_of(path) is not None) == (ending[1:] in SUFFIXES and ending != "")


@pytest.mark.parametrize(
    ("path", "kind"),
    [("a/b.cuh", "cuda"), ("x.PY", None), ("docs/source/nn.rst", "documentation"), ("docs/nn.rst", None)],
)  # fmt: skip
def test_kinds(path: str, kind: str | None) -> None:
    assert kind_of(path) == kind
