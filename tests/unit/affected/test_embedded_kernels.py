"""A line of a kernel in a string is that kernel's; what stands around kernels is of all that uses the string."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed

_NATIVE = "aten/src/ATen/native"
_PATH = f"{_NATIVE}/mps/operations/Loom.mm"
# aten/src/ATen/native/mps/operations/BitwiseOps.mm: formatted, so that its brackets are written twice.
_SOURCE = """\
namespace at::native {
static MetalShaderLibrary lib(R"METAL(
#include <metal_stdlib>

kernel void loom_warp(constant uint& length [[buffer(0)]],
                      device {0} *out [[buffer(1)]]) {{
  if (length) {{
    out[0] = 1;
  }}
}}

{0} half_of({0} x) {{
  return x / 2;
}}

kernel void loom_weft(device {0} *out [[buffer(0)]]) {{
  out[0] = half_of(out[0]);
}}

kernel void loom_hem(device {0} *out [[buffer(0)]]) {{
  out[0] = 3;
}}
)METAL");

Tensor& warp_mps(Tensor& x) {
  auto state = lib.getPipelineStateForFunc("loom_warp");
  return x;
}
Tensor& weft_mps(Tensor& x) {
  auto state = lib.getPipelineStateForFunc("loom_weft");
  return x;
}
}
"""
_FILES = {
    f"{_NATIVE}/native_functions.yaml": "".join(
        f"- func: {name}_(Tensor(a!) self) -> Tensor(a!)\n  dispatch:\n    MPS: {name}_mps\n"
        for name in ("warp", "weft")
    ),
    f"{_NATIVE}/tags.yaml": "- tag: core\n  desc: x\n",
    _PATH: _SOURCE,
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "test/test_mps.py": "import torch\nfrom torch.testing._internal.common_utils import TestCase\n\n\n"
    "class TestMPS(TestCase):\n    def test_warp(self):\n        torch.warp_(1)\n\n"
    "    def test_weft(self):\n        torch.weft_(1)\n",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("embedded")) as connection:
        yield connection


def _diff(text: str) -> str:
    lines = _SOURCE.split("\n")
    at = lines.index(text)
    before = "".join(f" {line}\n" for line in lines[at - 1 : at])
    after = "".join(f" {line}\n" for line in lines[at + 1 : at + 2])
    return (
        f"diff --git a/{_PATH} b/{_PATH}\n--- a/{_PATH}\n+++ b/{_PATH}\n@@ -{at},3 +{at},3 @@\n"
        f"{before}-{text}\n+{text} (void)0;\n{after}"
    )


@pytest.mark.parametrize(
    ("line", "changed", "tests"),
    [
        ("                      device {0} *out [[buffer(1)]]) {{", {"loom_warp"}, {"test_warp"}),
        ("    out[0] = 1;", {"loom_warp"}, {"test_warp"}),
        ("  out[0] = half_of(out[0]);", {"loom_weft"}, {"test_weft"}),
        (
            "  return x / 2;",
            {"at::native::warp_mps uses lib", "at::native::weft_mps uses lib"},
            {"test_warp", "test_weft"},
        ),
        # Nobody is known to launch it: who uses the string may, by a name that is put together.
        (
            "  out[0] = 3;",
            {"at::native::warp_mps uses lib", "at::native::weft_mps uses lib"},
            {"test_warp", "test_weft"},
        ),
    ],
)
def test_a_line_of_a_kernel_in_a_string(
    conn: sqlite3.Connection, line: str, changed: set[str], tests: set[str]
) -> None:
    answer = ask(conn, "affected", diff=_diff(line))
    assert {one.name for one in answer.changed} == changed
    assert {test.name.partition(".")[2] for test in answer.tests} == tests
