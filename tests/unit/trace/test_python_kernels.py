"""What kernels in Python call stands below them: of composite ones and of those for a device."""

from __future__ import annotations

from pathlib import Path

from tests.unit.support.asking import text
from tests.unit.support.small_tree import indexed

_FILES = {
    "version.txt": "2.6.0\n",
    "aten/src/ATen/native/native_functions.yaml": "- func: relu(Tensor self) -> Tensor\n"
    "- func: flip(Tensor self) -> Tensor\n",
    "torch/__init__.py": "",
    "torch/library.py": "class Library:\n    pass\ndef impl(*a):\n    pass\n",
    "torch/quilt.py": "import torch\nfrom torch.library import Library, impl\n\n"
    'lib = Library("quilt", "DEF")\n'
    'lib.define("patch(Tensor x) -> Tensor")\n'
    'lib.define("hem(Tensor x) -> Tensor")\n'
    '@impl(lib, "patch", "CompositeExplicitAutograd")\n'
    "def patch(x):\n    torch.flip(x)\n    torch.ops.quilt.patch(x)\n    return _folded(x)\n"
    "def _folded(x):\n    return torch.relu(x)\n"
    '@impl(lib, "hem", "CUDA")\n'
    "def hem(x):\n    return torch.ops.quilt.patch(x)\n"
    '@impl(lib, "hem", "Meta")\n'
    "def hem_meta(x):\n    return torch.relu(x)\n",
}


def test_the_operators_that_a_kernel_in_python_calls(tmp_path: Path) -> None:
    """`_varlen_attn` of torch/nn/attention/varlen.py calls aten::_flash_attention_forward."""
    with indexed(_FILES, tmp_path) as conn:
        lines = text(conn, "trace", name="quilt::patch")
        at = next(n for n, line in enumerate(lines) if "CompositeExplicitAutograd ->" in line)
        assert lines[at + 1] == "    calls aten::flip, aten::relu"
        lines = text(conn, "trace", name="quilt::hem")
        called = [line for line in lines if line.startswith("    calls")]
        assert called == ["    calls quilt::patch"]
