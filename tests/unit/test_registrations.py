"""Registrations in C++ and Python, each form by a small text."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer import link
from indexer.extract.cpp.preprocess import parse_defines
from indexer.extract.cpp.registrations import registrations as read_cpp
from indexer.extract.cpp.registrations_text import split_arguments, split_statements, string_value
from indexer.extract.cpp.unit import CppUnit
from indexer.extract.python.registrations import registrations as read_python
from indexer.facts.registrations import (
    DispatchKeyAlias,
    HelperUse,
    MetaExclusion,
    Registration,
    RegistrationBlock,
    RegistrationHelper,
    UnreadRegistration,
)
from indexer.link.registration_expansion import read_registrations
from indexer.link.registration_kernels import read_kernel
from indexer.schema import create
from indexer.workers import WorkerPool
from indexer.write.registrations import write_registrations


def expand(text: str, headers: dict[str, str] | None = None, path: str = "a.cpp") -> list[Any]:
    """What one file registers, with the macros of some headers."""
    facts = list(read_cpp(CppUnit(path, text.encode())))
    sources = {path: text, **(headers or {})}
    macros = [d for p, t in sources.items() for d in parse_defines(t.encode(), p)]
    blocks = [f for f in facts if isinstance(f, RegistrationBlock)]
    aliases = [DispatchKeyAlias("Autocast", "AutocastCUDA")]
    return [f for f in facts if isinstance(f, UnreadRegistration)] + list(
        read_registrations(blocks, macros, aliases, WorkerPool(0))
    )


def rows(found: list[Any]) -> list[tuple[Any, ...]]:
    return [(r.kind, r.operator, r.key, r.kernel, r.line, r.block_line, r.origin) for r in found]


# Blocks and statements


def test_impl_block_gives_operator_key_kernel_and_both_lines() -> None:
    found = expand(
        "namespace at::native {\n"
        '// TORCH_LIBRARY_IMPL(no, CPU, m) { m.impl("x", y); }\n'
        "TORCH_LIBRARY_IMPL(myops, CPU, m) {\n"
        '  m.impl("f", f_cpu);\n'
        '  m.impl(TORCH_SELECTIVE_NAME("myops::g.out"),\n'
        "         TORCH_FN(g_out_cpu));\n"
        "}\n"
        "}\n"
    )
    assert rows(found) == [
        ("impl", "myops::f", "CPU", "f_cpu", 4, 3, "impl"),
        ("impl", "myops::g.out", "CPU", "g_out_cpu", 5, 3, "impl"),
    ]
    assert found[0].scope == ("at", "native")


@pytest.mark.parametrize(
    ("argument", "kernel", "form"),
    [
        ("f", "f", "function"),
        ("&ns::f", "ns::f", "function"),
        ("TORCH_FN(ns::f)", "ns::f", "function"),
        ("TORCH_FN((&at::f<int, float>))", "at::f", "function"),
        ("f<true, std::pair<int, int>>", "f", "function"),
        ("Conv<2>::run", "Conv::run", "function"),
        ("static_cast<Tensor (*)(const Tensor&, int)>(native::f)", "native::f", "function"),
        ("[](const Tensor& x) { return x; }", "", "lambda"),
        ("torch::CppFunction::makeFallthrough()", "c10::fallthrough_kernel", "fallthrough"),
        ("torch::CppFunction::makeFromBoxedFunction<&boxed>()", "boxed", "function"),
        ("CppFunction::makeFromBoxedFunction<boxed<2, 1>>()", "boxed", "function"),
        ("CppFunction::makeFromUnboxedFunction(TORCH_FN(f))", "f", "function"),
        ("f_plumbing<decltype(&f_rule), &f_rule>", "f_rule", "function"),
        ("&Wrap<K::CUDA, decltype(&at::_ops::f::call), &at::_ops::f::call>::call", "Wrap::call", "function"),
        ("&Wrap<Policy::low, Sig, &at::norm>::type::call", "Wrap::type::call", "function"),
        ("autogradNotImplementedFallback()", "autogradNotImplementedFallback", "function"),
        ("3 + 4", "", "unknown"),
    ],
)  # fmt: skip
def test_kernel_forms(argument: str, kernel: str, form: str) -> None:
    assert read_kernel(argument)[:2] == (kernel, form)


def test_key_in_the_statement_wins() -> None:
    found = expand(
        "TORCH_LIBRARY(n, m) {\n"
        '  m.impl("a", torch::dispatch(c10::DispatchKey::CUDA, TORCH_FN(a_cuda)));\n'
        '  m.impl("b", c10::DispatchKey::Autocast, &b_cast);\n'
        '  m.impl("c", c_all);\n'
        "}\n"
    )
    assert [(r.operator, r.key, r.kernel) for r in found] == [
        ("n::a", "CUDA", "a_cuda"),
        ("n::b", "AutocastCUDA", "b_cast"),
        ("n::c", "CompositeImplicitAutograd", "c_all"),
    ]


def test_catch_all_is_composite_implicit() -> None:
    (found,) = expand('TORCH_LIBRARY_IMPL(n, CatchAll, m) { m.impl("a", f); }')
    assert found.key == "CompositeImplicitAutograd"


def test_definitions() -> None:
    found = expand(
        "TORCH_LIBRARY(n, m) {\n"
        '  m.set_python_module("n.meta");\n'
        '  m.def("a(Tensor x, "\n'
        '        "int n=1) -> Tensor");\n'
        '  m.def(TORCH_SELECTIVE_SCHEMA("n::b.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)"));\n'
        '  m.def(R"(c(Tensor x) -> Tensor)", {at::Tag::core, at::Tag::pt2_compliant_tag});\n'
        '  m.def("d", &d_impl);\n'
        '  m.def(torch::schema("e() -> ()", c10::AliasAnalysisKind::PURE_FUNCTION), f);\n'
        '  m.def("g(Tensor x) -> Tensor").impl("g", torch::dispatch(DispatchKey::CPU, g_cpu));\n'
        "}\n"
    )
    assert [(r.kind, r.operator, r.schema, r.key) for r in found] == [
        ("def", "n::a", "n::a(Tensor x, int n=1) -> Tensor", ""),
        ("def", "n::b.out", "n::b.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)", ""),
        ("def", "n::c", "n::c(Tensor x) -> Tensor", ""),
        ("def", "n::d", "", "CompositeImplicitAutograd"),
        ("def", "n::e", "n::e() -> ()", "CompositeImplicitAutograd"),
        ("def", "n::g", "n::g(Tensor x) -> Tensor", ""),
        ("impl", "n::g", "", "CPU"),
    ]
    assert found[2].tags == ("core", "pt2_compliant_tag")


def test_torchbind_classes_define_no_operators() -> None:
    found = expand(
        'TORCH_LIBRARY(n, m) {\n  m.class_<Stack>("Stack")\n    .def("push", &Stack::push);\n'
        '  m.def("a() -> ()");\n}'
    )
    assert [r.operator for r in found] == ["n::a"]


def test_fallbacks_have_no_operator() -> None:
    (found,) = expand(
        "TORCH_LIBRARY_IMPL(_, Neg, m) {\n"
        "  m.fallback(torch::CppFunction::makeFromBoxedFunction<&neg_fallback>());\n}"
    )
    assert rows([found]) == [("fallback", "", "Neg", "neg_fallback", 2, 1, "impl")]


def test_conditions_are_kept_and_both_branches_read() -> None:
    found = expand(
        "#ifdef USE_X\n"
        "TORCH_LIBRARY_IMPL(n, CPU, m) {\n"
        "#if defined(Y)\n"
        '  m.impl("a", f);\n'
        "#else\n"
        '  m.impl("a", g);\n'
        "#endif\n"
        '  m.impl("b", h);\n'
        "}\n"
        "#endif\n"
    )
    assert [(r.kernel, r.condition) for r in found] == [
        ("f", "defined(USE_X) && defined(Y)"),
        ("g", "defined(USE_X) && !(defined(Y))"),
        ("h", "defined(USE_X)"),
    ]


def test_a_computed_name_is_reported() -> None:
    (found,) = expand("TORCH_LIBRARY_IMPL(n, CPU, m) {\n  m.impl(name(), f);\n}")
    assert found == UnreadRegistration("a.cpp", 2, "impl of a computed name: name()")


def test_library_objects_and_functions_that_take_one() -> None:
    found = expand(
        "void more(torch::Library& lib, int n) {\n"
        '  lib.impl("b", g);\n'
        "}\n"
        "TORCH_LIBRARY_IMPL(n, CUDA, m) {\n"
        "  more(m, 3);\n"
        "}\n"
        "void test() {\n"
        "  auto m = MAKE_TORCH_LIBRARY_IMPL(n, CPU);\n"
        '  m.impl("a", f);\n'
        "}\n"
        "void other() {\n"
        '  torch::Library l(torch::Library::IMPL, "k", c10::DispatchKey::XLA, __FILE__, __LINE__);\n'
        '  l.impl("c", h);\n'
        "}\n"
    )
    assert rows(found) == [
        ("impl", "n::b", "CUDA", "g", 2, 4, "impl"),
        ("impl", "n::a", "CPU", "f", 9, 8, "impl"),
        ("impl", "k::c", "XLA", "h", 13, 12, "impl"),
    ]


# Macros


def test_macros_of_other_headers_with_nested_lists() -> None:
    header = (
        '#define ONE(OP, POLICY) m.impl(TORCH_SELECTIVE_NAME("aten::" #OP), &wrap<Policy::POLICY>);\n'
        "#define TWO(OP, OVERLOAD, POLICY) \\\n"
        '  m.impl("aten::" #OP "." #OVERLOAD, &wrap<Policy::POLICY>);\n'
        "#define PICK(_0, _1, N, ...) N\n"
        "#define COUNT(...) PICK(__VA_ARGS__, TWO, ONE)\n"
        "#define JOIN(a, b) a##b\n"
        "#define LIST(_) \\\n"
        "  _(mm) \\\n"
        "  _(pow, Scalar)\n"
    )
    found = expand(
        "namespace at {\n"
        "TORCH_LIBRARY_IMPL(aten, Autocast, m) {\n"
        "#define CAST(...) COUNT(__VA_ARGS__)(__VA_ARGS__, low)\n"
        "  LIST(CAST)\n"
        "  ONE(bmm, low)\n"
        '  m.impl("addmm", f);\n'
        "}\n"
        "}\n",
        {"lists.h": header},
    )
    assert rows(found) == [
        ("impl", "aten::mm", "AutocastCUDA", "wrap", 4, 2, "macro"),
        ("impl", "aten::pow.Scalar", "AutocastCUDA", "wrap", 4, 2, "macro"),
        ("impl", "aten::bmm", "AutocastCUDA", "wrap", 5, 2, "macro"),
        ("impl", "aten::addmm", "AutocastCUDA", "f", 6, 2, "impl"),
    ]


def test_macros_that_make_whole_blocks() -> None:
    found = expand(
        "#define IMPL1(F, DEV) TORCH_LIBRARY_IMPL(c10d, DEV, m) { m.impl(#F, F##DEV); }\n"
        "#define IMPL(F) IMPL1(F, CPU) \\\n"
        "  IMPL1(F, CUDA)\n"
        "namespace c10d {\n"
        "IMPL(send_)\n"
        "}\n"
    )
    assert rows(found) == [
        ("impl", "c10d::send_", "CPU", "send_CPU", 5, 5, "macro"),
        ("impl", "c10d::send_", "CUDA", "send_CUDA", 5, 5, "macro"),
    ]


def test_a_use_sees_the_definition_before_it() -> None:
    found = expand(
        "TORCH_LIBRARY_IMPL(n, CPU, m) {\n"
        "#define REG(op) m.impl(#op, old_##op);\n"
        "  REG(a)\n"
        "#undef REG\n"
        "#define REG(op) m.impl(#op, new_##op);\n"
        "  REG(a)\n"
        "}\n"
    )
    assert [r.kernel for r in found] == ["old_a", "new_a"]


# The older API


def test_register_operators() -> None:
    found = expand(
        "static auto registry = c10::RegisterOperators()\n"
        '  .op("n::a(Tensor x) -> Tensor", c10::RegisterOperators::options()\n'
        "     .kernel<decltype(a_cpu), &a_cpu>(c10::DispatchKey::CPU)\n"
        "     .catchAllKernel<AKernel>(1))\n"
        '  .op(torch::RegisterOperators::options().schema("n::b() -> ()").kernel(DispatchKey::CUDA, &b))\n'
        '  .op("n::c(Tensor x) -> Tensor", &c);\n'
    )
    assert [(r.kind, r.operator, r.key, r.kernel, r.line) for r in found] == [
        ("def", "n::a", "", "", 2),
        ("impl", "n::a", "CPU", "a_cpu", 2),
        ("impl", "n::a", "CompositeImplicitAutograd", "AKernel", 2),
        ("def", "n::b", "", "", 5),
        ("impl", "n::b", "CUDA", "b", 5),
        ("def", "n::c", "", "", 6),
        ("impl", "n::c", "CompositeImplicitAutograd", "c", 6),
    ]


def test_torchscript_operators_are_of_their_own_kind() -> None:
    found = expand(
        "#define INT_OP(op) OperatorGeneratorArgs( \\\n"
        '   TORCH_SELECTIVE_SCHEMA(#op ".int(int a) -> int"), [](Stack& s) {})\n'
        "static const std::vector<OperatorGeneratorArgs> list{\n"
        '  OperatorGeneratorArgs(TORCH_SELECTIVE_SCHEMA("aten::len(str s) -> int"), len),\n'
        "  INT_OP(aten::neg)};\n"
        "RegisterOperators const reg({\n"
        '  Operator("prim::Print(...) -> ()", [](Stack& s) { f(s, ","); }, analysis()),\n'
        "  Operator(prim::tolist, make, analysis())});\n"
    )
    assert rows(found) == [
        ("jit", "aten::len", "", "len", 4, 3, "impl"),
        ("jit", "aten::neg.int", "", "", 5, 3, "macro"),
        ("jit", "prim::Print", "", "", 7, 6, "impl"),
        ("jit", "prim::tolist", "", "make", 8, 6, "impl"),
    ]


def test_tests_register_nothing_that_lasts() -> None:
    text = 'TORCH_LIBRARY(n, m) { m.def("a() -> ()"); }'
    assert expand(text, path="test/cpp/a.cpp") == []
    assert expand(text, path="aten/src/ATen/core/a_test.cpp") == []
    assert len(expand(text, path="latest/a.cpp")) == 1


def test_second_names_of_keys() -> None:
    text = b"enum class DispatchKey {\n  CPU,\n  Autocast = AutocastCUDA,\n};\n"
    assert list(read_cpp(CppUnit("c10/core/DispatchKey.h", text))) == [
        DispatchKeyAlias("Autocast", "AutocastCUDA")
    ]


# Text


def test_statements_without_semicolons_and_inside_blocks() -> None:
    text = 'A(x)\nB(y) ; { m.c(1); } if (d) { E(f) }\nm.g("(", [](int) { return h; });'
    assert [(s.line, s.text) for s in split_statements(text, 7)] == [
        (7, "A(x)"),
        (8, "B(y)"),
        (8, "m.c(1)"),
        (8, "if (d)"),
        (8, "E(f)"),
        (9, 'm.g("(", [](int) {})'),
    ]


def test_arguments_and_strings() -> None:
    assert split_arguments('"a,b", f<A, B>(c, d), {1, 2}') == ['"a,b"', "f<A, B>(c, d)", "{1, 2}"]
    assert split_arguments("") == []
    assert string_value('F("a" /* c */ "b\\"")') == 'ab"'
    assert string_value('R"x(a)b)x"') == "a)b"
    assert string_value('"a" + b') is None


# Python


def python(text: str, path: str = "torch/a.py") -> list[Any]:
    """What a file registers; not what it offers to others or asks of them."""
    found = list(read_python(path, text.encode()))
    return [f for f in found if not isinstance(f, (HelperUse, RegistrationHelper))]


def python_rows(text: str) -> list[tuple[Any, ...]]:
    return [(r.kind, r.operator, r.key, r.kernel, r.line) for r in python(text)]


def test_library_methods_variables_and_loops() -> None:
    found = python(
        "import torch\n"
        "from torch.library import Library\n"
        'lib = Library("n", "DEF")\n'
        'lib.define("a(Tensor x) -> Tensor", tags=torch.Tag.core)\n'
        'meta = torch.library.Library("n", "IMPL", "Meta")\n'
        "def a_meta(x): return x\n"
        "for name in ['a', 'b']:\n"
        "    meta.impl(name + '.out', a_meta)\n"
        'lib.impl(torch.ops.n.a.default, lambda x: x, "CPU")\n'
        'Library("_", "IMPL").fallback(torch.library.fallthrough_kernel, "MPS")\n'
    )
    assert [(r.kind, r.operator, r.key, r.kernel, r.form, r.line, r.block_line) for r in found] == [
        ("def", "n::a", "", "", "unknown", 4, 3),
        ("impl", "n::a.out", "Meta", "torch.a.a_meta", "function", 8, 5),
        ("impl", "n::b.out", "Meta", "torch.a.a_meta", "function", 8, 5),
        ("impl", "n::a", "CPU", "", "lambda", 9, 3),
        ("fallback", "", "MPS", "torch.library.fallthrough_kernel", "fallthrough", 10, 10),
    ]
    assert found[0].tags == ("core",)


def test_library_decorators() -> None:
    assert python_rows(
        "import torch\n"
        'torch.library.define("n::a", "(Tensor x) -> Tensor")\n'
        'lib = torch.library.Library("n", "FRAGMENT")\n'
        '@torch.library.impl("n::a", ("cpu", "cuda"))\n'
        "def a_impl(x): ...\n"
        '@torch.library.impl(lib, "a", "CompositeExplicitAutograd")\n'
        "def a_any(x): ...\n"
        '@torch.library.register_fake("n::a")\n'
        "def a_fake(x): ...\n"
        'torch.library.register_autograd("n::a", a_backward, setup_context=a_setup)\n'
        '@torch.library.register_kernel(torch.ops.n.a.default, "xpu")\n'
        "def a_xpu(x): ...\n"
        'torch.library.register_vmap("n::a", a_any)\n'
    ) == [
        ("def", "n::a", "", "", 2),
        ("impl", "n::a", "CPU", "torch.a.a_impl", 4),
        ("impl", "n::a", "CUDA", "torch.a.a_impl", 4),
        ("impl", "n::a", "CompositeExplicitAutograd", "torch.a.a_any", 6),
        ("impl", "n::a", "Meta", "torch.a.a_fake", 8),
        ("impl", "n::a", "Autograd", "", 10),
        ("impl", "n::a", "XPU", "torch.a.a_xpu", 11),
        ("impl", "n::a", "FuncTorchBatched", "torch.a.a_any", 13),
    ]


def test_custom_op_defines_and_registers_what_goes_with_it() -> None:
    assert python_rows(
        "from torch.library import custom_op\n"
        '@custom_op("n::f", mutates_args=(), schema="(Tensor x) -> Tensor")\n'
        "def f(x): ...\n"
        "@f.register_fake\n"
        "def f_fake(x): ...\n"
    ) == [
        ("def", "n::f", "", "", 2),
        ("impl", "n::f", "CompositeExplicitAutograd", "torch.a.f", 2),
        ("impl", "n::f", "Autograd", "", 2),
        ("impl", "n::f", "Meta", "torch.a.f_fake", 4),
    ]


def test_py_impl_and_decomposition_tables() -> None:
    found = python(
        "import torch\n"
        "from functools import wraps\n"
        "from torch._decomp import register_decomposition, _add_op_to_registry, meta_table\n"
        "aten = torch.ops.aten\n"
        "@aten.f.default.py_impl(torch._C.DispatchKey.Autograd)\n"
        "@register_decomposition([aten.f, aten.g.out])\n"
        "def f(x): ...\n"
        "def register_meta(op):\n"
        "    def wrapper(fn):\n"
        "        _add_op_to_registry(meta_table, op, fn)\n"
        "        return fn\n"
        "    return wrapper\n"
        "@register_meta(aten.h.default)\n"
        "def h(x): ...\n"
        "def make_inplace(fn):\n"
        "    name = f'{fn.__name__}_'\n"
        "    @wraps(fn)\n"
        "    def _fn(a): ...\n"
        "    _fn.__name__ = name\n"
        "    return register_decomposition(getattr(aten, name))(_fn)\n"
        "f_ = make_inplace(f)\n"
        "mine = {}\n"
        "@register_decomposition(aten.k, registry=mine)\n"
        "def k(x): ...\n"
    )
    assert [
        (r.operator, r.key, r.kernel, r.all_overloads, r.expression, r.line) for r in found
    ] == [
        ("aten::f", "Meta", "torch.a.f", True, "table:post_autograd", 6),
        ("aten::g.out", "Meta", "torch.a.f", False, "table:post_autograd", 6),
        ("aten::f", "Autograd", "torch.a.f", False, "py_impl", 5),
        ("aten::h", "Meta", "torch.a.h", False, "table:meta", 13),
        ("aten::f_", "Meta", "torch.a.f_", True, "table:post_autograd", 21),
    ]


def test_helpers_are_followed_and_known_conditions_decide() -> None:
    assert python_rows(
        "import torch\n"
        "from torch._library.utils import is_functional_schema\n"
        'lib = torch.library.Library("p", "DEF")\n'
        "def make(*, schema, impl, old=False):\n"
        "    name = schema.split('(')[0]\n"
        "    if old or not is_functional_schema(torch._C.parse_schema(schema)):\n"
        "        lib.define(schema)\n"
        "        lib.impl(name, impl, 'CPU')\n"
        "    else:\n"
        "        torch.library.custom_op('p::' + name, impl, schema=schema[len(name):])\n"
        "def impl(x): ...\n"
        "make(schema='a(Tensor x) -> Tensor', impl=impl)\n"
        "make(schema='b_(Tensor(a!) x) -> Tensor(a!)', impl=impl)\n"
    ) == [
        ("def", "p::a", "", "", 12),
        ("impl", "p::a", "CompositeExplicitAutograd", "torch.a.impl", 12),
        ("impl", "p::a", "Autograd", "", 12),
        ("impl", "p::a", "Meta", "", 12),
        ("def", "p::b_", "", "", 13),
        ("impl", "p::b_", "CPU", "torch.a.impl", 13),
    ]


def test_functions_that_nothing_calls_are_followed_and_marked() -> None:
    (found,) = python(
        "import torch\n"
        "def later(flag):\n"
        "    lib = torch.library.Library('aten', 'IMPL')\n"
        "    if flag:\n"
        "        lib.impl('f', g, 'MPS')\n"
        "    else:\n"
        "        raise ValueError\n"
    )
    assert found.condition == "when later() runs"


def test_recursion_and_endless_loops_end() -> None:
    assert (
        python(
            "import torch.library\n"
            "from torch.library import impl\n"
            "def f(x):\n"
            "    return f(x) + f(x)\n"
            "while True:\n"
            "    f(1)\n"
            "@impl('n::a', 'cpu')\n"
            "def g(x): ...\n"
        )[0].operator
        == "n::a"
    )


def test_operators_that_activate_meta_names() -> None:
    found = python(
        "import torch\n"
        'lib = torch.library.Library("aten", "IMPL", "Meta")\n'
        "def activate_meta():\n"
        "    for op in table:\n"
        '        if op.name() in {"aten::clone"}:\n'
        "            pass\n"
        "activate_meta()\n"
    )
    assert MetaExclusion("aten::clone") in found


def test_broken_python_is_reported() -> None:
    (found,) = python("import torch.library\ntorch.library.impl(\n")
    assert isinstance(found, UnreadRegistration)
    assert found.line == 2


# Rows


def database(cpp: str, py: str = "") -> sqlite3.Connection:
    conn = sqlite3.connect(":memory:")
    create(conn)
    for identity, (path, text) in enumerate({"a.cpp": cpp, "torch/a.py": py}.items(), 1):
        kind = "cpp" if path.endswith("cpp") else "python"
        conn.execute(
            "INSERT INTO source_files VALUES (?, ?, ?, ?, '')", (identity, path, kind, len(text))
        )
        facts: list[Any] = (
            list(read_cpp(CppUnit(path, text.encode())))
            if kind == "cpp"
            else list(read_python(path, text.encode()))
        )
        write_registrations(conn, identity, facts)
    return conn


def run_link(conn: sqlite3.Connection) -> None:
    dict(link.steps([16]))["16_registrations"](conn, WorkerPool(0))


def test_rows_of_operators_and_dispatch() -> None:
    conn = database(
        "namespace at::native {\n"
        "TORCH_LIBRARY(n, m) {\n"
        '  m.def("f(Tensor x, int k=1) -> Tensor", {at::Tag::core});\n'
        '  m.def("g", g_any);\n'
        '  m.impl("nothing", h);\n'
        "}\n"
        'TORCH_LIBRARY_IMPL(n, Meta, m) { m.impl("f", f_meta); }\n'
        "TORCH_LIBRARY_IMPL(_, MPS, m) { m.fallback(all_mps); }\n"
        "}\n",
        "import torch\n"
        "lib = torch.library.Library('n', 'IMPL')\n"
        "def f_py(x): ...\n"
        "lib.impl('f', f_py, 'Meta')\n",
    )
    conn.execute(
        "INSERT INTO functions (name, signature, kind, file_id, line, end_line, origin)"
        " VALUES ('at::native::f_meta', '', 'function', 1, 1, 1, 'syntax')"
    )
    run_link(conn)
    assert conn.execute(
        "SELECT name, schema, origin, line FROM operators ORDER BY name"
    ).fetchall() == [
        ("n::f", "f(Tensor x, int k=1) -> Tensor", "library", 3),
        ("n::g", None, "library", 4),
    ]
    assert conn.execute("SELECT name, default_value FROM arguments").fetchall() == [
        ("x", None),
        ("k", "1"),
    ]
    assert conn.execute(
        "SELECT o.name, d.dispatch_key, d.kernel, d.origin, d.file_id, d.line FROM dispatch AS d"
        " JOIN operators AS o ON o.id = d.operator_id ORDER BY d.id"
    ).fetchall() == [
        ("n::g", "CompositeImplicitAutograd", "at::native::g_any", "impl", 1, 4),
        ("n::f", "Meta", "at::native::f_meta", "impl", 1, 7),
        ("n::f", "Meta", "torch.a.f_py", "python", 2, 4),
    ]
    assert conn.execute("SELECT key, kernel, line FROM fallbacks").fetchall() == [
        ("MPS", "at::native::all_mps", 8)
    ]
    assert conn.execute(
        "SELECT dispatch_id, by_dispatch_id FROM dispatch_replacements"
    ).fetchall() == [(2, 3)]
    assert conn.execute("SELECT file, detail FROM coverage").fetchall() == [
        ("a.cpp", "line 5: CompositeImplicitAutograd kernel for n::nothing, which nothing defines")
    ]
    assert conn.execute("SELECT name FROM temp.sqlite_master").fetchall() == []


# Never an error


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes_are_read(data: bytes) -> None:
    list(read_cpp(CppUnit("a.cpp", b"TORCH_LIBRARY_IMPL(n, CPU, m) {" + data)))
    list(read_cpp(CppUnit("c10/core/DispatchKey.h", data)))
    list(read_python("a.py", b"# torch.library.impl(\n" + data))


PIECES = st.sampled_from(
    [
        "TORCH_LIBRARY(n, m) {",
        "TORCH_LIBRARY_IMPL(n, CPU, m)",
        "m.impl(",
        "m.def(",
        '"a',
        '"',
        ")",
        "(",
        "{",
        "}",
        ";",
        "RegisterOperators r(",
        ".op(",
        "Operator(",
        "OperatorGeneratorArgs> x{",
        "\n#if X\n",
        "\n#else\n",
        "\n#endif\n",
        "#define M(a) m.impl(#a, a##_f); M(a)\n",
        "M(",
        "[](int) {",
        "f<&g",
        ">",
        ",",
        'R"(',
        "/*",
        "//",
        "'",
        "\\",
        "é",
        "torch::Library& m)",
        "MAKE_TORCH_LIBRARY(n)",
        "::",
        "TORCH_FN(",
        ".kernel<",
        "options()",
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=25))
def test_any_cpp_pieces_are_read_and_expanded(pieces: list[str]) -> None:
    for found in expand(" ".join(pieces)):
        assert isinstance(found, (Registration, UnreadRegistration))


PYTHON_PIECES = st.sampled_from(
    [
        "lib = torch.library.Library('n', 'DEF')\n",
        "lib.define('a(Tensor x) -> Tensor')\n",
        "lib.define(x)\n",
        "lib.impl('a', f, 'CPU')\n",
        "lib.impl(torch.ops.n.a, f)\n",
        "def f(x, *a, k=1, **kw):\n    return lib.impl(x, f)\n",
        "f(1, 2, k=f)\n",
        "f(*[1], **{'k': 2})\n",
        "x = [f, 'a', 1, (2,)]\n",
        "for i in x: lib.define(i)\n",
        "x = x + x\n",
        "x = 'a' % x\n",
        "x = x[0:1]\n",
        "x = x[5]\n",
        "x = {'a': f}['b']\n",
        "del x\n",
        "x += 1\n",
        "@torch.library.custom_op('n::c', f)\ndef c(): ...\n",
        "c.register_fake(x)(f)\n",
        "x = lambda y: y(y)\n",
        "x(x)\n",
        "torch.library.impl(x, x)(x)\n",
        "torch.library.define(lib, 'q')(f)\n",
        "class C:\n    lib.impl('z', f)\n",
        "with f(1) as x: raise x\n",
        "x = not x is None and x in [1] or x < 2\n",
        "x.y.z = x.__name__\n",
        "register_decomposition([x, torch.ops.aten.b])(f)\n",
        "x = f'{x}{f}'\n",
        "a, b = x\n",
        "x = [i for i in x if i]\n",
        "from torch._decomp import register_decomposition\n",
        "from . import x\n",
        "from ..a import *\n",
        "import torch\n",
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(PYTHON_PIECES, max_size=20))
def test_any_python_pieces_are_followed(pieces: list[str]) -> None:
    for found in python("import torch  # torch.library.impl(\n" + "".join(pieces)):
        assert isinstance(found, (Registration, UnreadRegistration))


def test_the_specialization_is_the_registrations() -> None:
    conn = database(
        "template <Policy p, class F, F* f> struct Wrap {};\n"
        "template <class F, F* f>\n"
        "struct Wrap<Policy::low, F, f> {\n"
        "  static void call() {}\n"
        "};\n"
        "template <class F, F* f>\n"
        "struct Wrap<Policy::low_too, F, f> {\n"
        "  static void call() {}\n"
        "};\n"
        'TORCH_LIBRARY(n, m) { m.def("f() -> ()", &Wrap< ::at::Policy::low_too, S, &g>::call); }\n'
        "// m.impl(\n"
    )
    for line in (4, 8):
        conn.execute(
            "INSERT INTO functions (name, signature, kind, file_id, line, end_line, origin)"
            " VALUES ('Wrap::call', '', 'method', 1, ?, ?, 'syntax')",
            (line, line),
        )
    run_link(conn)
    conn.execute("INSERT INTO dispatch_kernels SELECT 1, id, line = 4 FROM functions")
    dict(link.steps([30]))["30_registered_kernels"](conn, WorkerPool(0))
    assert conn.execute(
        "SELECT u.line, k.is_primary FROM dispatch_kernels AS k JOIN functions AS u ON u.id = k.function_id"
    ).fetchall() == [(8, 1)]


def test_helpers_of_other_files_are_followed() -> None:
    maker = (
        "import torch\n"
        "from functools import wraps\n"
        "from torch._decomp import register_decomposition\n"
        "aten = torch.ops.aten\n"
        "infer = object()\n"
        "def unary(kind, *, op=infer):\n"
        "    def inner(fn):\n"
        "        @wraps(fn)\n"
        "        def _ref(a): ...\n"
        "        found = getattr(aten, fn.__name__) if op is infer else op\n"
        "        register_decomposition(found)(_ref)\n"
        "        return _ref\n"
        "    return inner\n"
        "def inplace(fn):\n"
        "    return register_decomposition(getattr(aten, fn.__name__ + '_'))(fn)\n"
    )
    user = (
        "import torch\n"
        "from torch._refs import inplace, unary\n"
        "from torch._decomp import register_decomposition\n"
        "@unary(1, op=torch.ops.aten.special_f)\n"
        "def f(a): ...\n"
        "@unary(1)\n"
        "def g(a): ...\n"
        "@register_decomposition(torch.ops.aten.h)\n"
        "def h(a): ...\n"
        "h_ = inplace(h)\n"
    )
    conn = sqlite3.connect(":memory:")
    create(conn)
    paths = {"torch/_refs/__init__.py": maker, "torch/_refs/special.py": user, "a.cpp": ""}
    for identity, (path, text) in enumerate(paths.items(), 1):
        conn.execute("INSERT INTO source_files VALUES (?, ?, 'python', 0, '')", (identity, path))
        write_registrations(conn, identity, read_python(path, text.encode()))
    run_link(conn)
    assert conn.execute(
        "SELECT operator, kernel, line FROM registrations WHERE file_id = 2 ORDER BY line, id"
    ).fetchall() == [
        ("aten::special_f", "torch._refs.special.f", 4),
        ("aten::g", "torch._refs.special.g", 6),
        ("aten::h", "torch._refs.special.h", 8),
        ("aten::h_", "torch._refs.special.h", 10),
    ]


def test_a_schema_handed_on_to_another_file_is_followed() -> None:
    prims = (
        "import torch\n"
        "from torch._prims_common import RETURN_TYPE\n"
        "x = {}\n"
        "lib = torch.library.Library('prims', 'IMPL', 'CompositeExplicitAutograd')\n"
        "def _make_prim(*, schema, return_type, meta, impl_aten):\n"
        "    def _prim_impl(*args): ...\n"
        "    name = schema.split('(')[0]\n"
        "    if not torch._C.is_functional_schema(torch._C.parse_schema(schema)):\n"
        "        lib.define(schema)\n"
        "        lib.impl(name, _prim_impl)\n"
        "        return\n"
        "    made = torch.library.custom_op(\n"
        "        'prims::' + name, _prim_impl, mutates_args=(), schema=schema[len(name):])\n"
        "    made.register_fake(meta)\n"
        "    if return_type == RETURN_TYPE.VIEW:\n"
        "        made._lib.impl(name, torch.library.fallthrough_kernel, 'Conjugate')\n"
    )
    user = (
        "from torch import _prims\n"
        "def make_prim(schema, impl, return_type=_prims.RETURN_TYPE.NEW):\n"
        "    def meta(*args): ...\n"
        "    return _prims._make_prim(\n"
        "        schema=schema, return_type=return_type, meta=meta, impl_aten=impl)\n"
        "seed = make_prim('seed(Device device) -> Tensor', lambda device: 1)\n"
        "put_ = make_prim('put_(Tensor(a!) self) -> Tensor(a!)', lambda self: self)\n"
        "direct = _prims._make_prim(\n"
        "    schema='direct(Tensor a) -> Tensor', return_type=_prims.RETURN_TYPE.NEW, meta=None, impl_aten=None)\n"
    )
    conn = sqlite3.connect(":memory:")
    create(conn)
    paths = {"torch/_prims/__init__.py": prims, "torch/_inductor/inductor_prims.py": user}
    for identity, (path, text) in enumerate({**paths, "a.cpp": ""}.items(), 1):
        conn.execute("INSERT INTO source_files VALUES (?, ?, 'python', 0, '')", (identity, path))
        write_registrations(conn, identity, read_python(path, text.encode()))
    run_link(conn)
    rows = conn.execute(
        "SELECT operator, dispatch_key, kernel, line, block_file_id, block_line FROM registrations"
        " WHERE file_id = 2 AND kernel IS NOT NULL ORDER BY line, id"
    ).fetchall()
    impl = "torch._prims._make_prim.<locals>._prim_impl"
    assert rows == [
        ("prims::seed", "CompositeExplicitAutograd", impl, 6, 2, 6),
        ("prims::seed", "Meta", "torch._inductor.inductor_prims.make_prim.<locals>.meta", 6, 2, 6),
        ("prims::put_", "CompositeExplicitAutograd", impl, 7, 1, 4),
        ("prims::direct", "CompositeExplicitAutograd", impl, 8, 2, 8),
    ]
    keys = conn.execute(
        "SELECT dispatch_key FROM registrations WHERE operator = 'prims::seed' AND kind = 'impl'"
    )
    assert sorted(key for (key,) in keys) == ["Autograd", "CompositeExplicitAutograd", "Meta"]
    defined = conn.execute("SELECT operator FROM registrations WHERE kind = 'def' ORDER BY line")
    assert [name for (name,) in defined] == ["prims::seed", "prims::put_", "prims::direct"]


def test_where_python_kernels_are_defined() -> None:
    text = (
        "import torch\n"
        "from functools import wraps\n"
        "from torch.other import taken\n"
        "lib = torch.library.Library('ns', 'IMPL', 'Meta')\n"
        "def kept(fn):\n"
        "    @wraps(fn)\n"
        "    def inner(*args): ...\n"
        "    return inner\n"
        "@torch.library.impl(lib, 'a')\n"
        "@kept\n"
        "def a(x): ...\n"
        "lib.impl('b', lambda x: x)\n"
        "lib.impl('c', taken)\n"
    )
    found = {r.operator: (r.kernel, r.line, r.kernel_path, r.kernel_line) for r in
             read_python("torch/x.py", text.encode()) if isinstance(r, Registration)}  # fmt: skip
    assert found == {
        "ns::a": ("torch.x.a", 9, "torch/x.py", 11),
        "ns::b": ("", 12, "torch/x.py", 12),
        "ns::c": ("torch.other.taken", 13, "", 0),
    }
