"""Kernels that a dispatch key has for all operators are said to be so: no operator names them."""

from __future__ import annotations

from pathlib import Path

from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed

_PATH = "aten/src/ATen/ConjugateFallback.cpp"
_FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: f(Tensor self) -> Tensor\n",
    _PATH: """\
namespace at::native {
void helper(int n) {}
static void conjugateFallback(const OperatorHandle& op) { helper(1); }
static void unused(int n) {}
TORCH_LIBRARY_IMPL(_, Conjugate, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&conjugateFallback>());
}
}
""",
}
_SAID = (
    "at::native::conjugateFallback is what every operator runs that has no kernel of its own for Conjugate"
    f" ({_PATH}:6)"
)


def test_a_fallback_says_for_what_it_is_one(tmp_path: Path) -> None:
    with indexed(_FILES, tmp_path) as conn:
        for tool in ("called_by", "impact"):
            notes = ask(conn, tool, name="conjugateFallback").notes
            assert notes.count(_SAID) == 1
            assert not any("nothing in the tree was found" in note for note in notes)
            for other in ("helper", "at::native::unused"):
                assert _SAID not in ask(conn, tool, name=other).notes
        assert any(
            "nothing in the tree was found" in note
            for note in ask(conn, "called_by", name="at::native::unused").notes
        )
        assert _SAID not in ask(conn, "calls", name="conjugateFallback").notes
