"""An update gives what a full build gives where Vulkan's shaders, or the Python that writes C++, are others."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from indexer.build import build
from indexer.scan.tree import open_tree
from tests.unit.support.index_dump import differences, dump

_VULKAN = "aten/src/ATen/native/vulkan"
_YAML = f"{_VULKAN}/glsl/caps.yaml"
_WRAPPER = "torch/_inductor/wrapper.py"
_SHIM = "torch/csrc/inductor/shim.h"
_FILES = {
    "version.txt": "2.6.0\n",
    "aten/src/ATen/native/native_functions.yaml": "- func: cap(Tensor self) -> Tensor\n",
    f"{_VULKAN}/glsl/cap_op.glsl": "void main() { OP(${OPERATOR}); }\n",
    _YAML: "cap_op:\n  shader_variants:\n    - NAME: cap\n      OPERATOR: X\n",
    f"{_VULKAN}/Caps.cpp": "namespace at { void cap_vulkan() { run(VK_KERNEL(cap)); } }\n",
    "torch/__init__.py": "",
    _WRAPPER: "def write(x):\n    return f'aoti_cap({x});'\n",
    _SHIM: "inline int aoti_cap(int x) { return x; }\n",
}


@pytest.mark.parametrize(
    ("path", "old", "new", "sql", "before", "after"),
    [
        (_YAML, "cap\n", "cup\n", "SELECT count(*) FROM launch_kernels", 2, 0),
        (f"{_VULKAN}/glsl/cap_op.glsl", "void", "\nvoid", "SELECT max(kernel_line) FROM v_launches", 1, 2),
        (_WRAPPER, "aoti_cap", "aoti_cup", "SELECT count(*) FROM v_edges WHERE kind = 'written'", 1, 0),
        (_SHIM, "aoti_cap", "aoti_cup", "SELECT count(*) FROM v_edges WHERE kind = 'written'", 1, 0),
    ],
)  # fmt: skip
def test_an_edit(
    tmp_path: Path, path: str, old: str, new: str, sql: str, before: int, after: int
) -> None:
    tree, target, whole = tmp_path / "tree", tmp_path / "x.db", tmp_path / "whole.db"
    for name, text in _FILES.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
    build(open_tree(tree), target, workers=0)
    assert _value(target, sql) == before
    (tree / path).write_text(_FILES[path].replace(old, new))
    assert build(open_tree(tree), target, workers=0).action == "updated"
    build(open_tree(tree), whole, workers=0, full=True)
    assert differences(dump(target), dump(whole)) == []
    assert _value(target, sql) == after


def _value(database: Path, sql: str) -> int:
    conn = sqlite3.connect(database)
    (value,) = conn.execute(sql).fetchone()
    conn.close()
    return int(value)
