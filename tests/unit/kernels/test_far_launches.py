"""A kernel behind a long chain of dispatchers, each of which chooses one template argument."""

from __future__ import annotations

from pathlib import Path

from tests.unit.support.small_tree import indexed
from torchtalk.render import to_text
from torchtalk.tools import all_tools

_FILE = "aten/src/ATen/native/cuda/Blend.cu"
_CHOICES = 8


def _source() -> str:
    chain = "".join(
        f"template <bool B> void choose_{n}(int x) {{ choose_{n + 1}<true>(x); }}\n"
        for n in reversed(range(_CHOICES))
    )
    return (
        "namespace at::native {\n"
        f"template <bool B> void choose_{_CHOICES}(int x) {{\n"
        "  using Gemm = cutlass::gemm::device::GemmUniversalAdapter<Kernel<B>>;\n"
        "  Gemm gemm;\n"
        "  auto status = gemm(stream());\n"
        "}\n"
        f"{chain}"
        "Tensor blend_cuda(const Tensor& self) { choose_0<false>(1); return self; }\n"
        "}\n"
    )


def test_trace_and_cuda_kernels_reach_it(tmp_path: Path) -> None:
    files = {
        "version.txt": "2.9.0\n",
        "aten/src/ATen/native/native_functions.yaml": (
            "- func: blend(Tensor self) -> Tensor\n  dispatch:\n    CUDA: blend_cuda\n"
        ),
        "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: core\n",
        "tools/autograd/derivatives.yaml": "- name: blend(Tensor self) -> Tensor\n  self: grad\n",
        _FILE: _source(),
    }
    with indexed(files, tmp_path) as conn:
        traced = to_text(all_tools()["trace"].ask(conn, name="blend"))
        sites = all_tools()["cuda_kernels"].ask(conn, name="blend").sites
    assert f"launches cutlass::gemm::device::GemmUniversalAdapter  at {_FILE}:5" in traced
    assert [(s.kernel, s.launcher) for s in sites] == [
        ("cutlass::gemm::device::GemmUniversalAdapter", f"at::native::choose_{_CHOICES}")
    ]


def test_a_helper_is_not_the_one_for_rocm(tmp_path: Path) -> None:
    native = "aten/src/ATen/native"
    loops = "namespace at::native {{\ntemplate <class F> void gpu_kernel_impl(Iter& iter, const F& f) {{\n{}}}\n}}\n"
    files = {
        f"{native}/native_functions.yaml": "- func: blend(Tensor self) -> Tensor\n  dispatch:\n    CUDA: blend_cuda\n",
        f"{native}/cuda/CUDALoops.cuh": loops.format("  go<<<1, 1>>>(f);\n"),
        f"{native}/cuda/ROCmLoops.cuh": loops.format("  go<<<1, 1>>>(f);\n" * 4),
        f"{native}/cuda/Loops.cuh": "#if !defined(USE_ROCM)\n#include <ATen/native/cuda/CUDALoops.cuh>\n#else\n"
        "#include <ATen/native/cuda/ROCmLoops.cuh>\n#endif\nnamespace at::native {\n"
        "template <class F> void gpu_kernel(Iter& iter, const F& f) {\n  gpu_kernel_impl(iter, f);\n}\n}\n",
    }
    with indexed(files, tmp_path) as conn:
        found = conn.execute(
            "SELECT kernel, kernel_file FROM v_launches WHERE launcher = 'at::native::gpu_kernel'"
        ).fetchall()
    assert [tuple(row) for row in found] == [
        ("at::native::gpu_kernel_impl", f"{native}/cuda/CUDALoops.cuh")
    ]


def test_a_variable_is_no_kernel_of_another_file(tmp_path: Path) -> None:
    """fmha_fprop_kernel_dispatch.cu's `auto kernel = …` is not cuda_half_test.cu's `__global__ void kernel()`."""
    files = {
        "aten/src/ATen/native/native_functions.yaml": "- func: blend(Tensor self) -> Tensor\n",
        "aten/src/ATen/test/half_test.cu": "__global__ void kernel() {}\n__global__ void shown() {}\n"
        "void own() { kernel<<<1, 1>>>(); }\n",
        "aten/src/ATen/native/cuda/shown.cuh": "__global__ void shown();\n",
        "aten/src/ATen/native/cuda/Run.cu": "void run(P p) {\n  auto kernel = p.x ? &a<1> : &a<2>;\n"
        "  kernel<<<p.grid, 1>>>(p);\n  shown<<<1, 2>>>();\n}\n",
        "c10/cuda/Launch.h": "#define RUN_KERNEL(kernel, blocks) \\\n  do { kernel<<<blocks, 1>>>(); } while (0)\n",
    }
    with indexed(files, tmp_path) as conn:
        found = {
            (row["file"].rpartition("/")[2], row["kernel"]): row["kernel_file"]
            for row in conn.execute("SELECT file, kernel, kernel_file FROM v_launches")
        }
    assert found == {
        ("half_test.cu", "kernel"): "aten/src/ATen/test/half_test.cu",
        ("Run.cu", "kernel"): None,
        ("Run.cu", "shown"): "aten/src/ATen/test/half_test.cu",
        ("Launch.h", "kernel"): None,
    }


def test_a_nearer_kernel_hides_no_farther_one(tmp_path: Path) -> None:
    """_flash_attention_forward has kernels that split keys and values, and farther on the other one."""
    near = (
        "__global__ void near_kernel(int* x) {}\nvoid near(int* x) { near_kernel<<<1, 2>>>(x); }\n"
    )
    source = _source().replace("choose_0<false>(1);", "near(1); choose_0<false>(1);")
    files = {
        "version.txt": "2.9.0\n",
        "aten/src/ATen/native/native_functions.yaml": (
            "- func: blend(Tensor self) -> Tensor\n  dispatch:\n    CUDA: blend_cuda\n"
        ),
        "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: core\n",
        _FILE: source.replace("namespace at::native {\n", f"namespace at::native {{\n{near}", 1),
    }
    with indexed(files, tmp_path) as conn:
        traced = to_text(all_tools()["trace"].ask(conn, name="blend"))
        sites = all_tools()["cuda_kernels"].ask(conn, name="blend").sites
    launched = [line.split()[1] for line in traced.splitlines() if "launches " in line]
    assert launched == ["at::native::near_kernel", "cutlass::gemm::device::GemmUniversalAdapter"]
    assert {site.kernel for site in sites} == set(launched)
