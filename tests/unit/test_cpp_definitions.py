"""Definitions, macro-made functions and calls read from small texts."""

from __future__ import annotations

import sqlite3
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.extract.cpp.calls import calls
from indexer.extract.cpp.definitions import definitions, macros
from indexer.extract.cpp.macros_made import FunctionMacros, macro_table
from indexer.extract.cpp.preprocess import MacroTable, expand, parse_defines
from indexer.extract.cpp.unit import CppUnit
from indexer.facts.cpp import (
    CONSTRUCT,
    LAUNCH,
    MEMBER,
    ClassDefinition,
    FunctionDefinition,
    MacroHead,
    MacroUse,
)
from indexer.link.cpp_parameters import mismatches, parameter_class, parameters_of, schema_class
from indexer.schema import statements
from indexer.workers import WorkerPool
from indexer.write.cpp import write_cpp

ROOT = Path(__file__).resolve().parents[2]


def functions(text: str, path: str = "a.cpp") -> list[FunctionDefinition]:
    facts = definitions(CppUnit(path, text.encode()))
    return [fact for fact in facts if isinstance(fact, FunctionDefinition)]


def names(text: str, path: str = "a.cpp") -> list[str]:
    return [function.name for function in functions(text, path)]


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("namespace a { namespace b { int f(int x) { return x; } } }", "a::b::f", "function"),
        ("namespace a::b::c { void f() {} }", "a::b::c::f", "function"),
        ("namespace { void f() {} }", "f", "function"),
        ("namespace a { inline namespace V1 { void f() {} } }", "a::f", "function"),
        ('extern "C" { void f() {} }', "f", "function"),
        ('extern "C" int f(void) { return 0; }', "f", "function"),
        (
            "namespace at { Tensor native::f(const Tensor& x) { return x; } }",
            "at::native::f",
            "function",
        ),
        ("struct S { int m() const { return 1; } };", "S::m", "method"),
        ("struct S { S(int a) : a_{a}, b_(a) {} };", "S::S", "constructor"),
        ("S::S() : x{1}, y{2} { g(); }", "S::S", "constructor"),
        ("struct S { ~S() {} };", "S::~S", "destructor"),
        ("struct S { operator bool() const { return true; } };", "S::operator bool", "conversion"),
        (
            "struct S { operator const std::string&() const { } };",
            "S::operator const std::string&",
            "conversion",
        ),
        ("S operator+(const S& a, const S& b) { return a; }", "operator+", "operator"),
        ("struct S { int operator()(int a) const { return a; } };", "S::operator()", "operator"),
        ("bool operator<(const S& a, const S& b) { return 1; }", "operator<", "operator"),
        ("S& S::operator=(const S& o) { return *this; }", "S::operator=", "operator"),
        ("template <typename T, int N = (4 > 3)> T f(T a) { return a; }", "f", "function"),
        ("template <> void f<float>(int x) {}", "f", "function"),
        ("template <class T> void S<T>::m() {}", "S::m", "function"),
        (
            "template <typename F> struct S<F, std::enable_if_t<(N > 1)>> { void m() {} };",
            "S::m",
            "method",
        ),
        ("__global__ void k(int* p) {}", "k", "kernel"),
        (
            "template <typename T> __global__ void __launch_bounds__(256, 2) k(T* p) {}",
            "k",
            "kernel",
        ),
        ("C10_LAUNCH_BOUNDS_1(512)\n__global__ void k(int n) {}", "k", "kernel"),
        ("static inline C10_HOST_DEVICE int f(int a) { return a; }", "f", "function"),
        ("C10_ALWAYS_INLINE CBLAS_TRANSPOSE to_blas(int a) { }", "to_blas", "function"),
        ("static inline __m256i add8(__m256i a) { return a; }", "add8", "function"),
        ("__attribute__((noinline)) void f() {}", "f", "function"),
        ("[[nodiscard]] int f() noexcept(noexcept(g())) { return 1; }", "f", "function"),
        ("decltype(auto) f(int a) { return (a); }", "f", "function"),
        ("auto f(int a) -> decltype(g(a)) { return g(a); }", "f", "function"),
        ("std::function<void(int)> f(int a) { return {}; }", "f", "function"),
        ("void f(IntArrayRef a = {}, IntArrayRef b = {1, 2}) {}", "f", "function"),
        ("auto handler = [](int x) { return x; };", "handler", "lambda"),
        (
            "@implementation View\n- (void)draw:(const std::string&)a at:(int)b { }\n@end",
            "View::draw:at:",
            "method",
        ),
        ("void f() TORCH_EXCLUDES(lock) {}", "f", "function"),
        ("void SGEMM_CHECK(int status) {}", "SGEMM_CHECK", "function"),
    ],
)
def test_one_definition(text: str, name: str, kind: str) -> None:
    found = functions(text, "a.cu")
    assert [(f.name, f.kind) for f in found] == [(name, kind)]


def test_lines_are_those_of_the_name_and_of_the_closing_bracket() -> None:
    (found,) = functions("// one\nstatic Tensor\nadd(\n    int a) {\n  return a;\n}\n")
    assert (found.line, found.end_line, found.signature) == (3, 6, "static Tensor add( int a)")


def test_anonymous_namespaces_are_a_flag() -> None:
    (found,) = functions("namespace at { namespace { void f() {} } }")
    assert (found.name, found.is_anonymous) == ("at::f", True)


@pytest.mark.parametrize(
    "text",
    [
        "void f() { if (a) { b(); } for (;;) { while (x) { } } switch (y) { case 1: { } } }",
        "void f() { TORCH_CHECK(a, [&] { return 1; }()); AT_DISPATCH_ALL_TYPES(t, [&] { g<scalar_t>(); }); }",
        "void f() { auto s = R\"(} } } {)\"; char c = '{'; /* { */ } // }",
        "void f() { auto l = [](int x) { struct L { void m() {} }; return x; }; }",
        "void f() {\n#ifdef A\n  if (x) {\n#else\n  if (y) {\n#endif\n  }\n}",
        "void f() {\n#if 0\n  } } }\n#endif\n}",
        "int table[] = {1, 2}; enum class E : int { A, B }; struct P q{1}; using T = int; void f() {}",
    ],
)
def test_only_the_function_itself(text: str) -> None:
    assert names(text + "\nvoid last() {}") == ["f", "last"]


def test_a_signature_split_by_if() -> None:
    text = "#ifdef A\nvoid f(int a)\n#else\nvoid f(float a)\n#endif\n{ g(); }\nvoid last() {}"
    assert names(text) == ["f", "last"]


def test_variants_under_if_are_all_listed() -> None:
    text = "#if A\nint f() { return 1; }\n#else\nint f() { return 2; }\n#endif\n"
    assert [(f.name, f.line) for f in functions(text)] == [("f", 2), ("f", 4)]
    opened = (
        "#if A\nint f(int a) {\n#else\nint f(float a) {\n#endif\n  return 1;\n}\nvoid last() {}"
    )
    assert [(f.name, f.line, f.end_line) for f in functions(opened)] == [
        ("f", 2, 7),
        ("f", 4, 7),
        ("last", 8, 8),
    ]


def test_a_namespace_opened_in_either_branch() -> None:
    text = (
        "#ifdef A\nnamespace one {\n#else\nnamespace two {\n#endif\nvoid f() {}\n}\nvoid last() {}"
    )
    assert names(text) == ["one::f", "last"]


def test_unbalanced_brackets_in_a_dead_branch_do_not_hide_what_follows() -> None:
    text = "namespace n {\nvoid f() {\n#if A\n  g({{1, 2});\n#endif\n}\n\nvoid last() {\n}\n\n}\n"
    assert "n::last" in names(text)


def test_classes_and_their_bases() -> None:
    facts = definitions(
        CppUnit(
            "a.h",
            b"namespace n { class TORCH_API A final : public B<int>, private c::D { }; struct { int x; } y; }",
        )
    )
    (found,) = [fact for fact in facts if isinstance(fact, ClassDefinition)]
    assert (found.name, found.scope, found.bases) == ("n::A", "n", ("B", "c::D"))


def test_macro_heads_and_uses() -> None:
    text = b"""namespace at::native {
ONE(a)
static TWO(b)
THREE(c) const Tensor& f(int x) { return x; }
TORCH_IMPL_FUNC(add_out)(const Tensor& a, int b) { g(); }
DEFINE_STUB(s);
}
"""
    facts = list(definitions(CppUnit("a.cpp", text)))
    uses = [(fact.name, fact.line, fact.scope) for fact in facts if isinstance(fact, MacroUse)]
    assert uses == [("ONE", 2, "at::native"), ("TWO", 3, "at::native"), ("THREE", 4, "at::native"),
                    ("DEFINE_STUB", 6, "at::native")]  # fmt: skip
    (head,) = [fact for fact in facts if isinstance(fact, MacroHead)]
    assert (head.text, head.line) == ("TORCH_IMPL_FUNC(add_out)(const Tensor& a, int b)", 5)
    assert [fact.name for fact in facts if isinstance(fact, FunctionDefinition)] == [
        "at::native::f"
    ]


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
    ],
)
def test_expansion(text: str, expanded: str) -> None:
    table = MacroTable(parse_defines(
        b"#define CAT(a, b) a##b\n#define STR(x) #x\n#define LOG(f, ...) p(f, ##__VA_ARGS__)\n"
        b"#define GNU(f, rest...) p(f , ##rest)\n#define LOOP LOOP + 1\n#define BOTH(m) m(1, 2)\n"
        b"#define XCAT(a, b) CAT(a, b)\n#define X(m) m\n"
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


def test_calls_with_their_form_receiver_and_number_of_arguments() -> None:
    text = b"""
void f(const Tensor& self, std::shared_ptr<Node> node) {
  at::add(self, g<int, 2>(1), {1, 2});
  self.sum(0);
  node->next();
  Guard guard(self);
  auto* p = new Impl(1, 2);
  this->run();
  k<float><<<1, 2, 0, s>>>(p, 3);
  TORCH_CHECK(ok(), "x");
  AT_DISPATCH_X(t, [&] { inner(a, b); });
  if (x) { return; }
  return static_cast<int>(h());
}
"""
    found = calls(CppUnit("a.cu", text))
    assert found is not None
    rows = [
        (found.texts[callee], found.texts[receiver], form, count, line)
        for callee, receiver, form, count, line in zip(
            found.callees, found.receivers, found.forms, found.arguments, found.lines, strict=True
        )
    ]
    assert rows == [
        ("at::add", "", 0, 3, 3), ("g", "", 0, 1, 3), ("sum", "Tensor", MEMBER, 1, 4),
        ("next", "Node", MEMBER, 0, 5), ("Guard", "", CONSTRUCT, 1, 6), ("Impl", "", CONSTRUCT, 2, 7),
        ("run", "this", MEMBER, 0, 8), ("k", "", LAUNCH, 2, 9), ("ok", "", 0, 0, 10),
        ("inner", "", 0, 2, 11), ("h", "", 0, 0, 13),
    ]  # fmt: skip


SOURCES = {
    "a.h": b"namespace n { struct B { void base() {} }; struct C : B { C(int a) {} void m() { base(); } }; }\n"
    b"#define MAKE(x) int make_##x(int a) { return a; }\n",
    "a.cpp": b"""namespace n {
static int helper(int a) { return a; }
int over(int a) { return 1; }
int over(int a, int b) { return helper(a); }
MAKE(one)
void user(C& c) { over(1, 2); c.m(); C d(3); make_one(1); at::relu(c); unknown(1); }
}
""",
    "b.cpp": b"namespace m { static int helper(int a) { return a; }"
    b" void user() { helper(1); n::over(1); over(1); } }\n",
    "c.cpp": b"using namespace n;\nvoid free_user() { over(1); }\n",
}


def linked() -> sqlite3.Connection:
    conn = sqlite3.connect(":memory:")
    conn.create_function("split_words", 1, str)
    for statement in statements((ROOT / "schema.sql").read_text(encoding="utf-8")):
        conn.execute(statement)
    conn.execute(
        "INSERT INTO operators (name, namespace, base, overload, kind, origin)"
        " VALUES ('aten::relu', 'aten', 'relu', '', 'functional', 'yaml')"
    )
    for number, (path, data) in enumerate(SOURCES.items(), 1):
        conn.execute("INSERT INTO source_files VALUES (?, ?, 'cpp', 0, '')", (number, path))
        unit = CppUnit(path, data)
        columns = calls(unit)
        facts = [*macros(unit), *definitions(unit), *([columns] if columns is not None else [])]
        write_cpp(conn, path, number, facts)
    for step in ("15_macro_functions", "25_calls"):
        import_module(f"indexer.link.{step}").link(conn, WorkerPool(0))
    return conn


def test_resolved_calls() -> None:
    conn = linked()
    rows = conn.execute(
        "SELECT c.caller, g.signature, c.kind, c.line FROM v_calls AS c JOIN functions AS g ON g.id = c.callee_id"
        " ORDER BY c.file, c.line, g.signature"
    ).fetchall()
    assert rows == [
        ("n::over", "static int helper(int a)", "call", 4),
        ("n::user", "C(int a)", "constructor", 6),
        ("n::user", "int make_one(int a)", "call", 6),
        ("n::user", "int over(int a, int b)", "call", 6),
        ("n::user", "void m()", "call", 6),
        ("n::C::m", "void base()", "call", 1),
        ("m::user", "int over(int a)", "call", 1),
        ("m::user", "static int helper(int a)", "call", 1),
        ("free_user", "int over(int a)", "call", 2),
    ]
    assert conn.execute("SELECT callee, arguments, line FROM operator_calls").fetchall() == [
        ("at::relu", 1, 6)
    ]
    files = dict(conn.execute("SELECT c.file, count(*) FROM v_calls AS c GROUP BY 1"))
    assert files == {"a.cpp": 5, "a.h": 1, "b.cpp": 2, "c.cpp": 1}


def test_many_overloads_are_candidates_and_specializations_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kinds = ("Raw", "Full", "Key", "Backend", "List", "Bits")
    overloads = "".join(f"int pick({kind} k) {{ return 1; }}\n" for kind in kinds)
    special = "".join(f"template <> int as<{kind}>(int k) {{ return 1; }}\n" for kind in kinds)
    text = f"{overloads}{special}void use() {{ pick(Key::A);\n as<Key>(3); }}\n"
    monkeypatch.setitem(SOURCES, "many.cpp", text.encode())
    rows = (
        linked()
        .execute("SELECT callee, kind, count(*) FROM v_calls WHERE caller = 'use' GROUP BY 1, 2")
        .fetchall()
    )
    # Which overload is meant the text does not say; a template's specializations are one thing.
    assert rows == [("as", "call", 1), ("pick", "candidate", 6)]


@pytest.mark.parametrize(
    ("parameter", "kind"),
    [
        ("const Tensor& self", "Tensor"), ("const std::optional<Tensor>& weight", "Tensor?"),
        ("TensorList xs", "Tensor[]"), ("const ITensorListRef& xs", "Tensor[]"), ("int64_t dim", "int"),
        ("c10::SymIntArrayRef size", "int[]"), ("OptionalIntArrayRef dim", "int[]?"), ("bool half_to_float", "bool"),
        ("std::optional<ScalarType> dtype", "ScalarType?"), ("const Scalar& alpha", "Scalar"),
        ("ArrayRef<Scalar> scalars", "Scalar[]"), ("std::string_view mode", "str"), ("T value", "?"),
    ],
)  # fmt: skip
def test_parameter_classes(parameter: str, kind: str) -> None:
    assert parameter_class(parameter) == kind


def test_overloads_are_told_apart_by_their_parameters() -> None:
    signature = (
        "TORCH_IMPL_FUNC(add_out)(const Tensor& a, std::pair<int, int> b, const Tensor& out)"
    )
    assert parameters_of(signature, "at::native::add_out") == ["const Tensor& a", "std::pair<int, int> b",
                                                               "const Tensor& out"]  # fmt: skip
    assert parameters_of("Tensor f(int a = g(1, 2), bool b)", "f") == ["int a", "bool b"]
    assert schema_class("SymInt[2]?") == "int[]?"
    wanted = ["Tensor", "Tensor"]
    assert mismatches(["const Tensor& a", "const Tensor& b"], wanted) == 0
    assert mismatches(["const Tensor& a", "const Scalar& b"], wanted) > 0
    assert mismatches(["const Tensor& a"], wanted) >= 100


PIECES = st.lists(
    st.sampled_from([
        b"{", b"}", b"(", b")", b"<", b">", b";", b"\n", b" ", b'"', b"'", b"\\", b"//", b"/*", b"*/", b"#if A\n",
        b"#else\n", b"#endif\n", b"#define M(x) x##y {\n", b"namespace a ", b"class B ", b"f", b"operator", b"::",
        b"M(a)", b"void g(int a)", b"= [", b"]", b",", b"template <", b"~", b"- (void)x:(int)y", b"@end", b":", b"->",
        b"k<<<1>>>(2)", b"R\"x(", b")x\"", b"\xff\xfe", b"extern \"C\"", b"TORCH_IMPL_FUNC(f)(int a)",
    ]),
    max_size=60,
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.binary(max_size=300), PIECES.map(b"".join)))
def test_any_bytes_are_read_and_lines_stay_inside_the_file(data: bytes) -> None:
    unit = CppUnit("a.mm", data)
    last = data.count(b"\n") + 1
    table = MacroTable(parse_defines(data, "a.mm"))
    expander = FunctionMacros(table)
    for fact in [*macros(unit), *definitions(unit)]:
        line = getattr(fact, "line", 1)
        assert 1 <= line <= last
        assert line <= getattr(fact, "end_line", line) <= last
        if isinstance(fact, MacroUse):
            expander.from_use(
                fact.name, fact.text, fact.scope, fact.class_name, fact.file, fact.line
            )
    found = calls(unit)
    assert found is None or all(1 <= line <= last for line in found.lines)
