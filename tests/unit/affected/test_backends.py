"""A change of a kernel for one backend: its own tests come first, and where no other can run it, are all there is."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed

_NATIVE = "aten/src/ATen/native"
_CASE = (
    "import torch\nfrom torch.testing._internal.common_utils import TestCase\n\n\n"
    "class Test{}(TestCase):\n    def {}(self):\n        {}\n"
)
FILES = {
    f"{_NATIVE}/native_functions.yaml": (
        "- func: silk1d(Tensor self) -> Tensor\n  dispatch:\n    CPU: silk_cpu\n    QuantizedCPU: silk_quantized\n"
        "    Vulkan: silk_vulkan\n"
    ),
    f"{_NATIVE}/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "version.txt": "2.6.0\n",
    f"{_NATIVE}/Silk.cpp": (
        "namespace at::native {\nTensor silk_cpu(const Tensor& self) { return self; }\n"
        "Tensor silk_quantized(const Tensor& self) { return self; }\n}\n"
    ),
    f"{_NATIVE}/vulkan/ops/Silk.cpp": (
        "namespace at::native {\nTensor silk_vulkan(const Tensor& self) { return self; }\n}\n"
    ),
    "torch/__init__.py": "",
    "test/test_silk.py": _CASE.format("Silk", "test_silk1d", "torch.silk1d(1)"),
    "test/test_tracing.py": _CASE.format("Tracing", "test_trace", "torch.ops.aten.silk1d.default(1)"),
    "test/quantization/test_loom.py": _CASE.format("Looms", "test_it", "torch.silk1d(1)"),
    "torch/testing/__init__.py": "",
    "torch/testing/_internal/__init__.py": "",
    "torch/testing/_internal/common_utils.py": "import unittest\n\n\nclass TestCase(unittest.TestCase):\n    pass\n",
}  # fmt: skip


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("backends")) as connection:
        yield connection


def test_those_of_the_backend_come_first(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "affected", names="at::native::silk_quantized")
    assert [one.place.file for one in answer.tests] == [
        "test/quantization/test_loom.py", "test/test_silk.py", "test/test_tracing.py",
    ]  # fmt: skip


def test_what_all_run_has_no_such_order(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "affected", names="at::native::silk_cpu")
    assert answer.tests[0].place.file == "test/test_silk.py"


def test_no_other_test_runs_a_kernel_for_vulkan(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "affected", names="at::native::silk_vulkan")
    assert answer.reached == 0
    assert "at::native::silk_vulkan leads to no test that is known" in answer.notes
