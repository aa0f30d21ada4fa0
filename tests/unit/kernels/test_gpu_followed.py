"""cuda_kernels follows what does the work: stubs of other files, operators that a kernel calls, libraries."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import ask, text
from tests.unit.support.small_tree import indexed

_FILES = {
    "version.txt": "2.6.0\n",
    "aten/src/ATen/native/native_functions.yaml": (
        "- func: waves(Tensor self) -> Tensor\n  dispatch:\n    CUDA: waves_cuda\n"
        "- func: sorted(Tensor self) -> Tensor\n  dispatch:\n    CUDA: sorted_cuda\n"
        "- func: turned(Tensor self) -> Tensor\n  dispatch:\n    CPU, CUDA: turned\n    QuantizedCUDA: turned_quantized\n"
        "- func: handed(Tensor self) -> Tensor\n"
        "- func: wound(Tensor self) -> Tensor\n  dispatch:\n    CPU, CUDA: wound\n"
        "- func: copy(Tensor self) -> Tensor\n  dispatch:\n    CUDA: sorted_cuda\n"
        "- func: packed(Tensor self) -> Tensor\n  dispatch:\n    QuantizedCUDA: packed_quantized\n"
    ),
    "aten/src/ATen/native/Fill.cpp": (
        "namespace at::native {\nDEFINE_DISPATCH(fill_stub);\n"
        "DEFINE_DISPATCH(left_stub);\nDEFINE_DISPATCH(host_stub);\n"
        "void fill_half(const Tensor& x) { fill_stub(x.device().type(), x); }\n"
        "Tensor turned(const Tensor& x) { return at::waves(x); }\n"
        "Tensor handed(const Tensor& x) { return at::turned(x); }\n"
        "Tensor wound(const Tensor& x) { return at::handed(x); }\n}\n"
    ),
    "aten/src/ATen/native/cuda/Waves.cu": (
        "namespace at::native {\n__global__ void filled(int n) { }\n__global__ void ordered(int n) { }\n"
        "static void fill_cuda(const Tensor& x) { filled<<<1, 2>>>(3); }\n"
        "REGISTER_DISPATCH(fill_stub, &fill_cuda);\n"
        "static void left_cuda(const Tensor& x) { at::sorted(x); }\nREGISTER_DISPATCH(left_stub, &left_cuda);\n"
        "static void move(float* x) { thrust::copy(policy, x, x, x); thrust::copy_n(policy, x, 1, x); }\n"
        "static void shift(float* x) { ::cub::DeviceReduce::Sorted(x, x); }\n"
        "Tensor waves_cuda(const Tensor& x) { cufftXtExec(plan, x); fill_half(x); return x; }\n"
        "static void order(const Tensor& x) { ordered<<<1, 2>>>(3); }\n"
        "static void order_later(const Tensor& x) { order(x); }\n"
        "Tensor sorted_cuda(const Tensor& x) { fill_half(x); order_later(x); return x; }\n"
        "Tensor turned_quantized(const Tensor& x) { ordered<<<1, 2>>>(3); cudnnPoolingForward(x); return x; }\n}\n"
    ),
    "aten/src/ATen/native/quantized/cudnn/Packed.cpp": (
        "namespace at::native {\nstruct Packed {\n  virtual Tensor apply(const Tensor& x) { return x; }\n};\n"
        "struct PackedCudnn : public Packed {\n"
        "  Tensor apply(const Tensor& x) override {\n    cudnnBackendExecute(handle, plan);\n    return x;\n  }\n};\n"
        "Tensor packed_quantized(const Tensor& x) {\n  Packed& packed = unpacked(x);\n  return packed.apply(x);\n}\n}\n"
    ),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("followed")) as connection:
        yield connection


def test_what_a_function_of_another_file_has_a_stub_for(conn: sqlite3.Connection) -> None:
    """_fft_r2c_cufft calls _fft_fill_with_conjugate_symmetry_ (aten/src/ATen/native/SpectralOps.cpp)."""
    sites = ask(conn, "cuda_kernels", name="waves").sites
    assert [site.kernel for site in sites] == ["at::native::filled"]


def test_a_kernel_of_its_own_comes_first(conn: sqlite3.Connection) -> None:
    sites = ask(conn, "cuda_kernels", name="sorted").sites
    assert [site.kernel for site in sites] == ["at::native::ordered", "at::native::filled"]


def test_libraries_are_named(conn: sqlite3.Connection) -> None:
    lines = text(conn, "cuda_kernels", name="waves")
    assert any(
        "calls cuFFT: cufftXtExec  at aten/src/ATen/native/cuda/Waves.cu:10" in t for t in lines
    )
    assert not ask(conn, "cuda_kernels", name="sorted").libraries


def test_operators_that_do_the_work_are_followed(conn: sqlite3.Connection) -> None:
    """relu_ runs clamp_min_ on CUDA (aten/src/ATen/native/Activation.cpp); what launches for others ends nothing."""
    answer = ask(conn, "cuda_kernels", name="turned")
    assert answer.operators == ("aten::turned", "aten::waves")
    assert [(site.kernel, site.why) for site in answer.sites] == [
        ("at::native::filled", "behind aten::waves, 2 calls on"),
        ("at::native::ordered", "behind aten::turned for QuantizedCUDA"),
    ]
    assert [use.functions for use in answer.libraries] == [("cufftXtExec",)]


def test_they_are_followed_through_others(conn: sqlite3.Connection) -> None:
    """linalg_inv is four operators above linalg_lu_factor_ex, and one of them is composite."""
    answer = ask(conn, "cuda_kernels", name="wound")
    assert answer.operators == ("aten::wound", "aten::handed", "aten::turned", "aten::waves")


def test_a_library_behind_a_virtual_method_is_named_of_what_has_no_dense_kernel(
    conn: sqlite3.Connection,
) -> None:
    """`quantized::conv2d` has a kernel for QuantizedCUDA, which calls `apply` of packed weights; `turned` has one
    for dense tensors, and is not told by what its other calls."""
    (use,) = ask(conn, "cuda_kernels", name="packed").libraries
    assert (use.library, use.functions) == ("cuDNN", ("cudnnBackendExecute",))
    assert use.behind == ("aten::packed for QuantizedCUDA",)


@pytest.mark.parametrize("name", ["at::native::fill_stub", "fill_stub", "::at::native::fill_stub"])
def test_a_stub_is_followed_by_its_kernels(conn: sqlite3.Connection, name: str) -> None:
    answer = ask(conn, "cuda_kernels", name=name)
    assert [(site.kernel, site.why) for site in answer.sites] == [
        ("at::native::filled", "behind the stub")
    ]
    assert answer.operators == ("at::native::fill_stub",)
    assert not answer.closest


def test_a_stub_whose_kernel_leaves_the_work_to_an_operator(conn: sqlite3.Connection) -> None:
    """lstm_cudnn_stub's kernel calls at::_cudnn_rnn (aten/src/ATen/native/cudnn/RNN.cpp)."""
    answer = ask(conn, "cuda_kernels", name="left_stub")
    assert answer.operators == ("at::native::left_stub", "aten::sorted")
    assert "at::native::ordered" in {site.kernel for site in answer.sites}


def test_a_stub_without_a_kernel_for_a_gpu_says_so(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "cuda_kernels", name="host_stub")
    assert answer.notes == ("at::native::host_stub is a DispatchStub without a kernel for a GPU",)
    assert not answer.sites


_LIBRARY = [
    ("thrust::copy", "thrust::copy", 8),
    ("::thrust::copy", "thrust::copy", 8),
    ("cub::DeviceReduce::Sorted", "::cub::DeviceReduce::Sorted", 9),
    ("::cub::DeviceReduce::Sorted", "::cub::DeviceReduce::Sorted", 9),
    ("DeviceReduce::Sorted", "::cub::DeviceReduce::Sorted", 9),
]


@pytest.mark.parametrize(("name", "kernel", "line"), _LIBRARY)
def test_a_library_has_no_operators(
    conn: sqlite3.Connection, name: str, kernel: str, line: int
) -> None:
    """thrust::copy is no aten::copy, cub's Reduce no operator with reduce in its name, nor thrust::copy a copy_n."""
    answer = ask(conn, "cuda_kernels", name=name)
    assert [(site.kernel, site.place.line) for site in answer.sites] == [(kernel, line)]
    assert not answer.operators
    (called,) = ask(conn, "trace", name=name).elsewhere
    assert called.endswith(f"Waves.cu:{line}")


@pytest.mark.parametrize(
    "name", ["at::copy", "aten::copy", "at::native::copy", "copy", "torch::copy"]
)
def test_an_operator_is_meant_by_its_own_qualifiers(conn: sqlite3.Connection, name: str) -> None:
    assert ask(conn, "cuda_kernels", name=name).operators == ("aten::copy",)


@pytest.mark.parametrize("name", ["std::copy", "at::cuda::cub::copy", "::copy_of"])
def test_others_mean_none(conn: sqlite3.Connection, name: str) -> None:
    assert not ask(conn, "cuda_kernels", name=name).operators


def test_what_is_called_like_an_operator_in_a_library_is_no_operator(
    conn: sqlite3.Connection,
) -> None:
    found = ask(conn, "search", query="thrust::copy")
    assert not found.hits
    assert found.notes[0].startswith("thrust::copy is a function of a library")
    assert "exact name" not in {hit.why for hit in found.others}
    # What nothing is known of may be a slip, and the operator is told by its word alone.
    assert [hit.why for hit in ask(conn, "search", query="thrusd::copy").hits] == [
        "word of the name"
    ]
    assert ask(conn, "search", query="at::copy").hits[0].why == "exact name"


def test_an_operator_taken_for_a_global_name_is_said_to_be(conn: sqlite3.Connection) -> None:
    assert (
        ask(conn, "trace", name="::copy")
        .notes[0]
        .startswith("nothing known stands at file scope as ::copy")
    )
