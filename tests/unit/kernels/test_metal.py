"""Metal's kernels, and the names they are looked up by."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer import link, schema
from indexer.extract.cpp.metal import metal
from indexer.facts.launches import Kernel, Launch
from indexer.workers import WorkerPool
from indexer.write.launches import write_launches
from tests.unit.support.cpp_text import TOKENS
from tests.unit.support.tries import tries


def kernels(text: str, path: str = "a.metal") -> list[Kernel]:
    return [f for f in metal(path, text.encode()) if isinstance(f, Kernel)]


def names(text: str, kind: str = "pipeline") -> list[tuple[str, str, int]]:
    found = [f for f in metal("a.mm", text.encode()) if isinstance(f, Launch) and f.kind == kind]
    assert all(f.platform == "metal" for f in found)
    return [(f.kernel, f.launcher, f.line) for f in found]


def linked(files: dict[str, str]) -> sqlite3.Connection:
    """The launches of some files, linked."""
    conn = sqlite3.connect(":memory:")
    schema.create(conn)
    for number, (path, text) in enumerate(files.items(), 1):
        conn.execute("INSERT INTO source_files VALUES (?, ?, 'metal', 0, '')", (number, path))
        write_launches(conn, number, metal(path, text.encode()))
    for _, run in link.steps([40, 42]):
        run(conn, WorkerPool(0))
    return conn


def test_kernels() -> None:
    found = kernels(
        "kernel void one(device float* a [[buffer(0)]],\n"
        "                uint i [[thread_position_in_grid]]) { a[i] = 1; }\n"
        "template <typename T>\n"
        "[[kernel]] void two(device T* a) { }\n"
        'template [[host_name("two_float")]] kernel void two<float>(device float* a);\n'
        "template <typename T> void kernel\nthree(device T* a) { }\n"
        "void helper(device float* a) { }\n"
        "// kernel void four() { }\n"
    )
    assert [(k.name, k.function, k.line, k.is_definition, k.is_template) for k in found] == [
        ("one", "one", 1, True, False),
        ("two", "two", 4, True, True),
        ("two_float", "two", 5, False, True),
        ("three", "three", 7, True, True),
    ]
    assert not any(k.embedded for k in found)


def test_instantiations_by_macros() -> None:
    found = kernels(
        "#define MAKE(NAME, T)                                \\\n"
        '  template [[host_name(#NAME "_" #T)]] kernel void   \\\n'
        "  NAME##_impl<T>(device T* a [[buffer(0)]]);\n"
        "#define MAKE_ALL(T) MAKE(add, T) MAKE(sub, T)\n"
        "MAKE(mul, float);\n"
        "MAKE_ALL(half);\n"
    )
    assert [(k.name, k.function, k.line, k.macro) for k in found] == [
        ("mul_float", "mul_impl", 5, "MAKE"),
        ("add_half", "add_impl", 6, "MAKE_ALL"),
        ("sub_half", "sub_impl", 6, "MAKE_ALL"),
    ]


def test_an_instantiation_picks_the_overload_by_its_parameters() -> None:
    found = kernels(
        "template <typename T>\n"
        "kernel void sgd(device Arguments<T>& args [[buffer(0)]], constant float& lr [[buffer(1)]]) {}\n"
        "template <typename T>\n"
        "kernel void sgd(device Momentum<T>& args [[buffer(0)]], device T* out, constant float& lr) {}\n"
        "template <typename T>\n"
        "kernel void sgd(device Other<T>& args, device T* out, constant float& lr) {}\n"
        "#define MAKE(D) \\\n"
        '  template [[host_name("sgd_" #D)]] kernel void \\\n'
        "  sgd<D>(device Arguments<D> & args [[buffer(0)]], constant float& lr [[buffer(1)]]); \\\n"
        '  template [[host_name("sgd_momentum_" #D)]] kernel void \\\n'
        "  sgd<D>(device Momentum<D> & args [[buffer(0)]], device D* out, constant float & lr);\n"
        "MAKE(float)\n"
        "MAKE(half)\n"
        "kernel void one() {}\n"
    )
    assert {k.name: k.definition_line for k in found if not k.is_definition} == {
        "sgd_float": 2, "sgd_momentum_float": 4, "sgd_half": 2, "sgd_momentum_half": 4,
    }  # fmt: skip
    assert not any(k.definition_line for k in found if k.is_definition)


def test_lookups_find_the_overload_and_the_longer_pattern() -> None:
    library = (
        "template <typename T>\n"
        "kernel void sgd(device Plain<T>& args) {}\n"
        "template <typename T>\n"
        "kernel void sgd(device Momentum<T>& args) {}\n"
        'template [[host_name("fused_float")]] kernel void sgd<float>(device Plain<float>& args);\n'
        'template [[host_name("fused_momentum_float")]] kernel void sgd<float>(device Momentum<float>& args);\n'
    )
    code = (
        "#include <Metal/Metal.h>\n"
        'void f(Tensor t) { apply("fused_" + typeOf(t), t); }\n'
        'void g(Tensor t) { apply("fused_momentum_" + typeOf(t), t); }\n'
    )
    conn = linked({"a.metal": library, "b.mm": code})
    rows = conn.execute("SELECT line, kernel, kernel_line FROM v_launches ORDER BY line")
    assert rows.fetchall() == [(2, "fused_*", 2), (3, "fused_momentum_*", 4)]


def test_a_longer_pattern_is_told_apart_whatever_its_end_is() -> None:
    library = (
        "template <typename T> kernel void norm(device T* a) {}\n"
        "template <typename T> kernel void norm_backward(device T* a) {}\n"
        'template [[host_name("norm_float_uint")]] kernel void norm<float>(device float* a);\n'
        'template [[host_name("norm_backward_float_uint")]] kernel void norm_backward<float>(device float* a);\n'
    )
    code = (
        'void f(Tensor t) { lib.getPipelineStateForFunc(fmt::format("norm_{}_uint", typeOf(t))); }\n'
        'void g(Tensor t) { lib.getPipelineStateForFunc(fmt::format("norm_backward_{}_uint", typeOf(t))); }\n'
    )
    conn = linked({"a.metal": library, "b.mm": code})
    rows = conn.execute("SELECT line, kernel, kernel_line FROM v_launches ORDER BY line, 3")
    assert rows.fetchall() == [(1, "norm_*_uint", 1), (2, "norm_backward_*_uint", 2)]


def test_a_longer_pattern_of_another_file_and_a_template_s_own_name() -> None:
    library = (
        "template <typename T> kernel void adam(device T* a) {}\n"
        "template <typename T> kernel void adam_amsgrad(device T* a) {}\n"
        'template [[host_name("adam_float_half")]] kernel void adam<float>(device float* a);\n'
        'template [[host_name("adam_amsgrad_float_half")]] kernel void adam_amsgrad<float>(device float* a);\n'
        "kernel void adam_once(device float* a) {}\n"
    )
    conn = linked(
        {
            "a.metal": library,
            "b.mm": 'void f(Tensor t) { lib.getPipelineStateForFunc("adam_" + typeOf(t) + "_" + typeOf(u)); }\n'
            'void g(Tensor t) { lib.getPipelineStateForFunc("adam_" + typeOf(t)); }\n',
            "c.mm": 'void f(Tensor t) { lib.getPipelineStateForFunc("adam_amsgrad_" + typeOf(t) + "_" + typeOf(u)); }\n',
        }
    )
    rows = conn.execute("SELECT kernel, kernel_line FROM v_launches ORDER BY file, line, 2")
    assert [tuple(row) for row in rows] == [
        ("adam_*_*", 1),
        ("adam_*", 5),
        ("adam_amsgrad_*_*", 2),
    ]


def test_kernels_in_strings() -> None:
    found = kernels(
        'static MetalShaderLibrary lib(R"METAL(\n'
        "#include <metal_stdlib>\n"
        "kernel void add(device float* a) { }\n"
        ')METAL", 1);\n'
        'const char* other = R"(\nkernel void gather_{0}(device {1}* a) {{ }}\n)";\n',
        "a.mm",
    )
    assert [(k.name, k.line, k.embedded) for k in found] == [
        ("add", 3, True),
        ("gather_*", 6, True),
    ]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ('"one"', ["one"]),
        ('big ? "one_64" : "one_32"', ["one_64", "one_32"]),
        ('"one_" + scalarToMetalTypeString(t)', ["one_*"]),
        ('fmt::format("one_{}_{}", n, "x")', ["one_*_x"]),
        ('std::string("one_") + kind', ["one_*"]),
        ("name", ["two_*"]),
        ("either", ["left", "right"]),
        ("grown", ["grown_*"]),
        ("made(t)", ["made_*"]),
        ("unknown", ["*"]),
    ],
)
def test_names_of_pipelines(expression: str, expected: list[str]) -> None:
    found = names(
        'static std::string made(const Tensor& t) { return "made_" + typeOf(t); }\n'
        "void f(const Tensor& t) {\n"
        '  const std::string name = "two_" + typeOf(t);\n'
        "  std::string either;\n"
        '  if (t) { either = "left"; } else { either = "right"; }\n'
        '  std::string grown = "grown_"; if (t) grown += "x";\n'
        f"  auto p = lib.getPipelineStateForFunc({expression});\n"
        "}\n"
    )
    assert found == [(name, "f", 7) for name in expected]


def test_names_through_parameters() -> None:
    found = names(
        "namespace n {\n"
        "static void run(const Tensor& t, const std::string& op) {\n"
        '  auto p = lib.getPipelineStateForFunc(op + "_" + typeOf(t));\n'
        "}\n"
        'void add(const Tensor& t) { run(t, "add"); }\n'
        'void sub(const Tensor& t) { run(t, "sub"); }\n'
        "}\n"
    )
    assert found == [("*_*", "n::run", 3), ("add_*", "n::add", 5), ("sub_*", "n::sub", 6)]


def test_objective_c() -> None:
    found = names(
        "@implementation Context\n"
        "- (id<State>)pipelineState:(const std::string&)kernel {\n"
        "  return [_library newFunctionWithName:[NSString stringWithUTF8String:kernel.c_str()]];\n"
        "}\n"
        "@end\n"
        "void f() {\n"
        '  id a = [lib newFunctionWithName:@"one"];\n'
        '  id b = [[C shared] pipelineState:kernelFor(t, "copy", "copy_nonarray")];\n'
        '  id c = [[C shared] specializedPipelineState:"two" Constants:@[ @(1) ]];\n'
        "}\n"
    )
    assert found == [
        ("*", "pipelineState", 3),
        ("one", "f", 7),
        ("copy", "f", 8),
        ("copy_nonarray", "f", 8),
        ("two", "f", 9),
    ]


def test_names_passed_to_another_file() -> None:
    text = (
        "#include <Metal/Metal.h>\n"
        "void f(const Tensor& t) {\n"
        '  const auto name = "fused_" + typeOf(t);\n'
        '  apply(name, "not a kernel", t);\n'
        "}\n"
    )
    assert names(text, "name") == [("fused_*", "f", 3)]


def test_a_choice_of_names_keeps_the_parameter_that_they_are_made_from() -> None:
    found = names(
        "static void run(const Tensor& t, const std::string& op) {\n"
        '  const auto name = t.cast() ? fmt::format("{}_cast_{}", op, of(t)) : fmt::format("{}_{}", op, of(t));\n'
        "  auto p = lib.getPipelineStateForFunc(name);\n"
        "}\n"
        'void add(const Tensor& t) { run(t, "add"); }\n'
    )
    assert [name for name, launcher, _ in found if launcher == "add"] == ["add_cast_*", "add_*"]


def test_instantiations_by_macros_that_are_handed_macros() -> None:
    found = kernels(
        "#define MAKE(T, N) \\\n"
        '  template [[host_name("mm_" #T "_" #N)]] kernel void mm<T, N>(device T*);\n'
        "#define MAKE_BOTH(T) MAKE(T, 1) MAKE(T, 2)\n"
        "#define FOR_TILES(MAC, T) MAC(T)\n"
        "FOR_TILES(MAKE_BOTH, half)\n"
        "FOR_TILES(OTHER, half)\n"
    )
    assert [(k.name, k.line, k.macro) for k in found] == [
        ("mm_half_1", 5, "FOR_TILES"),
        ("mm_half_2", 5, "FOR_TILES"),
    ]


def test_a_qualified_function_is_instantiated() -> None:
    found = kernels(
        'template [[host_name("exp_float")]] kernel void ::   shapes::\n  dense<float>(device float* a);\n'
    )
    assert [(k.name, k.function) for k in found] == [("exp_float", "shapes::dense")]


@settings(max_examples=tries(150), deadline=None)
@given(st.binary(max_size=300) | st.lists(st.sampled_from(TOKENS), max_size=60).map(b" ".join))
def test_never_raises(data: bytes) -> None:
    list(metal("a.metal", data))
    list(metal("a.mm", b"void f() { lib.getPipelineStateForFunc(" + data))


@pytest.mark.parametrize("lookup", ["getMTLFunction", "getCachedKernelFunctionPtr"])
def test_lookups_of_a_function_alone(lookup: str) -> None:
    found = names(
        f'void f(MetalShaderLibrary& lib) {{\n  auto k = lib.{lookup}("fold_" + type());\n}}\n'
    )
    assert found == [("fold_*", "f", 2)]


def test_what_a_helper_s_parameter_is_stays_unknown() -> None:
    # The outer function's parameter is another than the inner one's.
    found = names(
        "static std::string tail(const std::string& type) {\n"
        '  return fmt::format("tile_{}", type);\n'
        "}\n"
        "static void run(const std::string& name, const std::string& type) {\n"
        '  lib.getPipelineStateForFunc(name + "_" + tail(type));\n'
        "}\n"
        'void fold() { run("fold", kind); }\n'
    )
    assert ("fold_tile_*", "fold", 7) in found
    assert not any("tile_fold" in name for name, _, _ in found)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("kind, /*scatters=*/false", ["gather_kernel_*"]),
        ("kind, true", ["scatter_kernel_*"]),
        ("kind", ["gather_kernel_*"]),
        ("kind, scatters", ["gather_kernel_*", "scatter_kernel_*"]),
    ],
)
def test_a_helper_s_choice_is_what_the_call_decides(given: str, expected: list[str]) -> None:
    """getGatherScatterFunctionName of aten/src/ATen/native/mps/operations/View.mm, which hands it on here."""
    found = names(
        "static std::string begin(bool gathers, bool scatters) {\n"
        '  return (!scatters) ? "gather" : gathers ? "both" : "scatter";\n'
        "}\n"
        "static std::string named(const std::string& type, bool scatters = false) {\n"
        "  std::string first = begin(false, scatters);\n"
        '  return first + "_kernel_" + type;\n'
        "}\n"
        f"void view(bool scatters) {{ lib.getPipelineStateForFunc(named({given})); }}\n"
    )
    assert sorted(name for name, _, _ in found) == expected


def test_a_kernel_with_another_attribute_and_an_instantiation_of_its_type() -> None:
    found = kernels(
        "#include <metal_stdlib>\n"
        "template <typename T, int N>\n"
        "[[kernel, max_total_threads_per_threadgroup(N * 32)]] void\n"
        "roll(device T* a [[buffer(0)]]) { a[0] = 1; }\n"
        "#define roll_for(name, f, ...) \\\n"
        "  template [[host_name(name)]] [[kernel]] decltype(f<__VA_ARGS__>) f<__VA_ARGS__>;\n"
        "#define rolls(T) \\\n"
        '  roll_for("roll_" #T "_4", roll, T, 4) \\\n'
        '  roll_for("roll_" #T "_8", roll, T, 8)\n'
        "rolls(half)\n"
        "    rolls(float)\n",
        "a.h",
    )
    assert [(k.name, k.function, k.line, k.is_definition) for k in found] == [
        ("roll", "roll", 4, True),
        ("roll_half_4", "roll", 10, False),
        ("roll_half_8", "roll", 10, False),
        ("roll_float_4", "roll", 11, False),
        ("roll_float_8", "roll", 11, False),
    ]
