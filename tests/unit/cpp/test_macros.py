"""Macros expanded, and the functions that they make."""

from __future__ import annotations

import pytest

from indexer.extract.cpp.macros_made import FunctionMacros, macro_table
from indexer.extract.cpp.preprocess import MacroTable, expand, parse_defines

DEFINES = b"""
#define TORCH_IMPL_FUNC(name) void structured_##name::impl
#define TORCH_META_FUNC(name) void structured_##name::meta
#define TORCH_META_FUNC2(name, overload) void structured_##name##_##overload::meta
#define UNARY(op) \\
  Tensor op##_sparse(const Tensor& self) { return g(self); } \\
  Tensor& op##_sparse_(Tensor& self) { return self; }
#define FORALL(_) _(sin) _(cos)
#define STRUCTURED(op) TORCH_IMPL_FUNC(op##_out)(const Tensor& a) { op##_stub(a); }
#define NOTHING(x) static_assert(x, "")
#define ACCESSOR(T) explicit Outer(T value) { }
"""


def made(text: str, scope: str = "at::native", class_name: str = "") -> list[tuple[str, str]]:
    expander = FunctionMacros(macro_table(parse_defines(DEFINES, "m.h")))
    found = expander.from_use(text.partition("(")[0], text, scope, class_name, "a.cpp", 9)
    return [(function.name, function.kind) for function in found.functions]


def test_functions_that_macros_make() -> None:
    assert made("UNARY(abs)") == [
        ("at::native::abs_sparse", "function"),
        ("at::native::abs_sparse_", "function"),
    ]
    assert [name for name, _ in made("FORALL(UNARY)")] == [
        "at::native::sin_sparse", "at::native::sin_sparse_", "at::native::cos_sparse", "at::native::cos_sparse_"
    ]  # fmt: skip
    assert made("STRUCTURED(sin)") == [("at::native::sin_out", "structured")]
    assert made("NOTHING(1)") == []
    assert made("UNKNOWN(1)") == []
    assert made("ACCESSOR(int)", "n::Outer", "Outer") == [("n::Outer::Outer", "constructor")]


@pytest.mark.parametrize(
    ("text", "scope", "name"),
    [
        ("TORCH_IMPL_FUNC(add_out)(const Tensor& a)", "at::native", "at::native::add_out"),
        ("TORCH_META_FUNC(add)(const Tensor& a)", "at::meta", "at::meta::structured_add::meta"),
        (
            "TORCH_META_FUNC2(add, Tensor)(int a)",
            "at::meta",
            "at::meta::structured_add_Tensor::meta",
        ),
        ("TEST(Suite, Case)", "", "Suite_Case_Test::TestBody"),
        ("PYBIND11_MODULE(mod, m)", "", "pybind11_init_mod"),
    ],
)
def test_heads_that_macros_make(text: str, scope: str, name: str) -> None:
    expander = FunctionMacros(macro_table(parse_defines(DEFINES, "m.h")))
    found = expander.from_head(text, scope, "", "a.cpp", 1)
    assert found is not None
    assert (found.name, found.signature) == (name, text)


def test_an_unknown_head_has_no_name() -> None:
    assert FunctionMacros(macro_table([])).from_head("MATCHER(a, b)", "", "", "a.cpp", 1) is None


@pytest.mark.parametrize(
    ("text", "expanded"),
    [
        ("CAT(a, b)", "ab"),
        ("STR(x  y)", '"x y"'),
        ("LOG(1)", "p(1)"),
        ("LOG(1, 2, 3)", "p(1,2,3)"),
        ("GNU(1)", "p(1 )"),
        ("LOOP", "LOOP + 1"),
        ("BOTH(CAT)", "12"),
        ("CAT", "CAT"),
        ("CAT(unclosed", "CAT(unclosed"),
        ("XCAT(CAT(a, b), c)", "abc"),
        ("X(CAT)(p, q)", "pq"),
        ("OPT(1)", "p(1 )"),
        ("OPT(1, 2)", "p(1 ,(g(2)))"),
    ],
)
def test_expansion(text: str, expanded: str) -> None:
    table = MacroTable(parse_defines(
        b"#define CAT(a, b) a##b\n#define STR(x) #x\n#define LOG(f, ...) p(f, ##__VA_ARGS__)\n"
        b"#define GNU(f, rest...) p(f , ##rest)\n#define LOOP LOOP + 1\n#define BOTH(m) m(1, 2)\n"
        b"#define XCAT(a, b) CAT(a, b)\n#define X(m) m\n#define OPT(f, ...) p(f __VA_OPT__(, (g(__VA_ARGS__))))\n"
    ))  # fmt: skip
    assert expand(text, table).replace(", ", ",") == expanded


def test_which_definition_a_use_sees() -> None:
    table = MacroTable([
        *parse_defines(b"#define M 1\n\n#define M 2\n", "a/x.cpp"),
        *parse_defines(b"#define M 3\n", "a/b/near.h"),
        *parse_defines(b"#define M 4\n", "z/far.h"),
        *parse_defines(b"#define M\n", "a/b/empty.h"),
    ])  # fmt: skip
    assert expand("M", table, "a/x.cpp", 2) == "1"
    assert expand("M", table, "a/x.cpp", 9) == "2"
    assert expand("M", table, "a/b/y.cpp", 9) == "3"
    assert expand("M", table, "z/y.cpp", 9) == "4"


def test_what_is_put_in_is_read_again_with_what_follows() -> None:
    table = MacroTable(
        parse_defines(b"#define NAME CALL\n#define CALL(x) [x]\n#define PLAIN same", "m.h")
    )
    # `NAME` comes to a macro that is none without the bracket behind it; `PLAIN` to nothing that could be replaced.
    assert expand("NAME(1) PLAIN(2)", table) == "[1] same(2)"


def test_counters_and_overrides_are_replaced_in_arguments_too() -> None:
    table = MacroTable(parse_defines(b"#define PUT(x) x;", "m.h"))
    [other] = parse_defines(b"#define OTHER 7", "b.h")
    assert (
        expand("PUT(__LINE__) PUT(__COUNTER__) PUT(__COUNTER__)", table, "a.cpp", 5) == "5; 0; 1;"
    )
    assert expand("PUT(OTHER)", table, "a.cpp", 5, {"OTHER": other}) == "7;"
    assert expand("PUT(OTHER)", table, "a.cpp", 5) == "OTHER;"
