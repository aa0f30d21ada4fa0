"""trace tells what a registration depends on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.support.asking import text
from tests.unit.support.small_tree import indexed
from torchtalk.render.text import places_built

FILES = {
    "version.txt": "2.6.0\n",
    "aten/src/ATen/native/native_functions.yaml": "- func: f(Tensor self) -> Tensor\n",
    "aten/src/ATen/native/F.cpp": (
        "namespace at::native {\n"
        "Tensor on_vulkan(const Tensor& x) { return x; }\n"
        "Tensor on_ve(const Tensor& x) { return x; }\n"
        "#ifdef USE_VULKAN_API\n"
        'TORCH_LIBRARY_IMPL(aten, Vulkan, m) { m.impl("f", on_vulkan); }\n'
        "#endif\n"
        'TORCH_LIBRARY_IMPL(aten, VE, m) { m.impl("f", on_ve); }\n'
        'TORCH_LIBRARY_IMPL(aten, XPU, m) { m.impl("f", [](const Tensor& x) { return x; }); }\n'
        "}\n"
    ),
    "torch/_native/ops/f/impl.py": (
        "from ... import triton_utils as tu\n"
        "def _cond(x): ...\n"
        "def _impl(x): ...\n"
        "def register_to_dispatch():\n"
        '    tu.register_op_override("aten", "f", "CUDA", cond=_cond, impl=_impl)\n'
    ),
}


def test_conditions_stand_behind_the_registration(tmp_path: Path) -> None:
    with indexed(FILES, tmp_path) as conn:
        answer = text(conn, "trace", name="aten::f")
    lines = {line.split(" -> ")[0].strip(): line for line in answer if " -> " in line}
    assert lines["Vulkan"].endswith("F.cpp:5)  if defined(USE_VULKAN_API)")
    assert lines["VE"].endswith("F.cpp:7)")
    assert "-> a lambda, or made by a call  [impl]  (registered" in lines["XPU"]
    assert lines["CUDA"].endswith(
        "impl.py:5)  when register_to_dispatch() runs, for calls that _cond() accepts"
    )


@pytest.mark.parametrize(
    ("places", "between", "shown"),
    [
        (["a.cu:3"], ", ", "a.cu:3"),
        (["a.cu:3", "a.cu:9", "b.cu:1", "a.cu:4"], ", ", "a.cu:3, 9, b.cu:1, a.cu:4"),
        (["a.cu:3", "a.cu:4", "a.cu:5"], " or ", "a.cu:3 or 4 or 5"),
        (["a.cu:1", *(f"a.cu:{n}" for n in range(3, 8)), "a.cu:9"], ", ", "a.cu:1, 3-7, 9"),
        # What is put together elsewhere, or has no line, stays as it is.
        (["a.cu:3, 4", "a.cu:5"], ", ", "a.cu:3, 4, a.cu:5"),
        (["3", "4", "5", "6"], ", ", "3, 4, 5, 6"),
        ([], ", ", ""),
    ],
)
def test_a_file_is_named_once_for_its_lines(places: list[str], between: str, shown: str) -> None:
    assert places_built(places, [""] * len(places), between) == shown
