"""Statements of modules that make and register something, and what they make it with."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.affected import test_aspects as aspects
from tests.unit.support.asking import affected_by_line
from tests.unit.support.small_tree import indexed

_PRIMS = "torch/_prims/__init__.py"
_REFS = "torch/_refs/__init__.py"
_LOWERING = "torch/_inductor/lowering.py"
FILES = {
    **{path: (aspects._FIXTURES / path).read_text(encoding="utf-8") for path in aspects._COPIED},
    **aspects.FILES,
    _PRIMS: """\
import torch
prim = torch.library.Library("prims", "DEF")
prim_impl = torch.library.Library("prims", "IMPL", "CompositeExplicitAutograd")


def _make_prim(*, schema, impl_aten, doc):
    prim.define(schema)

    def _prim_impl(*args):
        return impl_aten(*args)

    name = schema.split("(")[0]
    prim_impl.impl(name, _prim_impl)
    return getattr(torch.ops.prims, name).default


shear = _make_prim(
    schema="shear(Tensor self) -> Tensor",
    impl_aten=torch.weft,
    doc="",
)
""",
    _REFS: """\
from functools import partial
import torch
import torch._prims as prims
from torch._decomp import register_decomposition
aten = torch.ops.aten


def _make_reference(prim, aten_op, doc=None):
    def _ref(a):
        return prim(a)

    register_decomposition(aten_op)(_ref)
    return _ref


def wrapper(f, kind):
    return f


warp = _make_reference(
    prims.shear,
    aten.warp,
    doc=None,
)
first = 1
wrapped = partial(
    wrapper,
    kind=first,
)


@register_decomposition(aten.weft)
@wrapped
def weft(a):
    return a
""",
    _LOWERING: """\
import torch
aten = torch.ops.aten
lowerings = {}


def register_lowering(op):
    def wrap(f):
        lowerings[op] = f
        return f
    return wrap


def nothing(x):
    return x


register_lowering(
    aten.warp,
)(nothing)
""",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("made")) as connection:
        yield connection


def _ask(conn: sqlite3.Connection, path: str, text: str) -> tuple[list[str], list[str]]:
    answer = affected_by_line(conn, FILES, path, text)
    reached = answer.tests[: answer.selected - answer.by_name]
    changed = [one.name for one in answer.changed]
    return changed, [f"{one.place.file} {one.name}" for one in reached]


@pytest.mark.parametrize("text", ["shear = _make_prim", "impl_aten=torch.weft"])
def test_an_operator_is_defined_by_a_statement_of_several_lines(
    conn: sqlite3.Connection, text: str
) -> None:
    """What another statement makes of it is reached by what it is for: its OpInfo, the operator it decomposes."""
    changed, tests = _ask(conn, _PRIMS, text)
    assert changed == ["prims::shear"]
    assert tests[:2] == [
        "test/test_ops.py 1 generic test for _refs.warp", "test/test_decomp.py 1 generic test for warp",
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["prims.shear,", "    aten.warp,", "doc=None,"])
def test_what_is_assigned_has_an_opinfo_and_decomposes_an_operator(
    conn: sqlite3.Connection, text: str
) -> None:
    changed, tests = _ask(conn, _REFS, text)
    assert changed[0] == "OpInfo _refs.warp"
    assert "aten::warp for its decomposition" in changed
    assert tests[:2] == [
        "test/test_ops.py 1 generic test for _refs.warp", "test/test_decomp.py 1 generic test for warp",
    ]  # fmt: skip


def test_what_a_helper_makes_depends_on_it(conn: sqlite3.Connection) -> None:
    changed, tests = _ask(conn, _PRIMS, "schema.split")
    assert changed == ["torch._prims._make_prim"]
    assert tests[0] == "test/test_ops.py 1 generic test for _refs.warp"


@pytest.mark.parametrize("text", ["wrapped = partial", "kind=first"])
def test_a_decorator_that_is_made(conn: sqlite3.Connection, text: str) -> None:
    changed, tests = _ask(conn, _REFS, text)
    assert changed == ["torch._refs.weft has wrapped"]
    assert "test/test_decomp.py 1 generic test for weft" in tests


def test_a_registration_without_a_name(conn: sqlite3.Connection) -> None:
    changed, _ = _ask(conn, _LOWERING, "    aten.warp,")
    assert changed == ["aten::warp for its lowering"]


def test_a_plain_value_makes_nothing(conn: sqlite3.Connection) -> None:
    changed, _ = _ask(conn, _LOWERING, "lowerings = {}")
    assert changed == ["torch._inductor.lowering.register_lowering uses lowerings"]
