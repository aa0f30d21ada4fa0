"""Tests of what an operator refuses, which hardly ever come to its kernels."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.tools import all_tools

_NATIVE = "aten/src/ATen/native"
_FILES = {
    f"{_NATIVE}/native_functions.yaml": (
        "- func: warp(Tensor self) -> Tensor\n  dispatch:\n    CPU: warp_cpu\n"
    ),
    f"{_NATIVE}/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    f"{_NATIVE}/Looms.cpp": (
        "namespace at::native {\nstatic void weave(const Tensor& self) {}\n"
        "static void check_warp(const Tensor& self) {}\n"
        "Tensor warp_cpu(const Tensor& self) { weave(self); check_warp(self); return self; }\n}\n"
    ),
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "test/test_looms.py": (
        "import torch\nfrom torch.testing._internal.common_utils import TestCase\n"
        "class TestLooms(TestCase):\n"
        + "".join(
            f"    def test_{name}(self):\n        torch.warp(1)\n"
            for name in ("one_invalid", "one_sizes")
        )
    ),
}


@pytest.mark.parametrize(
    ("changed", "is_less"), [("at::native::weave", True), ("at::native::check_warp", False)]
)
def test_what_is_refused_tells_less_of_a_kernel(
    tmp_path: Path, changed: str, is_less: bool
) -> None:
    with indexed(_FILES, tmp_path) as conn:
        tests = all_tools()["affected"].ask(conn, names=changed).tests
    weights = {test.name: test.weight for test in tests}
    refused, other = (weights[f"TestLooms.test_one_{name}"] for name in ("invalid", "sizes"))
    assert refused < other if is_less else refused == other
