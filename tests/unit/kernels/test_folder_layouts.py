"""A composite operator of sparse tensors has its work done by what others have for sparse tensors."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import ask, text
from tests.unit.support.small_tree import indexed
from torchtalk.answers.base import Place
from torchtalk.tools.kernels.folder_layouts import is_for, layout_of

_NATIVE = "aten/src/ATen/native"
_FILES = {
    f"{_NATIVE}/native_functions.yaml": (
        "- func: _sparse_mix(Tensor self) -> Tensor\n\n"
        "- func: dense_mix(Tensor self) -> Tensor\n\n"
        "- func: mix(Tensor self) -> Tensor\n"
        "  dispatch:\n    CPU: mix_cpu\n    CUDA: mix_cuda\n    SparseCUDA: mix_sparse_cuda\n"
        "    SparseCsrCPU: mix_sparse_csr\n    SparseMeta: mix_sparse_meta\n\n"
        "- func: _sparse_pair(Tensor self) -> Tensor\n  dispatch:\n    SparseCUDA: pair_sparse_cuda\n"
    ),
    f"{_NATIVE}/tags.yaml": "- tag: core\n  desc: x\n",
    f"{_NATIVE}/sparse/SparseMix.cpp": (
        "namespace at::native {\n"
        "Tensor _sparse_mix(const Tensor& self) {\n"
        "  return self.is_sparse() ? at::mix(self) : at::_sparse_pair(self);\n}\n"
        "Tensor mix_sparse_csr(const Tensor& self) { return self; }\n"
        "Tensor mix_sparse_meta(const Tensor& self) { return self; }\n}\n"
    ),
    f"{_NATIVE}/Mix.cpp": (
        "namespace at::native {\n"
        "Tensor dense_mix(const Tensor& self) { return at::mix(self); }\n"
        "Tensor mix_cpu(const Tensor& self) { return self; }\n}\n"
    ),
    f"{_NATIVE}/cuda/Mix.cu": (
        "namespace at::native {\n"
        "Tensor mix_cuda(const Tensor& self) { cublasSgemm(handle); return self; }\n}\n"
    ),
    f"{_NATIVE}/sparse/cuda/SparseMix.cu": (
        "namespace at::native {\n"
        "__global__ void pair_kernel(int n) {}\n"
        "Tensor mix_sparse_cuda(const Tensor& self) { cusparseSpMM(handle); return self; }\n"
        "Tensor pair_sparse_cuda(const Tensor& self) { pair_kernel<<<1, 2>>>(1); return self; }\n}\n"
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("layouts")) as connection:
        yield connection


def _kernels(conn: sqlite3.Connection, name: str) -> list[str]:
    """The keys below the operator that is called, each with its kernel."""
    lines = text(conn, "trace", name=name, focus="dispatch")
    below = lines[[line.strip()[:16] for line in lines].index("calls aten::mix ") + 1 :]
    return [line.strip().partition("  ")[0] for line in below if " -> " in line]


def test_trace_shows_the_kernels_for_the_layout_before_those_for_dense_tensors(
    conn: sqlite3.Connection,
) -> None:
    assert _kernels(conn, "aten::_sparse_mix")[:4] == [
        "SparseCUDA -> at::native::mix_sparse_cuda",
        "SparseCsrCPU -> at::native::mix_sparse_csr",
        "CPU -> at::native::mix_cpu",
        "CUDA -> at::native::mix_cuda",
    ]
    assert _kernels(conn, "aten::dense_mix") == [
        "CPU -> at::native::mix_cpu",
        "CUDA -> at::native::mix_cuda",
    ]


def test_cuda_kernels_has_their_libraries_and_launches(conn: sqlite3.Connection) -> None:
    sparse = ask(conn, "cuda_kernels", name="aten::_sparse_mix")
    assert [(use.library, use.behind) for use in sparse.libraries] == [
        ("cuSPARSE", ("aten::mix for SparseCUDA",)),
        ("cuBLAS", ("aten::mix",)),
    ]
    assert [site.kernel for site in sparse.sites] == ["at::native::pair_kernel"]
    dense = ask(conn, "cuda_kernels", name="aten::dense_mix")
    assert [use.library for use in dense.libraries] == ["cuBLAS"]
    assert not dense.sites


@pytest.mark.parametrize(
    ("file", "layout"),
    [
        (f"{_NATIVE}/sparse/cuda/SparseMix.cu", "Sparse"),
        (f"{_NATIVE}/nested/NestedTensorMath.cpp", "NestedTensor"),
        (f"{_NATIVE}/quantized/cpu/qlinear.cpp", "Quantized"),
        (f"{_NATIVE}/Mix.cpp", ""),
        ("torch/csrc/sparse/x.cpp", ""),
        (None, ""),
    ],
)
def test_the_folder_tells_the_layout(file: str | None, layout: str) -> None:
    assert layout_of([Place(file, 1)]) == layout


def test_which_keys_are_of_a_layout() -> None:
    assert is_for("Sparse", ["SparseMeta", "SparseCsrCUDA"])
    assert not is_for("Sparse", ["SparseMeta", "CPU"])
    assert not is_for("", ["CPU"])
