"""diff: public names that one index lists and the other only imports are neither gone nor new."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexer.build import build
from indexer.scan.tree import open_tree
from torchtalk.answers.diff import Change
from torchtalk.tools.diff import diff

_TREE = {
    "torch/__init__.py": "",
    "torch/version.py": "__version__ = '2.9.0'\n",
    "torch/dist.py": "import torch\n__all__ = ['barrier']\n"
    "def barrier():\n    return torch.ops.lib.wait()\n",
}
_LISTED = {
    "torch/onnx/__init__.py": "from torch.onnx.utils import register, moved\n"
    "__all__ = ['register', 'moved', 'gone', 'Dim']\n"
    "def gone(x):\n    return x\ndef Dim(name):\n    return name\n",
    "torch/onnx/utils.py": "def register(name):\n    return name\ndef moved(name):\n    return name\n",
    "torch/onnx/symbols.py": "def floor(g):\n    return g\ndef ceil(g):\n    return g\n",
    "torch/onnx/more.py": "import torch\ndef trunc(g):\n    return g\n"
    "def raises(g):\n    return torch.ops.aten.far(g)\n",
}
_IMPORTED = {
    "torch/onnx/__init__.py": "from ._internal.utils import register\n"
    "from ._internal.utils import renamed as moved\n__all__ = []\n"
    "class Dim:\n    pass\n",
    "torch/onnx/_internal/__init__.py": "",
    "torch/onnx/_internal/utils.py": "def register(name):\n    return name\n"
    "def renamed(name, other):\n    return name\n",
    "torch/onnx/symbols.py": "__all__: list[str] = []\n"
    "from torch.onnx._internal.symbols import *\n",
    "torch/onnx/more.py": "__all__: list[str] = []\nfrom torch.onnx._internal.more import *\n",
    "torch/onnx/_internal/more.py": "def trunc(g):\n    return g\n"
    "def raises(g):\n    raise RuntimeError('removed')\n",
    "torch/onnx/_internal/symbols.py": "__all__ = ['floor']\n"
    "def floor(g):\n    return g\ndef ceil(g):\n    return g\n",
}


def _build(folder: Path, files: dict[str, str], is_installed: bool = True) -> Path:
    yaml = "torchgen/packaged/ATen/native" if is_installed else "aten/src/ATen/native"
    own = {
        f"{yaml}/native_functions.yaml": "- func: far(Tensor self) -> Tensor\n",
        f"{yaml}/tags.yaml": "- tag: core\n  desc: core\n",
    }
    for path, text in {**_TREE, **own, **files}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    build(open_tree(folder), folder.with_suffix(".db"), workers=0)
    return folder.with_suffix(".db")


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("importable")
    return _build(folder / "listed", _LISTED), _build(folder / "imported", _IMPORTED)


def _kinds(old: Path, new: Path) -> dict[str, Change]:
    (found,) = diff(old, new, section="api").sections
    return {change.name: change for change in found.changes}


def test_what_can_still_be_imported_is_not_gone(pair: tuple[Path, Path]) -> None:
    found = _kinds(*pair)
    assert {name: change.kind for name, change in found.items()} == {
        "torch.onnx.Dim": "now a class",
        "torch.onnx.gone": "removed",
        "torch.onnx.moved": "breaking",
        "torch.onnx.register": "no longer listed",
        "torch.onnx.more.raises": "breaking",
        "torch.onnx.more.trunc": "no longer listed",
        # A star brings what __all__ lists.
        "torch.onnx.symbols.ceil": "removed",
        "torch.onnx.utils.moved": "removed",
        "torch.onnx.utils.register": "removed",
    }
    assert found["torch.onnx.more.raises"].details == (
        "can still be imported, and calls nothing",
        "- ends at aten::far",
    )
    assert found["torch.onnx.moved"].details == ("can still be imported", "+ other")
    assert str(found["torch.onnx.register"].new) == "torch/onnx/_internal/utils.py:1"


def test_what_could_be_imported_before_is_not_new(pair: tuple[Path, Path]) -> None:
    found = _kinds(pair[1], pair[0])
    assert found["torch.onnx.register"].kind == "listed now"
    assert found["torch.onnx.register"].details == ("could be imported before",)
    assert found["torch.onnx.Dim"].kind == "was a class"
    assert found["torch.onnx.gone"].kind == "added"


def test_a_function_is_there_whoever_registers_what_it_ends_at(tmp_path: Path) -> None:
    registered = {"torch/csrc/lib.cpp": 'TORCH_LIBRARY(lib, m) { m.def("wait() -> ()"); }\n'}
    checkout = _build(tmp_path / "checkout", registered, is_installed=False)
    package = _build(tmp_path / "package", {})
    for one in ((checkout, package), (package, checkout)):
        assert _kinds(*one) == {}


def test_what_a_type_is_registered_for_goes_on_with_the_old_signature(tmp_path: Path) -> None:
    """As torch.library.impl, which took a Library alone until 2.1."""
    old = {"torch/library.py": "def impl(lib, name, key=''):\n    return lib\n"}
    new = {
        "torch/library.py": "import functools\n@functools.singledispatch\n"
        "def impl(qualname, types, func=None):\n    return func\n"
        "@impl.register\ndef _(lib: int, name, key='', *, more=None):\n    return lib\n"
    }
    found = _kinds(_build(tmp_path / "old", old), _build(tmp_path / "new", new))
    assert found["torch.library.impl"].kind == "compatible"
    assert "+ more = None (keyword)" in found["torch.library.impl"].details


def test_a_module_that_has_another_public_name_is_renamed(tmp_path: Path) -> None:
    nn = "torch/nn/modules/module.py"
    module = {
        "torch/nn/__init__.py": "from .modules.module import Module\n",
        "torch/nn/modules/__init__.py": "",
        nn: "class Module:\n    pass\n",
    }
    fused = "from torch.nn import Module\n__all__ = ['Fused']\nclass Fused(Module):\n"
    here = {**module, "torch/nn/fused.py": f"{fused}    def __init__(self, a): ...\n"}
    there = {
        **module,
        "torch/nn/fused.py": "from torch.ao.fused import Fused\n",
        "torch/ao/__init__.py": "",
        "torch/ao/fused.py": f"{fused}    def __init__(self, a, b=1): ...\n",
    }
    pair = _build(tmp_path / "here", here), _build(tmp_path / "there", there)
    for old, new, how, detail in ((*pair, "now", "+ b = 1"), (*pair[::-1], "was", "- b = 1")):
        (found,) = diff(old, new, section="modules").sections
        kinds = {change.name: (change.kind, change.details) for change in found.changes}
        assert kinds["torch.nn.fused.Fused"] == (
            "renamed" if how == "now" else "breaking",
            (f"{how} torch.ao.fused.Fused", f"__init__: {detail}"),
        )
        assert kinds["torch.ao.fused.Fused"][0] == ("added" if how == "now" else "removed")
