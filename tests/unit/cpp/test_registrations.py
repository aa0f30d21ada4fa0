"""Registrations in C++, each form by a small text."""

from __future__ import annotations

from typing import Any

import pytest

from indexer.extract.cpp.registrations import registrations as read_cpp
from indexer.extract.cpp.registrations_text import split_arguments, split_statements, string_value
from indexer.extract.cpp.unit import CppUnit
from indexer.facts.registrations import DispatchKeyAlias, UnreadRegistration
from indexer.link.registrations.kernels import read_kernel
from tests.unit.support.registration_texts import expand


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
        # A rule that is given what the generator writes for callers of the operator is the kernel itself.
        ("f_plumbing<decltype(&rule<M, &Tensor::mul_>), &rule<M, &Tensor:: mul_ >>", "rule", "function"),
        ("f_plumbing<decltype(&n::rule<decltype(&at::_ops::f::call), &at::f>), &n::rule<F, &at::f>>", "n::rule", "function"),
        ("unwrap<to_type, &at::Tensor::to, Device>", "unwrap", "function"),
        ("f_plumbing<decltype(&at::native::f), &at::native::f>", "at::native::f", "function"),
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


def test_a_device_stands_for_its_key() -> None:
    found = expand(
        "TORCH_LIBRARY_FRAGMENT(n, m) {\n"
        '  m.impl("a", c10::kCUDA, TORCH_FN(a));\n'
        '  m.impl("a", torch::dispatch(c10::DeviceType::XPU, TORCH_FN(b)));\n'
        '  m.impl("a", torch::dispatch(torch::kCPU, TORCH_FN(c)));\n'
        "}\n"
    )
    assert [r.key for r in found] == ["CUDA", "XPU", "CPU"]


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


def test_blocks_of_the_stable_interface() -> None:
    found = expand(
        "namespace shapes {\n"
        "STABLE_TORCH_LIBRARY_FRAGMENT(agn, m) {\n"
        '  m.set_python_module("agn");\n'
        '  m.def("smooth(Tensor t) -> Tensor",\n'
        "        std::vector<at::Tag>{at::Tag::pointwise, at::Tag::core});\n"
        "}\n"
        "STABLE_TORCH_LIBRARY_IMPL(agn, CUDA, ops) {\n"
        '  ops.impl("smooth", TORCH_BOX(&detail::smooth<0>));\n'
        "}\n"
        "}\n"
    )
    assert [(r.kind, r.operator, r.key, r.line) for r in found] == [
        ("def", "agn::smooth", "", 4),
        ("impl", "agn::smooth", "CUDA", 8),
    ]
    assert found[0].tags == ("pointwise", "core")
    assert found[0].kernel == ""
    assert found[1].kernel == "detail::smooth"


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
