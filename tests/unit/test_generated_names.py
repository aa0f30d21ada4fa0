"""Functions that the generators write around operators, as stack traces name them."""

from __future__ import annotations

import sqlite3

import pytest

from tests.unit.asking import text
from torchtalk.names import resolve
from torchtalk.names.generated import operators_around


@pytest.mark.parametrize(
    ("name", "base", "overload"),
    [
        ("torch::autograd::THPVariable_add", "add", None),
        ("THPVariable_linalg_det", "linalg_det", None),
        ("at::redispatch::add", "add", None),
        ("at::compositeexplicitautogradnonfunctional::add", "add", None),
        ("torch::autograd::VariableType::add_Tensor", "add", "Tensor"),
        ("torch::TraceType::relu_", "relu_", ""),
        ("torch::ADInplaceOrView::cumprod_out_out", "cumprod", "out"),
        ("at::wrapper_CPU_Tensor_add", "add", "Tensor"),
        ("wrapper_CPU_out_cumprod_out", "cumprod", "out"),
        ("wrapper_CUDA__relu_", "relu_", ""),
        ("wrapper_Meta_add_Tensor", "add", "Tensor"),
        ("wrapper_Tensor_add", "add", "Tensor"),
        ("wrapper_CPU_nothing", None, None),
        ("at::native::add", None, None),
    ],
)
def test_what_is_asked_for(name: str, base: str | None, overload: str | None) -> None:
    known = {("add", "Tensor"), ("linalg_det", ""), ("relu_", ""), ("cumprod", "out")}

    def overloads(wanted: str, only: str | None) -> list[sqlite3.Row]:
        found = [(b, o) for b, o in sorted(known) if b == wanted and only in (None, o)]
        return [(b, only) for b, _ in found]  # type: ignore[misc]

    expected = [] if base is None else [(base, overload)]
    assert operators_around(name, overloads) == expected


def test_a_frame_of_a_stack_trace(conn: sqlite3.Connection) -> None:
    frame = "#7 0x7f in torch::autograd::VariableType::(anonymous namespace)::softcap_int(at::Tensor&) ()"
    assert text(conn, "trace", name=frame)[0].startswith("aten::softcap.int: 1 overload")
    found = resolve(conn, "THPVariable_softcap").target
    assert found is not None
    assert found.name == "aten::softcap"


def test_words_are_no_name(conn: sqlite3.Connection) -> None:
    assert "note: this is no name; search and find_similar_tests take words" in text(
        conn, "trace", name="cap soft"
    )
