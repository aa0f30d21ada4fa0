"""Tests of files that have no word of a device, for changes in native code of that device alone."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.tools import all_tools

_NATIVE = "aten/src/ATen/native"
_CLASS = "from torch.testing._internal.common_utils import TestCase\n"


def _file(name: str, before: str = "", within: str = "") -> str:
    return (
        f"import torch\n{before}{_CLASS}class Test{name}(TestCase):\n"
        f"    def test_warp_of_{name.lower()}(self):\n        {within}torch.warp(1)\n"
    )


_FILES = {
    f"{_NATIVE}/native_functions.yaml": (
        "- func: warp(Tensor self) -> Tensor\n  dispatch:\n"
        "    CPU: warp_cpu\n    CUDA: warp_cuda\n    MPS: warp_mps\n"
    ),
    f"{_NATIVE}/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    f"{_NATIVE}/Looms.cpp": (
        "namespace at::native {\nTensor warp_cpu(const Tensor& self) { return self; }\n}\n"
    ),
    f"{_NATIVE}/cuda/Looms.cu": (
        "namespace at::native {\nTensor warp_cuda(const Tensor& self) { return self; }\n}\n"
    ),
    f"{_NATIVE}/mps/operations/Looms.mm": (
        "namespace at::native {\nTensor warp_mps(const Tensor& self) { return self; }\n}\n"
    ),
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "torch/testing/_internal/common_device_type.py": (
        "def instantiate_device_type_tests(cls, scope, allow_mps=False):\n    pass\n"
    ),
    "torch/testing/_internal/common_cuda.py": "TEST_CUDA = False\n",
    "test/test_plain.py": "import json\n" + _file("Plain", within="json.dumps(1); "),
    "test/test_body.py": _file("Body", within="torch.ones(1).cuda(); "),
    "test/test_imported.py": _file(
        "Imported", "from torch.testing._internal.common_cuda import TEST_CUDA\n"
    ),
    "test/test_made.py": (
        _file("Made", "from torch.testing._internal.common_device_type import *\n")
        + "instantiate_device_type_tests(TestMade, globals())\n"
    ),
    "test/test_made_too.py": (
        _file("MadeToo", "from torch.testing._internal.common_device_type import *\n")
        + "instantiate_device_type_tests(TestMadeToo, globals(), allow_mps=True)\n"
    ),
}
_EVERY = {"Plain", "Body", "Imported", "Made", "MadeToo"}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("module")) as connection:
        yield connection


@pytest.mark.parametrize(
    ("changed", "less"),
    [
        ("at::native::warp_cpu", set()),
        ("at::native::warp_cuda", {"Plain"}),
        ("at::native::warp_mps", _EVERY - {"MadeToo"}),
    ],
)
def test_who_never_speaks_of_a_device_comes_after_who_does(
    conn: sqlite3.Connection, changed: str, less: set[str]
) -> None:
    tests = all_tools()["affected"].ask(conn, names=changed).tests
    weights = {test.name.partition(".")[0].removeprefix("Test"): test.weight for test in tests}
    assert weights.keys() == _EVERY
    others = {name: weight for name, weight in weights.items() if name not in less}
    assert all(weights[name] < min(others.values()) / 2 for name in less)
    assert max(others.values()) < 2 * min(others.values())
