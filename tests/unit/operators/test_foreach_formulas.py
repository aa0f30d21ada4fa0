"""Foreach operators have the formulas of what they do to each element, where the tree's generator says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.support.asking import text
from tests.unit.support.small_tree import indexed

_SCHEMAS = (
    "twirl(Tensor self) -> Tensor",
    "blend.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
    "blend.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
    "wipe_(Tensor(a!) self) -> Tensor(a!)",
    "own(Tensor self) -> Tensor",
    "_foreach_twirl(Tensor[] self) -> Tensor[]",
    "_foreach_twirl_(Tensor(a!)[] self) -> ()",
    "_foreach_twirl.much(Tensor[] self, Scalar much) -> Tensor[]",
    "_foreach_blend.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]",
    "_foreach_blend.List(Tensor[] self, Tensor[] other, *, Scalar alpha=1) -> Tensor[]",
    "_foreach_blend_.List(Tensor(a!)[] self, Tensor[] other, *, Scalar alpha=1) -> ()",
    "_foreach_blend.ScalarList(Tensor[] self, Scalar[] scalars) -> Tensor[]",
    "_foreach_wipe_(Tensor(a!)[] self) -> ()",
    "_foreach_own(Tensor[] self) -> Tensor[]",
    "_foreach_own_(Tensor(a!)[] self) -> ()",
    "_foreach_alone(Tensor[] self) -> Tensor[]",
)
_FORMULAS = (
    "twirl(Tensor self) -> Tensor",
    "blend.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
    "blend.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
    "wipe_(Tensor(a!) self) -> Tensor(a!)",
    "own(Tensor self) -> Tensor",
    "_foreach_own(Tensor[] self) -> Tensor[]",
)
_RULES = """def is_foreach_func(f) -> bool:
    return f.func.name.name.base.startswith("_foreach_")

_foreach_with_inplace_ref = {"_foreach_wipe_"}
_skip_argument_len_check = {"_foreach_blend.Scalar"}

def gen_foreach_derivativeinfo(foreach_function, functional_info_by_signature):
    pass
"""
_AUTOGRAD = "torchgen/api/autograd.py"
_FILES = {
    "aten/src/ATen/native/native_functions.yaml": "".join(
        f"- func: {schema}\n  dispatch:\n    CPU: kernel_{at}\n"
        for at, schema in enumerate(_SCHEMAS)
    ),
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: x\n",
    "tools/autograd/derivatives.yaml": "".join(
        f"- name: {schema}\n  self: grad\n" for schema in _FORMULAS
    ),
}
_EXPECTED = {
    "_foreach_twirl": "twirl",
    "_foreach_twirl_": "twirl",
    # It may have fewer arguments; with a list of numbers for a number it may not.
    "_foreach_blend.Scalar": "blend.Scalar",
    "_foreach_blend.List": "blend.Tensor",
    "_foreach_blend_.List": "blend.Tensor",
    "_foreach_wipe_": "wipe_",
    "_foreach_own": "_foreach_own",
    # In place it is not by those of the functional foreach operator (match_differentiability_info).
    "_foreach_own_": "own",
}


@pytest.mark.parametrize(
    ("rules", "expected"), [(_RULES, _EXPECTED), ("", {"_foreach_own": "_foreach_own"})]
)
def test_whose_formulas_they_have(tmp_path: Path, rules: str, expected: dict[str, str]) -> None:
    with indexed({**_FILES, _AUTOGRAD: rules}, tmp_path) as conn:
        rows = conn.execute(
            "SELECT o.name, u.entry FROM derivative_uses AS u JOIN operators AS o ON o.id = u.operator_id"
            " WHERE o.base GLOB '_foreach_*'"
        ).fetchall()
    assert {o.partition("::")[2]: e.partition("::")[2] for o, e in rows} == expected


def test_an_answer_says_whose_they_are(tmp_path: Path) -> None:
    with indexed({**_FILES, _AUTOGRAD: _RULES}, tmp_path) as conn:
        shown = [line.strip() for line in text(conn, "trace", name="aten::_foreach_blend_")]
        own = [line.strip() for line in text(conn, "trace", name="aten::_foreach_own")]
    assert "gradient: formulas of what it does to each element, aten::blend.Tensor" in shown
    assert [line for line in shown if line.startswith("d/d self: grad  tools/autograd/")]
    assert not [line for line in own if line.startswith("gradient: formulas")]
