"""DispatchStubs: every form of declaring, registering and using them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.extract.cpp.scopes import Scopes, declared_name
from indexer.extract.cpp.stubs import stubs
from indexer.extract.cpp.unit import CppUnit
from indexer.facts.stubs import StubDeclaration, StubRegistration, StubUse
from tests.unit.support.cpp_text import TOKENS
from tests.unit.support.tries import tries
from torchtalk.tools.kernels import entries as kernels


def read(text: str, path: str = "native/cpu/A.cpp") -> list[object]:
    return list(stubs(CppUnit(path, text.encode())))


def registrations(text: str, path: str = "native/cpu/A.cpp") -> list[StubRegistration]:
    return [fact for fact in read(text, path) if isinstance(fact, StubRegistration)]


def uses(text: str) -> list[StubUse]:
    return [fact for fact in read(text, "native/A.cpp") if isinstance(fact, StubUse)]


def test_declaration_and_definition() -> None:
    found = read(
        "namespace at::native {\n"
        "using fn = void (*)(int);\n"
        "DECLARE_DISPATCH(fn, one_stub);\n"
        "DECLARE_DISPATCH(\n    void (*)(const Tensor&, std::pair<int, int>),\n    two_stub)\n"
        "namespace inner { DEFINE_DISPATCH(three_stub); }\n"
        "}\n"
    )
    assert found == [
        StubDeclaration("at::native::one_stub", "declare", "fn", "", "native/cpu/A.cpp", 3),
        StubDeclaration(
            "at::native::two_stub",
            "declare",
            "void (*)(const Tensor&, std::pair<int, int>)",
            "",
            "native/cpu/A.cpp",
            4,
        ),
        StubDeclaration("at::native::inner::three_stub", "define", "", "", "native/cpu/A.cpp", 7),
    ]


@pytest.mark.parametrize(
    ("path", "form", "backend"),
    [
        ("native/cpu/A.cpp", "REGISTER_DISPATCH(s_stub, &k)", "CPU"),
        ("native/cuda/A.cu", "REGISTER_DISPATCH(s_stub, &k)", "CUDA"),
        ("native/mps/A.mm", "REGISTER_DISPATCH(s_stub, &k)", "MPS"),
        ("native/A.cpp", "REGISTER_ALL_CPU_DISPATCH(s_stub, &k)", "CPU"),
        ("native/A.cpp", "REGISTER_ARCH_DISPATCH(s_stub, DEFAULT, &k)", "DEFAULT"),
        ("native/A.cpp", "REGISTER_ARCH_DISPATCH(s_stub, CPU_CAPABILITY, &k)", "CPU"),
        ("native/A.cpp", "REGISTER_AVX2_DISPATCH(s_stub, &k)", "AVX2"),
        ("native/A.cpp", "REGISTER_AVX512_DISPATCH(s_stub, &k)", "AVX512"),
        ("native/A.cpp", "REGISTER_VSX_DISPATCH(s_stub, &k)", "VSX"),
        ("native/A.cpp", "REGISTER_ZVECTOR_DISPATCH(s_stub, &k)", "ZVECTOR"),
        ("native/A.cpp", "REGISTER_SVE256_DISPATCH(s_stub, &k)", "SVE256"),
        ("native/A.cpp", "ALSO_REGISTER_AVX512_DISPATCH(s_stub, &k)", "CPU"),
        ("native/A.cpp", "REGISTER_CUDA_DISPATCH(s_stub, &k)", "CUDA"),
        ("native/A.cpp", "REGISTER_HIP_DISPATCH(s_stub, &k)", "HIP"),
        ("native/A.mm", "REGISTER_MPS_DISPATCH(s_stub, &k)", "MPS"),
        ("native/A.cpp", "REGISTER_XPU_DISPATCH(s_stub, &k)", "XPU"),
        ("native/A.cpp", "REGISTER_MTIA_DISPATCH(s_stub, &k)", "MTIA"),
        ("native/A.cpp", "REGISTER_PRIVATEUSE1_DISPATCH(s_stub, &k)", "PrivateUse1"),
    ],
)
def test_backends(path: str, form: str, backend: str) -> None:
    (found,) = registrations(f"namespace n {{\n{form};\n}}", path)
    assert (found.stub, found.backend, found.kernel, found.line) == ("s_stub", backend, "k", 2)
    assert found.form == form.split("(")[0]
    assert found.scope == "n"


@pytest.mark.parametrize(
    ("argument", "kernel", "template_arguments"),
    [
        ("&k", "k", ""),
        ("k", "k", ""),
        ("& a::b::k", "a::b::k", ""),
        ("&CPU_CAPABILITY::k", "k", ""),
        ("&k<true>", "k", "<true>"),
        ("&k<a, b<c>>", "k", "<a, b<c>>"),
        ("static_cast<fn>(&k)", "k", ""),
        ("(fn)k", "k", ""),
        ("(&k)", "k", ""),
        ("nullptr", "nullptr", ""),
        ("NULL", "nullptr", ""),
    ],
)
def test_kernels(argument: str, kernel: str, template_arguments: str) -> None:
    (found,) = registrations(f"REGISTER_DISPATCH(cpublas::s_stub,\n  {argument})")
    assert found.stub == "cpublas::s_stub"
    assert (found.kernel, found.template_arguments) == (kernel, template_arguments)


def test_no_kernel_and_lambda() -> None:
    none, some = registrations(
        "REGISTER_NO_CPU_DISPATCH(a_stub)\n"
        "REGISTER_DISPATCH(b_stub,\n  [](int x) { return x; })\n"
        "// REGISTER_DISPATCH(c_stub, &k)\n"
    )
    assert (none.kernel, none.backend, none.line) == ("nullptr", "CPU", 1)
    assert (some.kernel, some.line, some.kernel_line) == ("lambda", 2, 3)


def test_macro_of_the_same_file() -> None:
    text = (
        "namespace at {\n"
        "#define PAIR(op)                         \\\n"
        "  REGISTER_DISPATCH(op##_stub, &op##_k)  \\\n"
        "  REGISTER_NO_CPU_DISPATCH(op##_other_stub)\n"
        "#define PAIRS(a, b) PAIR(a) PAIR(b)\n"
        "PAIR(sin)\n"
        "PAIRS(cos,\n"
        "      tan)\n"
        "}\n"
    )
    found = registrations(text)
    assert [(f.stub, f.kernel, f.line, f.macro) for f in found] == [
        ("sin_stub", "sin_k", 6, "PAIR"),
        ("sin_other_stub", "nullptr", 6, "PAIR"),
        ("cos_stub", "cos_k", 7, "PAIRS"),
        ("cos_other_stub", "nullptr", 7, "PAIRS"),
        ("tan_stub", "tan_k", 7, "PAIRS"),
        ("tan_other_stub", "nullptr", 7, "PAIRS"),
    ]
    assert {f.scope for f in found} == {"at"}


def test_uses() -> None:
    found = uses(
        "namespace at::native {\n"
        "TORCH_IMPL_FUNC(one_out)(const Tensor& a) {\n"
        "  one_stub(device_type(), *this);\n"
        "}\n"
        "Tensor two(const Tensor& a) {\n"
        "#ifdef X\n"
        "  if (a) { return a; }\n"
        "#endif\n"
        "  LongKernel(\n      a.device().type(), a);\n"
        "  return unary(a, b, exp_stub);\n"
        "}\n"
        "}\n"
    )
    assert [(f.stub, f.caller, f.how, f.device, f.line) for f in found] == [
        ("one_stub", "at::native::one_out", "call", "device_type()", 3),
        ("LongKernel", "at::native::two", "call", "a.device().type()", 9),
        ("exp_stub", "at::native::two", "argument", "", 11),
    ]


def test_a_call_for_one_of_two_devices() -> None:
    found = uses(
        "namespace at {\n"
        "void norm(T a) {\n"
        "  NormKernel(a.is_cuda() ? kCUDA : kCPU, a);\n"
        "  WideKernel(\n      on_gpu(a) && b ? at::kCUDA : DeviceType::CPU, a);\n"
        "  PlainKernel(a.is_cuda() ? kernels : others, a);\n"
        "  SizedKernel(a.is_cuda() ? kWide : width, a);\n"
        "}\n"
        "}\n"
    )
    assert [(f.stub, f.device, f.line) for f in found] == [
        ("NormKernel", "a.is_cuda() ? kCUDA : kCPU", 3),
        ("WideKernel", "on_gpu(a) && b ? at::kCUDA : DeviceType::CPU", 4),
    ]


def test_a_functor_that_is_handed_to_a_template() -> None:
    found = uses(
        "namespace at::native {\n"
        "template <typename RNG> struct NoiseStub {\n"
        "  void operator()(Tensor& self) { noise_stub(self.device().type(), self); }\n"
        "};\n"
        "Tensor& noise_(Tensor& self) {\n"
        "  return templates::noise_impl_<NoiseStub, Generator>(self);\n"
        "}\n"
        "Tensor& other_(Tensor& self) { NoiseStubs<int> x; return self; }\n"
        "}\n"
    )
    assert [(use.stub, use.caller, use.how, use.line) for use in found] == [
        ("noise_stub", "at::native::NoiseStub::operator()", "call", 3),
        ("noise_stub", "at::native::noise_", "argument", 6),
    ]


def test_what_is_no_use() -> None:
    assert not uses(
        "void copy_stub(int* out, int* in) {}\n"
        "void f(int* p) { copy_stub(p, p); }\n"
        "// sin_stub(kCPU, it)\n"
        '#include "nvrtc_stub/x.h"\n'
        'const char* s = "sin_stub(kCPU, it)";\n'
    )


def test_use_through_a_macro() -> None:
    found = uses(
        "#define MAKE(name, stub)                \\\n"
        "  TORCH_IMPL_FUNC(name)(const T& a) {   \\\n"
        "    stub(device_type(), *this);         \\\n"
        "  }\n"
        "#define MAKE_UNARY(op) MAKE(op##_out, op##_stub)\n"
        "namespace n {\n"
        "MAKE_UNARY(acos)\n"
        "ELSEWHERE(asin_out, asin_stub)\n"
        "}\n"
    )
    assert [(f.stub, f.caller, f.how, f.line) for f in found] == [
        ("asin_stub", "", "macro", 8),
        ("acos_stub", "n::acos_out", "macro", 7),
    ]


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ("void f(int a) ", "f"),
        ("template <typename T, int N = (1 > 0)> static T C<T>::f(T x) const noexcept ", "C::f"),
        ("__global__ void __launch_bounds__(256, 4) k(int n) ", "k"),
        ("C10_LAUNCH_BOUNDS_1(N) __global__ void k(int n) ", "k"),
        ("auto f(int a) -> decltype(a) ", "f"),
        ("A::A(int x) : x_(x), y_(g(x)) ", "A::A"),
        ("TORCH_IMPL_FUNC(f_out)(const T& a) ", "f_out"),
        ("TEST(A, b) ", "TEST(A, b)"),
        ("bool operator()(int a) const ", "operator()"),
        ("Tensor __lshift__(const Tensor& a) ", "__lshift__"),
        ("if (x) ", ""),
        ("int x = ", ""),
    ],
)
def test_declared_name(head: str, name: str) -> None:
    assert declared_name(head.encode()) == name


def test_branches_that_open_the_same_bracket() -> None:
    text = b"namespace n {\n#if A\nvoid f(int x) {\n#else\nvoid g() {\n#endif\n  HERE\n}\nvoid h() { THERE }\n}\n"
    scopes = Scopes(text)
    assert scopes.at(text.index(b"HERE")).qualified == "n::g"
    assert scopes.at(text.index(b"THERE")).qualified == "n::h"


@settings(max_examples=tries(150), deadline=None)
@given(st.binary(max_size=300) | st.lists(st.sampled_from(TOKENS), max_size=60).map(b" ".join))
def test_never_raises(data: bytes) -> None:
    list(stubs(CppUnit("native/cpu/A.cpp", data)))
    list(stubs(CppUnit("native/cpu/A.cpp", b"REGISTER_DISPATCH(a_stub, " + data)))


@pytest.mark.parametrize(
    ("keys", "backends"),
    [
        (("CompositeImplicitAutograd",), {"AVX2", "CUDA", "MPS"}),
        (("FuncTorchVmapMode", "FuncTorchBatchedDecomposition"), {"AVX2", "CUDA", "MPS"}),
        (("CPU",), {"AVX2"}),
        (("CUDA",), {"CUDA"}),
        (("CPU", "MPS"), {"AVX2", "MPS"}),
    ],
)
def test_a_key_that_names_no_device_leads_to_the_kernels_of_all(
    keys: tuple[str, ...], backends: set[str]
) -> None:
    assert {found for found in ("AVX2", "CUDA", "MPS") if kernels._serves(found, keys)} == backends
