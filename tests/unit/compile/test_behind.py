"""What compile_path says of the operators that a composite one calls."""

from __future__ import annotations

from pathlib import Path

from tests.unit.support.small_tree import indexed
from torchtalk.render.text import to_text
from torchtalk.tools import all_tools

_NATIVE = "aten/src/ATen/native"
FILES = {
    f"{_NATIVE}/native_functions.yaml": """\
- func: warp(Tensor self) -> Tensor
- func: _warp(Tensor self) -> Tensor
  dispatch:
    CPU: _warp_cpu
- func: blank.names(int[] size, *, Dimname[]? names) -> Tensor
  dispatch:
    CPU: blank_names
- func: blank(int[] size) -> Tensor
  dispatch:
    CPU: blank
""",
    f"{_NATIVE}/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    f"{_NATIVE}/Warp.cpp": """\
namespace at::native {
Tensor warp(const Tensor& self) {
  at::blank({2});
  return at::_warp(self);
}
}
""",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "torch/_inductor/lowering.py": """\
import torch
aten = torch.ops.aten
lowerings = {}
def fallback_handler(kernel, add_to_fallback_set=True):
    def handler(*args, **kwargs):
        return kernel
    return handler
def register_lowering(aten_fn):
    return lambda fn: fn
def make_fallback(op):
    return register_lowering(op)(fallback_handler(op))
make_fallback(aten._warp)
make_fallback(aten.blank.names)
@register_lowering(aten.blank.default)
def blank(size):
    return size
""",
}


def test_a_fallback_stands_where_it_is_registered_and_the_default_overload_is_meant(
    tmp_path: Path,
) -> None:
    """As `torch.cdist` calls `at::zeros(…)`, of which aten::zeros.names falls back and stands first in the YAML."""
    with indexed(FILES, tmp_path) as conn:
        lines = to_text(all_tools()["compile_path"].ask(conn, name="aten::warp")).split("\n")
    behind = lines[lines.index("what it is decomposed into, and what becomes of that") + 1 :]
    lowering = "torch/_inductor/lowering.py"
    assert sorted(behind[:2]) == [
        f"  aten::_warp [not Core ATen] falls back: Inductor calls the eager kernel  {lowering}:12",
        "  aten::blank [not Core ATen] Inductor lowers it with torch._inductor.lowering.blank"
        f"  {lowering}:15",
    ]


def test_a_version_without_the_tag_has_no_core_aten(tmp_path: Path) -> None:
    """PyTorch 1.13.1 has seven tags, of which none is `core` (aten/src/ATen/native/tags.yaml)."""
    tags = {f"{_NATIVE}/tags.yaml": "- tag: view_copy\n  desc: |\n    Copies.\n"}
    with indexed(FILES | tags, tmp_path) as conn:
        text = to_text(all_tools()["compile_path"].ask(conn, name="aten::warp"))
    assert "not Core ATen" not in text
    assert "  level: composite (CompositeImplicitAutograd)\n" in text
    assert "  aten::_warp [operator of aten] falls back" in text
    assert "note: this version has no Core ATen: tags.yaml has no tag `core`" in text
