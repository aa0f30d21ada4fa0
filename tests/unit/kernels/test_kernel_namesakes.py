"""A __global__ function and the host function that has its name, and what is called for its arguments' sake."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.support.small_tree import indexed

SCAN = "aten/src/ATen/native/cuda/Fold.cu"
FILES = {
    "version.txt": "2.9.0\n",
    "aten/src/ATen/native/native_functions.yaml": (
        "- func: fold_up(Tensor self) -> Tensor\n  dispatch:\n    CUDA: fold_up_cuda\n"
    ),
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: core\n",
    "tools/autograd/derivatives.yaml": "- name: fold_up(Tensor self) -> Tensor\n  self: grad\n",
    "aten/src/ATen/native/Fold.h": (
        "namespace at::native {\nusing fold_fn = void (*)(const TensorBase&);\nDECLARE_DISPATCH(fold_fn, fold_stub)\n}\n"
    ),
    SCAN: """\
#include <ATen/native/Fold.h>
namespace at::native {
namespace {
template <typename T>
__global__ void fold_kernel(T* p) {
  int i = threadIdx.x;
  p[i] += p[i + 1];
  p[i] += p[i + 2];
  p[i] += p[i + 3];
}
template <typename T>
__global__ void fold_up_cuda(T* p) {
  p[0] = 0;
  p[1] = 1;
  p[2] = 2;
}
template <typename T>
void launch_fold(T* p) {
  fold_kernel<T><<<1, 32>>>(p);
}
} // namespace

void fold_kernel(const TensorBase& self) {
  launch_fold(self.data_ptr());
}

void again(const TensorBase& self) {
  fold_kernel(self);
}

Tensor fold_up_cuda(const Tensor& self) {
  return self;
}

REGISTER_CUDA_DISPATCH(fold_stub, &fold_kernel)
}
""",
    "torch/csrc/stable/ops.h": """\
namespace torch { namespace stable {
inline torch::stable::Tensor empty_of(const torch::stable::Tensor& self, int size) { return self; }
} }
""",
    "test/cpp_extensions/csrc/ext.cpp": """\
#include <torch/csrc/stable/ops.h>
using torch::stable::Tensor;
Tensor mine(Tensor t) {
  return empty_of(t, 1);
}
""",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    yield from _opened(tmp_path_factory.mktemp("namesakes"))


def _opened(folder: Path) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, folder) as connection:
        yield connection


def _line(text: str) -> int:
    return FILES[SCAN].split("\n").index(text) + 1


def calls(conn: sqlite3.Connection, caller: str) -> list[tuple[str, str, int]]:
    rows = conn.execute(
        "SELECT c.callee, c.kind, f.line FROM v_calls AS c JOIN v_functions AS f ON f.id = c.callee_id"
        " WHERE c.caller = ? ORDER BY 1, 3",
        (caller,),
    )
    return [tuple(row) for row in rows]


def test_chevrons_mean_the_kernel_and_a_plain_call_the_host_function(
    index: sqlite3.Connection,
) -> None:
    kernel = _line("__global__ void fold_kernel(T* p) {")
    host = _line("void fold_kernel(const TensorBase& self) {")
    name = "at::native::fold_kernel"
    assert calls(index, "at::native::launch_fold") == [(name, "launch", kernel)]
    assert calls(index, "at::native::again") == [(name, "call", host)]


def test_a_stub_holds_the_host_function(index: sqlite3.Connection) -> None:
    rows = index.execute("SELECT kernel, kernel_line FROM v_stubs WHERE backend = 'CUDA'")
    host = _line("void fold_kernel(const TensorBase& self) {")
    assert [tuple(row) for row in rows] == [("at::native::fold_kernel", host)]


def test_a_dispatch_entry_names_the_host_function(index: sqlite3.Connection) -> None:
    rows = index.execute(
        "SELECT kernel_line FROM v_dispatch WHERE operator = 'aten::fold_up' AND key = 'CUDA'"
    )
    assert [row[0] for row in rows] == [_line("Tensor fold_up_cuda(const Tensor& self) {")]


def test_a_function_of_the_stable_interface_is_found_by_its_arguments(
    index: sqlite3.Connection,
) -> None:
    assert calls(index, "mine") == [("torch::stable::empty_of", "candidate", 2)]
