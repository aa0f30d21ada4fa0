"""MKL's functions of vectors, random numbers and transposed copies, and FBGEMM's of whole arrays, end a trace."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexer.extract.cpp.library_calls import library_calls
from indexer.extract.cpp.unit import CppUnit
from tests.unit.support.asking import text
from tests.unit.support.small_tree import indexed

NATIVE = "aten/src/ATen/native"


def found(source: str) -> list[tuple[int, str, str]]:
    return [tuple(call) for call in library_calls(CppUnit("a.cpp", source.encode()))]


@pytest.mark.parametrize(
    ("name", "library"),
    [
        ("vsLn", "MKL"), ("vdErfInv", "MKL"), ("vmcSqrt", "MKL"), ("vzMulI", "MKL"), ("viRngPoisson", "MKL"),
        ("vdRngGaussian", "MKL"), ("mkl_zomatcopy", "MKL"), ("mkl_simatcopy", "MKL"), ("mkl_domatadd", "MKL"),
        ("fbgemm::transpose_simd<float>", "FBGEMM"), ("fbgemm::Float16ToFloat_ref", "FBGEMM"),
        ("fbgemm::FloatToBfloat16_simd", "FBGEMM"), ("fbgemm::FindMinMax", "FBGEMM"),
    ],
)  # fmt: skip
def test_names_of_the_libraries(name: str, library: str) -> None:
    assert found(f"void f(int n) {{\n  {name}(n, n);\n}}\n") == [
        (2, name.partition("<")[0], library)
    ]


@pytest.mark.parametrize(
    "name",
    ["vsln", "vsOwn", "my_vsLn", "vslNewStream", "vslDeleteStream", "mkl_reorder", "mkl_set_num_threads", "vaddq_f32",
     "fbgemm::fbgemmSupportedCPU", "fbgemm::conv_param_t", "vml::vexp"],
)  # fmt: skip
def test_others_are_none(name: str) -> None:
    assert not found(f"void f(int n) {{\n  {name}(n, n);\n}}\n")


_PASTED = """#define STUB(op, mklop, type, of) \\
  template <> inline void v##op(type* x) { \\
    vm##of##mklop(1, x); vm##of##mklop(2, x); \\
    vsLn(x); \\
  }
#define BOTH(op, mklop) STUB(op, mklop, float, s) STUB(op, mklop, double, d)
BOTH(exp, Exp)
BOTH(own, Own)
// BOTH(sinh, Sinh)
"""


def test_names_that_a_macro_pastes_stand_where_it_is_used() -> None:
    """IMPLEMENT_VML_MKL(exp, Exp) of aten/src/ATen/cpu/vml.h; what is written out stands where it is written."""
    assert found(_PASTED) == [(4, "vsLn", "MKL"), (7, "vmsExp", "MKL"), (7, "vmdExp", "MKL")]


_FILES = {
    f"{NATIVE}/native_functions.yaml": (
        "- func: drawn(Tensor self) -> Tensor\n  dispatch:\n    CPU, CUDA: drawn\n"
        "- func: moved(Tensor self) -> Tensor\n  dispatch:\n    CUDA: moved_cuda\n"
        "    CPU: moved_cpu\n"
    ),
    f"{NATIVE}/Drawn.cpp": (
        "namespace at::native {\nDEFINE_DISPATCH(drawn_stub);\n"
        "Tensor drawn(const Tensor& x) { drawn_stub(x.device().type(), x); return x; }\n"
        "void converted(const Tensor& x) { fbgemm::FloatToFloat16_simd(x, x); }\n"
        "Tensor moved_cuda(const Tensor& x) { converted(x); cublasSgemm(x); return x; }\n"
        "Tensor moved_cpu(const Tensor& x) { converted(x); return x; }\n}\n"
    ),
    f"{NATIVE}/cpu/DrawnKernel.cpp": (
        "namespace at::native {\nstatic void drawn_kernel(const Tensor& x) {\n  vdRngExponential(0, x);\n}\n"
        "REGISTER_DISPATCH(drawn_stub, &drawn_kernel);\n}\n"
    ),
    f"{NATIVE}/cuda/Drawn.cu": (
        "namespace at::native {\n__global__ void draw(int n) { }\n"
        "static void drawn_gpu(const Tensor& x) { draw<<<1, 2>>>(3); }\n"
        "REGISTER_DISPATCH(drawn_stub, &drawn_gpu);\n}\n"
    ),
}


def test_what_a_stub_has_for_a_cpu_stands_beside_what_another_launches(tmp_path: Path) -> None:
    """exponential_ has one kernel for both, MKL on a CPU and a launch on CUDA."""
    with indexed(_FILES, tmp_path) as conn:
        drawn = text(conn, "trace", name="drawn", focus="dispatch")
        moved = text(conn, "trace", name="moved", focus="dispatch")
    assert any("launches at::native::draw" in line for line in drawn)
    assert f"    calls MKL: vdRngExponential  at {NATIVE}/cpu/DrawnKernel.cpp:3" in drawn
    # What converts on a CPU alone is no work of a kernel for CUDA, though that calls who may do it.
    calls = [line.strip() for line in moved if line.startswith("    calls")]
    assert sorted(calls) == [
        f"calls FBGEMM: fbgemm::FloatToFloat16_simd  at {NATIVE}/Drawn.cpp:4",
        f"calls cuBLAS: cublasSgemm  at {NATIVE}/Drawn.cpp:5",
    ]
