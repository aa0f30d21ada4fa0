"""trace ends at the functions of vendors' libraries, of which no tree has the source."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.extract.cpp.library_calls import library_calls
from indexer.extract.cpp.unit import CppUnit
from indexer.facts.library_calls import LibraryCall
from tests.unit.support.asking import ask, text
from tests.unit.support.endless import ended
from tests.unit.support.small_tree import indexed

_BLAS = """namespace at::cuda::blas {
// cublasHgemm(handle) is no call
static void cublas_own(int x) {
  (void)x;
}
template <typename T>
void product(T* a) { }
template <>
void product<double>(double* a) {
  cublasSetStream(handle, stream);
  TORCH_CUDABLAS_CHECK(cublasDgemm(handle, a));
}
template <>
void product<float>(float* a) {
#ifdef USE_ROCM
  rocblas_sgemm(handle, a);
#else
  cublasSgemm(handle, "cublasCgemm(x)", a);
  cublas_own(1);
#endif
}
}
"""
_NATIVE = """namespace at::native {
#ifdef ACCELERATE
static inline void sgemm_(const Tensor* x) {
  appleblas_sgemm(x);
}
#endif
DEFINE_DISPATCH(solve_stub);
static void inner(const Tensor& x) { at::cuda::blas::product<double>(nullptr); }
Tensor times_cuda(const Tensor& x) { inner(x); return x; }
Tensor times_cpu(const Tensor& x) {
  DimVector dgemm_(3);
  sgemm_(&x); at::cpu::prepared(x);
  return x;
}
Tensor solve(const Tensor& x) { solve_stub(x.device().type(), x); return x; }
static void solve_kernel(const Tensor& x) { cusolverDnXgetrf(handle, x); cusolverDnXgetrf_bufferSize(handle); }
REGISTER_CUDA_DISPATCH(solve_stub, &solve_kernel);
Tensor layered(const Tensor& x) { xnn_run_operator(1); return at::times(x); }
static void magma_own_(int x) {
  (void)x;
}
Tensor drawn(const Tensor& x) { magma_own_(1); cudnn_method(1); magma_dgetrf_gpu(1); return x; }
}
"""
_FILES = {
    "version.txt": "2.6.0\n",
    "aten/src/ATen/native/native_functions.yaml": (
        "- func: times(Tensor self) -> Tensor\n  dispatch:\n    CPU: times_cpu\n    CUDA: times_cuda\n"
        "- func: solve(Tensor self) -> Tensor\n  dispatch:\n    CUDA: solve\n"
        "- func: layered(Tensor self) -> Tensor\n  dispatch:\n    CPU, CUDA: layered\n"
        "- func: drawn(Tensor self) -> Tensor\n  dispatch:\n    CUDA: drawn\n"
    ),
    "aten/src/ATen/cuda/Blas.cpp": _BLAS,
    "aten/src/ATen/native/Times.cpp": _NATIVE,
    "aten/src/ATen/cpu/Prepared.cpp": "namespace at::cpu { void prepared(const Tensor& x) { dgemm_(&x); } }\n",
}


def calls_in(source: str) -> list[LibraryCall]:
    return list(library_calls(CppUnit("a.cpp", source.encode())))


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("libraries")) as connection:
        yield connection


def test_kernels_end_at_what_libraries_do(conn: sqlite3.Connection) -> None:
    lines = text(conn, "trace", name="times")
    assert [line for line in lines if line.startswith("    ")] == [
        "    calls BLAS and LAPACK: sgemm_  at aten/src/ATen/native/Times.cpp:12",
        "    calls BLAS and LAPACK: dgemm_  at aten/src/ATen/cpu/Prepared.cpp:1",
        "    calls cuBLAS: cublasDgemm  at aten/src/ATen/cuda/Blas.cpp:11",
        "    calls rocBLAS: rocblas_sgemm  at aten/src/ATen/cuda/Blas.cpp:16 if defined(USE_ROCM)",
        "    calls cuBLAS: cublasSgemm  at aten/src/ATen/cuda/Blas.cpp:18 if !defined(USE_ROCM)",
    ]


def test_a_gpu_kernel_behind_a_stub_ends_there_too(conn: sqlite3.Connection) -> None:
    assert text(conn, "trace", name="solve")[-1] == (
        "    calls cuSOLVER: cusolverDnXgetrf  at aten/src/ATen/native/Times.cpp:16"
    )


def test_what_a_kernel_launches_besides_hides_no_library(tmp_path: Path) -> None:
    """_fft_r2c_cufft launches what fills in the other half, and calls cuFFT for the rest."""
    files = {
        "aten/src/ATen/native/native_functions.yaml": (
            "- func: waves(Tensor self) -> Tensor\n  dispatch:\n    CUDA: waves_cuda\n"
        ),
        "aten/src/ATen/native/cuda/Waves.cu": (
            "namespace at::native {\n__global__ void fill_half(int n) { }\n"
            "Tensor waves_cuda(const Tensor& x) {\n  cufftXtExec(plan, x);\n"
            "  fill_half<<<1, 2>>>(3);\n  return x;\n}\n}\n"
        ),
    }
    with indexed(files, tmp_path) as connection:
        lines = [line for line in text(connection, "trace", name="waves") if line[:4] == "    "]
    assert [line.partition("  at ")[0].split()[:2] for line in lines] == [
        ["launches", "at::native::fill_half"], ["calls", "cuFFT:"]
    ]  # fmt: skip


def test_a_class_of_the_tree_that_is_called_like_a_function_of_a_library_is_none(
    conn: sqlite3.Connection,
) -> None:
    assert text(conn, "trace", name="drawn")[-1].startswith("    calls MAGMA: magma_dgetrf_gpu  at")


def test_a_way_of_many_calls_is_followed_to_its_end(tmp_path: Path) -> None:
    """Six calls lead from a kernel to what it ends at, and what else they come by is no matter."""
    chain = "".join(
        f"void step{n}(int x) {{ "
        + "".join(f"side{n}_{k}(x); " for k in range(100))
        + f"step{n - 1}(x); }}\n"
        for n in range(1, 8)
    )
    sides = "".join(
        f"static void side{n}_{k}(int x) {{ (void)x; }}\n" for n in range(1, 8) for k in range(100)
    )
    files = {
        "aten/src/ATen/native/native_functions.yaml": (
            "- func: six(Tensor self) -> Tensor\n  dispatch:\n    CUDA: six\n"
            "- func: seven(Tensor self) -> Tensor\n  dispatch:\n    CUDA: seven\n"
        ),
        "aten/src/ATen/native/Chain.cpp": (
            f"namespace at::native {{\n{sides}void step0(int x) {{ cudnnRun(x); }}\n{chain}"
            "Tensor six(const Tensor& x) { step5(1); return x; }\n"
            "Tensor seven(const Tensor& x) { step6(1); return x; }\n}\n"
        ),
    }
    with indexed(files, tmp_path) as connection:
        six, seven = (text(connection, "trace", name=name) for name in ("six", "seven"))
    assert any("calls cuDNN: cudnnRun" in line for line in six)
    assert not any("cudnnRun" in line for line in seven)


def test_a_library_of_one_device_hides_no_operators_of_a_kernel_for_both(
    conn: sqlite3.Connection,
) -> None:
    """_transformer_encoder_layer_fwd ends at XNNPACK on telephones, and runs a dozen operators everywhere."""
    lines = text(conn, "trace", name="layered")
    assert any("calls XNNPACK: xnn_run_operator" in line for line in lines)
    assert any("calls aten::times" in line for line in lines)


def test_a_picture_has_them(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "trace", name="drawn", format="mermaid")
    assert ("at::native::drawn", "magma_dgetrf_gpu", "MAGMA") in {
        (edge.source, edge.target, edge.relation) for edge in answer.picture
    }


def test_they_are_in_the_index(conn: sqlite3.Connection) -> None:
    """Also where the tree is no more there, or another."""
    rows = conn.execute(
        "SELECT library, name, function, line FROM v_library_calls ORDER BY file, line"
    )
    assert [tuple(row) for row in rows] == [
        ("BLAS and LAPACK", "dgemm_", "at::cpu::prepared", 1),
        ("cuBLAS", "cublasDgemm", "at::cuda::blas::product", 11),
        ("rocBLAS", "rocblas_sgemm", "at::cuda::blas::product", 16),
        ("cuBLAS", "cublasSgemm", "at::cuda::blas::product", 18),
        ("BLAS and LAPACK", "sgemm_", "at::native::times_cpu", 12),
        ("cuSOLVER", "cusolverDnXgetrf", "at::native::solve_kernel", 16),
        ("XNNPACK", "xnn_run_operator", "at::native::layered", 18),
        ("MAGMA", "magma_dgetrf_gpu", "at::native::drawn", 22),
    ]


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("cudssExecute(handle, PHASE_SOLVE);\ncudssMatrixDestroy(a);", [(1, "cudssExecute", "cuDSS")]),
        ("cusparseLtMatmul(&handle);\ncusparseLtCompressedSize2(&handle);", [(1, "cusparseLtMatmul", "cuSPARSELt")]),
        ("gloo::AllgatherOptions opts(c);\ngloo::allgather(opts);", [(2, "gloo::allgather", "Gloo")]),
        ("ucc_collective_init(&c);\nucc_collective_post(c);", [(2, "ucc_collective_post", "UCC")]),
        # Names that mean nothing without the header.
        ("namespace fe = cudnn_frontend;\nif (g->execute(handle, pack).is_good()) g->execute(plan);",
         [(2, "g->execute", "cuDNN")]),
        ("if (g->execute(handle, pack).is_good()) return;", []),
        ("using aotriton::v2::flash::attn_fwd;\nerr = attn_fwd(q);\ncublasSgemm(h);",
         [(2, "attn_fwd", "AOTriton"), (3, "cublasSgemm", "cuBLAS")]),
        ("namespace aotriton {\nint attn_fwd(Tensor q);\n}", []),
        ("err = attn_fwd(q);", []),
    ],
)  # fmt: skip
def test_whose_a_call_is(source: str, found: list[tuple[int, str, str]]) -> None:
    assert [tuple(call) for call in calls_in(source)] == found


@given(st.text(alphabet="cublas_dgem(:<> \n\"'/*t", max_size=200))
def test_any_text_is_read(source: str) -> None:
    for call in calls_in(source):
        assert call.name in source
        assert 1 <= call.line <= source.count("\n") + 1


@pytest.mark.parametrize("part", ["cublas", "ideep::", "a ", "cublasA", "sgemm_ ", "d" * 10])
def test_long_lines_are_read(part: str) -> None:
    with ended():
        calls_in(part * 100_000)


def test_tensors_on_a_cpu_end_at_no_library_of_a_gpu(tmp_path: Path) -> None:
    """c10d::allreduce_ has a kernel for each device; all call a virtual method, which NCCL overrides."""
    files = {
        "aten/src/ATen/native/native_functions.yaml": (
            "- func: spread(Tensor self) -> Tensor\n  dispatch:\n    CPU: spread_cpu\n    CUDA: spread_cuda\n"
        ),
        "aten/src/ATen/native/Spread.cpp": (
            "namespace at::native {\n"
            "static Tensor any(const Tensor& x) { ncclAllReduce(x); cblas_sdot(x); return x; }\n"
            "Tensor spread_cpu(const Tensor& x) { return any(x); }\n"
            "Tensor spread_cuda(const Tensor& x) { return any(x); }\n}\n"
        ),
    }
    with indexed(files, tmp_path) as conn:
        lines = text(conn, "trace", name="spread", focus="dispatch")
    named = [line.strip().partition("  at ")[0] for line in lines if " calls " in line]
    assert named == [
        "calls BLAS: cblas_sdot",
        "calls BLAS: cblas_sdot",
        "calls NCCL: ncclAllReduce",
    ]


def test_members_of_a_class_are_no_functions_of_a_library() -> None:
    """WorkNCCL of PyTorch 1.13.1 (torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp)."""
    code = "WorkNCCL::WorkNCCL(int n) : ncclComms_(n), ncclEndEvents_(n) { ncclBcast(n); }\n"
    assert [call.name for call in calls_in(code)] == ["ncclBcast"]


def test_what_fbgemm_makes_a_kernel_for_is_its_work() -> None:
    """aten/src/ATen/native/EmbeddingBag.cpp and what stands around such calls: types, inquiries, parameters."""
    code = (
        "fbgemm::conv_param_t<2> p; if (fbgemm::fbgemmSupportedCPU() && fbgemm::is_radix_sort_accelerated()) {\n"
        "auto k = fbgemm::GenerateEmbeddingSpMDM<float, int>(x);\n"
        "fbgemm::EmbeddingSpMDMKernelSignature<float>::Type t; fbgemm::ReQuantizeOutput<false> r(x);\n"
        "fbgemm::Quantize<uint8_t>(x); fbgemm::QuantizeGroupwise(x); fbgemm::radix_sort_parallel(x);\n}\n"
    )
    assert [call.name for call in calls_in(code)] == [
        "fbgemm::GenerateEmbeddingSpMDM", "fbgemm::Quantize", "fbgemm::QuantizeGroupwise", "fbgemm::radix_sort_parallel",
    ]  # fmt: skip


def test_the_readers_of_files_are_not_loaded_for_an_answer() -> None:
    """They take longer than the answer, of which only the lexer reads C++."""
    code = (
        "import sys, indexer.extract.cpp.lexical; print('indexer.extract.cpp.calls' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_onednns_primitives_are_calls_and_what_describes_them_is_none() -> None:
    source = (
        "void run() {\n"
        "  auto desc = dnnl::matmul::primitive_desc(engine, a, b);\n"
        "  auto primitive = dnnl::matmul(desc);\n"
        "  auto back = dnnl::deconvolution_backward_weights(desc);\n"
        "  auto memory = dnnl::memory(desc); dnnl::stream(engine);\n"
        "  dnnl::gemm_s8s8s32('N', 'N');\n"
        "  dnnl::post_ops ops; dnnl::binary_normalization(ops);\n"
        "}\n"
    )
    assert calls_in(source) == [
        LibraryCall(3, "dnnl::matmul", "oneDNN"),
        LibraryCall(4, "dnnl::deconvolution_backward_weights", "oneDNN"),
        LibraryCall(6, "dnnl::gemm_s8s8s32", "oneDNN"),
    ]


@pytest.mark.parametrize(
    ("key", "is_told"),
    [("MkldnnCPU", True), ("SparseCsrCPU", True), ("XPU", True), ("QuantizedCPU", True),
     ("AutogradCPU", False), ("Meta", False), ("CompositeExplicitAutograd", True)],
)  # fmt: skip
def test_whatever_the_layout_a_device_has_its_libraries(
    tmp_path: Path, key: str, is_told: bool
) -> None:
    files = {
        "aten/src/ATen/native/native_functions.yaml": "- func: press(Tensor self) -> Tensor\n  dispatch:\n    MPS: press_mps\n",
        "aten/src/ATen/native/Press.cpp": (
            "namespace at::native {\n"
            "Tensor pressed(const Tensor& x) { ideep::matmul_forward::compute(x, x); return x; }\n"
            f'TORCH_LIBRARY_IMPL(aten, {key}, m) {{ m.impl("press", pressed); }}\n}}\n'
        ),
    }
    with indexed(files, tmp_path) as connection:
        lines = text(connection, "trace", name="press", focus="dispatch")
    assert any("calls oneDNN: ideep::matmul_forward::compute" in line for line in lines) == is_told


_MANY = """namespace at::native {
static Tensor mine(const Tensor& x) {
#if defined(OF_A_KIND)
  ideep::matmul_forward::compute(x, x);
#endif
  cblas_sdot(1);
  cudnnRun(x);
  return x;
}
Tensor alone(const Tensor& x) { return mine(x); }
Tensor beside(const Tensor& x) { return mine(x); }
Tensor beside_cpu(const Tensor& x) { return x; }
Tensor beside_cuda(const Tensor& x) { return x; }
Tensor some(const Tensor& x) {
#if defined(C10_MOBILE)
  if (x.dim() == 2) return at::native::handy(x);
#endif
  return either(x);
}
static Tensor either(const Tensor& x) {
#if defined(USE_ROCM)
  if (x.dim() == 3) return by_type<float>(x);
#endif
  return by_type<double>(x);
}
template <> Tensor by_type<float>(const Tensor& x) { cblas_sgemm(x); return x; }
template <> Tensor by_type<double>(const Tensor& x) { cblas_dgemm(x); return x; }
}
"""


def test_a_composite_kernel_ends_at_the_libraries_of_devices_that_have_no_other(
    tmp_path: Path,
) -> None:
    """mkldnn_convolution has one kernel for any key; c10d::allreduce_ of PyTorch 1.13 two more, for CPU and CUDA."""
    files = {
        "aten/src/ATen/native/native_functions.yaml": (
            "- func: alone(Tensor self) -> Tensor\n  dispatch:\n    CompositeExplicitAutograd: alone\n"
            "- func: beside(Tensor self) -> Tensor\n  dispatch:\n    CPU: beside_cpu\n"
            "    CompositeExplicitAutograd: beside\n"
            "- func: some(Tensor self) -> Tensor\n"
        ),
        "aten/src/ATen/native/Many.cpp": _MANY,
        "aten/src/ATen/native/Handy.cpp": (
            "namespace at::native {\nTensor handy(const Tensor& x) { xnn_run_operator(x); return x; }\n}\n"
        ),
    }
    with indexed(files, tmp_path) as conn:
        alone, beside, some = (
            [
                line.strip().partition(": ")[2]
                for line in text(conn, "trace", name=name, focus="dispatch")
                if line.startswith("    calls ")
            ]
            for name in ("alone", "beside", "some")
        )
    here = "at aten/src/ATen/native/Many.cpp"
    assert alone == [
        f"ideep::matmul_forward::compute  {here}:4 if defined(OF_A_KIND)",
        f"cblas_sdot  {here}:6",
        f"cudnnRun  {here}:7",
    ]
    assert beside == [f"cudnnRun  {here}:7"]
    # What telephones have is said to be theirs; which of two specializations is ROCm's is not known for sure.
    assert some == [
        "xnn_run_operator  at aten/src/ATen/native/Handy.cpp:2 if defined(C10_MOBILE)",
        f"cblas_sgemm, cblas_dgemm  {here}:26, 27",
    ]
