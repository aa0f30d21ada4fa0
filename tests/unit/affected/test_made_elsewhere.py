"""Tests that are made for one device alone, and those that are called like a GPU for changes in the CPU's own code."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed

_NATIVE = "aten/src/ATen/native"
_HEAD = (
    "import torch\nfrom torch.testing._internal.common_utils import TestCase\n"
    "from torch.testing._internal.common_device_type import instantiate_device_type_tests\n"
)


def _class(name: str, given: str = "") -> str:
    made = f"instantiate_device_type_tests({name}, globals(){given})\n"
    return f"class {name}(TestCase):\n    def test_warp(self, device):\n        torch.warp(device)\n{made}\n"


_FILES = {
    f"{_NATIVE}/native_functions.yaml": (
        "- func: warp(Tensor self) -> Tensor\n  dispatch:\n    CPU: warp_cpu\n    CUDA: warp_cuda\n"
        "    MkldnnCPU: warp_mkldnn\n"
    ),
    f"{_NATIVE}/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    **{
        f"{_NATIVE}/{path}": f"namespace at::native {{\nTensor {name}(const Tensor& self) {{ return self; }}\n}}\n"
        for path, name in (
            ("Warp.cpp", "warp_cpu"),
            ("cuda/Warp.cu", "warp_cuda"),
            ("mkldnn/Warp.cpp", "warp_mkldnn"),
        )
    },
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "torch/testing/_internal/common_device_type.py": (
        "def instantiate_device_type_tests(cls, scope, only_for=None):\n    pass\n"
    ),
    "test/test_warp.py": _HEAD
    + _class("TestAny")
    + _class("TestCpuAlone", ', only_for=("cpu")')
    + _class("TestBoth", ', only_for=("cpu", "cuda")')
    + _class("TestGiven", ", only_for='cuda'")
    + _class("TestOfVariable", ", only_for=DEVICES"),
}
_EVERY = {"Any", "CpuAlone", "Both", "Given", "OfVariable"}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("made")) as connection:
        yield connection


@pytest.mark.parametrize(
    ("changed", "never"),
    [
        ("warp_cuda", {"CpuAlone"}),
        # By its folder the CPU's: what is called like a GPU runs nothing of it.
        ("warp_mkldnn", {"Given"}),
        # A file of no device's folder may have code for all.
        ("warp_cpu", set()),
    ],
)
def test_no_test_of_another_device_alone(
    conn: sqlite3.Connection, changed: str, never: set[str]
) -> None:
    answer = ask(conn, "affected", names=f"at::native::{changed}")
    chosen = {test.name.partition(".")[0].removeprefix("Test") for test in answer.tests}
    assert chosen == _EVERY - never
