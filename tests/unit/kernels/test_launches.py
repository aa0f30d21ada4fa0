"""CUDA's kernels and launches, in every spelling."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer import schema
from indexer.extract.cpp.launches import launches
from indexer.extract.cpp.unit import CppUnit
from indexer.facts.launches import Kernel, KernelArgument, Launch
from indexer.write.launches import write_launches
from tests.unit.support.cpp_text import TOKENS
from tests.unit.support.tries import tries


def read(text: str, path: str = "a.cu") -> tuple[list[Kernel], list[Launch]]:
    facts = list(launches(CppUnit(path, text.encode())))
    return [f for f in facts if isinstance(f, Kernel)], [f for f in facts if isinstance(f, Launch)]


def test_instances_of_one_template_on_one_line_are_one_row_for_sql(
    memory: sqlite3.Connection,
) -> None:
    schema.create(memory)
    memory.execute("INSERT INTO source_files VALUES (1, 'a.cu', 'cuda', 0, '')")
    _, found = read("#define RUN(N) k<N><<<1, 2>>>(p);\nvoid f(int* p) { RUN(1) RUN(2) }\n")
    write_launches(memory, 1, found)
    assert memory.execute("SELECT count(*) FROM launches").fetchone()[0] > 1
    rows = memory.execute("SELECT * FROM v_launches").fetchall()
    assert len(rows) == len(set(rows))


@pytest.mark.parametrize(
    "head",
    [
        "__global__ void k(int* p)",
        "__global__ void __launch_bounds__(256) k(int* p)",
        "__launch_bounds__(256) __global__ void k(int* p)",
        "C10_LAUNCH_BOUNDS_2(256, 4)\n__global__ void k(int* p)",
        "template <typename T, bool B = (sizeof(T) > 2)>\n__global__ void C10_LAUNCH_BOUNDS_1(N) k(T* p)",
        "static __global__ void k(int* p)",
        "__attribute__((always_inline)) __global__ void k(int* p)",
        "template <class T> static inline __global__ void\nk(T* p)",
        "#if X\n__launch_bounds__(32)\n#endif\n__global__ void k(int* p)",
    ],
)
def test_kernels(head: str) -> None:
    found, _ = read(f"namespace a::b {{\nnamespace {{\n{head} {{ *p = 1; }}\n}}\n}}\n")
    (kernel,) = found
    assert (kernel.name, kernel.function, kernel.is_definition) == ("a::b::k", "k", True)
    line = next(
        n
        for n, text in enumerate(f"\n\n{head}".split("\n"), 1)
        if "k(" in text.replace("k (", "k(")
    )
    assert kernel.line == line
    assert kernel.is_template == head.startswith("template")


def test_kernel_declaration_alias_and_bounds() -> None:
    found, _ = read(
        "#define MAYBE __global__\n"
        "__global__ void __launch_bounds__(A<int>::N, 2) one(A<int>::P p);\n"
        "MAYBE void two() {}\n"
        "// __global__ void three() {}\n"
    )
    assert [(k.name, k.is_definition, k.bounds, k.line) for k in found] == [
        ("one", False, "A<int>::N, 2", 2),
        ("two", True, "", 3),
    ]


def test_a_kernel_that_a_lambda_is_called_with() -> None:
    text = (
        "__global__ void one(int p);\n"
        "__global__ void two(int p);\n"
        "template <typename T> void pick(T cb, int cc) {\n"
        "  if (cc) { cb(Params<int, true>(), one); } else { cb(Params<int, false>(), two); }\n"
        "  other(cc, one);\n"
        "}\n"
        "void run(int n) {\n"
        "  auto launch = [&](auto params, auto kernel_fn) {\n"
        "    auto check = [&]() { return ok(kernel_fn); };\n"
        "    kernel_fn<<<1, 32>>>(params);\n"
        "  };\n"
        "  DISPATCH(n, ([&]() { space::pick<scalar_t>(launch, n); }));\n"
        "}\n"
    )
    facts = list(launches(CppUnit("a.cu", text.encode())))
    assert [f for f in facts if isinstance(f, KernelArgument)] == [
        KernelArgument("one", "pick", "a.cu", 4),
        KernelArgument("two", "pick", "a.cu", 4),
    ]
    (launch,) = [f for f in facts if isinstance(f, Launch)]
    assert (launch.kernel, launch.variable, launch.handed_to) == (
        "kernel_fn", "kernel_fn", "space::pick",
    )  # fmt: skip


def test_launch() -> None:
    _, found = read(
        "namespace n {\n"
        "void f(const Tensor& t) {\n"
        '  AT_DISPATCH(t.type(), "f", [&] {\n'
        "    g<T, 2>::k<scalar_t, (2 > 1)>\n"
        "        <<<dim3(a, b), block(1), sizeof(T) * 2,\n"
        "           at::cuda::getCurrentCUDAStream()>>>(t.data());\n"
        "  });\n"
        "  k2<<<1, 2>>>(x >> 3);\n"
        "}\n"
        "}\n"
    )
    first, second = found
    assert (first.kernel, first.template_arguments) == ("g::k", "<scalar_t, (2 > 1)>")
    assert (first.launcher, first.line, first.kind, first.scope) == ("n::f", 5, "launch", "n")
    assert (first.grid, first.block, first.shared) == ("dim3(a, b)", "block(1)", "sizeof(T) * 2")
    assert first.stream == "at::cuda::getCurrentCUDAStream()"
    assert (second.kernel, second.grid, second.block, second.shared) == ("k2", "1", "2", "")


@pytest.mark.parametrize(
    ("body", "kernel", "template_arguments", "variable"),
    [
        ("auto kernel = &real<T, 2>; kernel<<<1, 1>>>();", "real", "<T, 2>", "kernel"),
        ("void (*kernel)(int) = real; kernel<<<1, 1>>>(1);", "real", "", "kernel"),
        ("auto k = C<T>::real; k<<<1, 1>>>();", "C::real", "", "k"),
        ("(real<T>)<<<1, 1>>>();", "real", "", ""),
        ("p<<<1, 1>>>();", "p", "", "p"),
        ("C<T>::template real<U><<<1, 1>>>();", "C::real", "<U>", ""),
    ],
)
def test_what_is_launched(body: str, kernel: str, template_arguments: str, variable: str) -> None:
    _, (found,) = read(f"template <typename K>\nvoid f(K p) {{ {body} }}\n")
    assert (found.kernel, found.variable) == (kernel, variable)
    assert found.template_arguments == template_arguments


def test_macro_is_told_of_its_definition_and_its_uses() -> None:
    kernels, found = read(
        "#define GO(name, n)          \\\n"
        "  name##_kernel<n>           \\\n"
        "    <<<1, n, 0, stream>>>(x);\n"
        "#define MAKE(name)           \\\n"
        "  __global__ void name##_kernel(int n) {}\n"
        "MAKE(add)\n"
        "void f() {\n"
        "  GO(add, 32)\n"
        "}\n"
    )
    assert [(k.name, k.line, k.macro) for k in kernels] == [("add_kernel", 6, "MAKE")]
    definition, use = found
    assert (definition.kernel, definition.line, definition.in_definition) == (
        "name##_kernel",
        3,
        True,
    )
    assert (definition.launcher, definition.macro) == ("GO", "GO")
    assert (use.kernel, use.line, use.launcher, use.in_definition) == ("add_kernel", 8, "f", False)
    assert (use.macro, use.block, use.stream) == ("GO", "32", "stream")


def test_functions_that_launch() -> None:
    _, found = read(
        "namespace n {\n"
        "template <typename F> void gpu_kernel(TensorIteratorBase& iter, const F& f);\n"
        "void f() {\n"
        "  gpu_kernel(iter, [] GPU_LAMBDA(int a) { return a; });\n"
        "  at::native::gpu_kernel_with_scalars(iter, F());\n"
        "  jitted_gpu_kernel<name, T, T, 1>(iter, source);\n"
        "  launch_it<T>(a, b);\n"
        "  AT_CUDA_CHECK(cudaLaunchKernel((void*)k, grid, block, args, shared, stream));\n"
        "  nvrtc().cuLaunchKernel(function, 1, 2, 3, 4, 5, 6, 7, s, args, nullptr);\n"
        "  CUB_WRAPPER(cub::DeviceReduce::Sum, in, out);\n"
        "  at::cuda::cub::inclusive_scan(a, b);\n"
        "  thrust::sort(policy, a, b);\n"
        "  auto t = thrust::make_tuple(a, b);\n"
        "  THEIR_LAUNCH(k2, 1, 2);\n"
        "  C10_CUDA_KERNEL_LAUNCH_CHECK();\n"
        "  int bits = at::cuda::cub::needed_bits(n);\n"
        "}\n"
        "}\n"
    )
    assert [(x.line, x.kind, x.kernel) for x in found] == [
        (4, "helper", "gpu_kernel"),
        (5, "helper", "at::native::gpu_kernel_with_scalars"),
        (6, "jit", "jitted_gpu_kernel"),
        (7, "helper", "launch_it"),
        (8, "runtime", "k"),
        (9, "runtime", "function"),
        (10, "library", "cub::DeviceReduce::Sum"),
        (11, "library", "at::cuda::cub::inclusive_scan"),
        (12, "library", "thrust::sort"),
        (14, "macro", "k2"),
    ]
    runtime, driver = found[4], found[5]
    assert (runtime.grid, runtime.block, runtime.shared, runtime.stream) == (
        "grid",
        "block",
        "shared",
        "stream",
    )
    assert (driver.grid, driver.block, driver.shared, driver.stream) == (
        "1, 2, 3",
        "4, 5, 6",
        "7",
        "s",
    )
    assert {x.launcher for x in found} == {"n::f"}


def test_what_is_no_launch() -> None:
    kernels, found = read(
        "// k<<<1, 1>>>();\n"
        "/* k<<<1, 1>>>(); */\n"
        'const char* s = "k<<<1, 1>>>()";\n'
        'const char* r = R"(__global__ void k() {})";\n'
        "int a = b <<< c;\n"
    )
    assert (kernels, found) == ([], [])


def test_a_kernel_whose_name_is_like_a_helpers_is_not_launched_where_it_is_defined() -> None:
    kernels, found = read(
        "template <typename T> __global__ void\n"
        "C10_LAUNCH_BOUNDS_2((sizeof(T) > 4 ? 512 : 1024), 1)\n"
        "smear_gpu_kernel(T* p) {}\n"
        "void f(float* p) { smear_gpu_kernel<float><<<1, 2>>>(p); }\n"
    )
    assert [kernel.name for kernel in kernels] == ["smear_gpu_kernel"]
    assert [(x.line, x.kind) for x in found] == [(4, "launch")]


@settings(max_examples=tries(150), deadline=None)
@given(st.binary(max_size=300) | st.lists(st.sampled_from(TOKENS), max_size=60).map(b" ".join))
def test_never_raises(data: bytes) -> None:
    list(launches(CppUnit("a.cu", data)))
    list(launches(CppUnit("a.cu", b"void f() { k<<<1, " + data)))


def test_collective_launch_of_nvshmem() -> None:
    _, found = read(
        "namespace ring {\n"
        "template <bool B> __global__ void turn(int* p) {}\n"
        "void go(int* p, cudaStream_t stream) {\n"
        "  void* args[] = {&p};\n"
        "  nvshmemx_collective_launch((const void*)turn<true>, dim3(2), dim3(64), args, 16, stream);\n"
        "  nvshmemx_collective_launch_query_gridsize((const void*)turn<true>, dim3(64), args, 16, &n);\n"
        "}\n"
        "}\n"
    )
    (launch,) = found
    assert (launch.kernel, launch.template_arguments, launch.kind) == ("turn", "<true>", "runtime")
    assert (launch.grid, launch.block, launch.shared, launch.stream) == (
        "dim3(2)",
        "dim3(64)",
        "16",
        "stream",
    )
    assert (launch.launcher, launch.line) == ("ring::go", 5)


def test_collective_launch_in_a_file_without_kernels() -> None:
    _, found = read(
        "void go() { nvshmemx_collective_launch((const void*)turn, 1, 2, args, 0, s); }\n", "a.cpp"
    )
    assert [(f.kernel, f.launcher) for f in found] == [("turn", "go")]


def test_an_adapter_of_cutlass_is_launched_where_it_is_run() -> None:
    _, found = read(
        "namespace a {\n"
        "template <typename K>\n"
        "void by_call(Args args) {\n"
        "  using Output = typename cutlass::gemm::device::DefaultGemmConfiguration<K, 2>::OutputOp;\n"
        "  using Gemm = cutlass::gemm::device::GemmUniversalAdapter<K>;\n\n"
        "  using Stride = typename Gemm::Stride;\n"
        "  Gemm gemm;\n"
        "  check(gemm.can_implement(args));\n"
        "  check(gemm.initialize(args, nullptr));\n"
        "  auto status = gemm(stream());\n"
        "}\n"
        "void by_run() {\n"
        "  using Grouped = typename cutlass::gemm::device::GemmGrouped<Kernel>;\n"
        "  if (x) { Grouped grouped{}; grouped.initialize(1); status = grouped.run(stream()); }\n"
        "}\n"
        "struct Held { using Gemm = cutlass::gemm::device::GemmUniversalAdapter<int>; };\n"
        "void other(int gemm) { gemm(2); }\n"
        "}\n"
    )
    assert [(f.kernel, f.template_arguments, f.launcher, f.kind, f.line) for f in found] == [
        ("cutlass::gemm::device::GemmUniversalAdapter", "<K>", "a::by_call", "library", 11),
        ("cutlass::gemm::device::GemmGrouped", "<Kernel>", "a::by_run", "library", 15),
    ]


def test_an_invoker_of_composable_kernel_is_launched_where_it_runs() -> None:
    _, found = read(
        "template <int N> void by_name() {\n"
        "  using Instance = ck::tensor_operation::device::DeviceGemm<Row, N>;\n"
        "  auto gemm = Instance{};\n"
        "  auto invoker = gemm.MakeInvoker();\n"
        "  auto argument = gemm.MakeArgument(1);\n"
        "  invoker.Run(argument, StreamConfig{stream, false});\n"
        "}\n"
        "void direct() {\n"
        "  auto gemm = ck::tensor_operation::device::DeviceBatchedGemm<Row>{};\n"
        "  auto run_it = gemm.MakeInvoker();\n"
        "  run_it.Run(argument, config);\n"
        "}\n",
        "a.h",
    )
    assert [(f.kernel, f.launcher, f.line) for f in found] == [
        ("ck::tensor_operation::device::DeviceGemm", "by_name", 6),
        ("ck::tensor_operation::device::DeviceBatchedGemm", "direct", 11),
    ]
