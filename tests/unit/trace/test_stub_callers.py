"""Stubs behind kernels that choose one of two devices, or leave it to an overload of their own."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import ask, text
from tests.unit.support.small_tree import indexed

_NATIVE = "aten/src/ATen/native"
_FILES = {
    "version.txt": "2.6.0\n",
    f"{_NATIVE}/native_functions.yaml": """
- func: knit(Tensor self) -> Tensor
  dispatch:
    NestedTensorCPU, NestedTensorCUDA: knit
- func: choose(Tensor self) -> Tensor
  dispatch:
    Meta: choose_meta
    CPU: choose_cpu
- func: dye_(Tensor(a!) self, float by) -> Tensor(a!)
  dispatch:
    CPU: dye_
- func: dye_.of(Tensor(a!) self, Tensor by) -> Tensor(a!)
  dispatch:
    CPU: dye_
- func: hem(Tensor self) -> Tensor
  dispatch:
    CPU: hem
""",
    f"{_NATIVE}/Knit.h": "DECLARE_DISPATCH(void (*)(const Tensor&), KnitKernel);\n"
    "DECLARE_DISPATCH(void (*)(const Tensor&), dye_stub);\n",
    f"{_NATIVE}/Knit.cpp": "namespace at::native {\nDEFINE_DISPATCH(KnitKernel);\nDEFINE_DISPATCH(dye_stub);\n"
    "Tensor knit(const Tensor& x) {\n  KnitKernel(\n      x.is_cuda() ? kCUDA : kCPU, x);\n  return x;\n}\n"
    "Tensor& dye_(Tensor& x, double by) { dye_stub(kCPU, x); return x; }\n"
    "Tensor& dye_(Tensor& x, const Tensor& by) { return dye_(x, by.item<double>()); }\n"
    "Tensor choose_meta(const Tensor& x) {\n  if (f(x)) {\n    KnitKernel(\n        at::kCUDA,\n        x);\n  }\n  return x;\n}\n"
    "Tensor choose_cpu(const Tensor& x) { KnitKernel(x.device().type(), x); return x; }\n"
    # A variable may have the name of another function.
    "Tensor hem(const Tensor& x) { return dye_(x, f(x)); }\n}\n",
    f"{_NATIVE}/cpu/KnitKernel.cpp": "namespace at::native {\nvoid knit_cpu(const Tensor& x) {}\n"
    "void dye_cpu(const Tensor& x) {}\n"
    "REGISTER_DISPATCH(KnitKernel, &knit_cpu);\nREGISTER_DISPATCH(dye_stub, &dye_cpu);\n}\n",
    f"{_NATIVE}/cuda/Knit.cu": "namespace at::native {\nvoid knit_cuda(const Tensor& x) {}\n"
    "REGISTER_DISPATCH(KnitKernel, &knit_cuda);\n}\n",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("stubs")) as connection:
        yield connection


def test_a_stub_that_is_called_for_one_of_two_devices(conn: sqlite3.Connection) -> None:
    shown = "\n".join(text(conn, "trace", name="knit"))
    assert "stub at::native::KnitKernel [CPU] -> at::native::knit_cpu" in shown
    assert "stub at::native::KnitKernel [CUDA] -> at::native::knit_cuda" in shown


def test_of_a_kernel_for_no_device_what_its_calls_name_alone(conn: sqlite3.Connection) -> None:
    shown = [line.strip() for line in text(conn, "trace", name="choose")]
    start = next(at for at, line in enumerate(shown) if line.startswith("Meta -> "))
    assert shown[start + 1].startswith(
        "stub at::native::KnitKernel [CUDA] -> at::native::knit_cuda"
    )
    kernels = [line.partition("  ")[0] for line in shown if line.startswith("stub ")]
    assert kernels == [
        "stub at::native::KnitKernel [CUDA] -> at::native::knit_cuda",
        "stub at::native::KnitKernel [CPU] -> at::native::knit_cpu",
    ]


@pytest.mark.parametrize("kernel", ["knit_cpu", "knit_cuda"])
def test_it_runs_the_kernels_of_both(conn: sqlite3.Connection, kernel: str) -> None:
    names = {d.name for d in ask(conn, "impact", name=kernel).dependents}
    assert "at::native::knit" in names


def test_a_kernel_that_leaves_it_to_its_own_overload(conn: sqlite3.Connection) -> None:
    lines = text(conn, "trace", name="dye_.of")
    stub = f"    stub at::native::dye_stub [CPU] -> at::native::dye_cpu  {_NATIVE}/cpu/KnitKernel.cpp:3"
    assert stub in lines
    assert stub not in text(conn, "trace", name="hem")
