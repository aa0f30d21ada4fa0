"""Definitions read from small texts; no bytes at all are an error."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.extract.cpp import extract, structure
from indexer.extract.cpp.calls import calls
from indexer.extract.cpp.definitions import definitions, macros
from indexer.extract.cpp.items import items_of
from indexer.extract.cpp.macros_made import FunctionMacros
from indexer.extract.cpp.preprocess import MacroTable, parse_defines
from indexer.extract.cpp.unit import CppUnit
from indexer.facts.cpp import ClassDefinition, FunctionDefinition, MacroHead, MacroUse
from tests.unit.support.endless import ended
from tests.unit.support.tries import tries


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
        ("struct S { bool defined() const noexcept { return 1; } };", "S::defined", "method"),
        ("namespace a { struct S { friend int f(S s) { return 1; } }; }", "a::f", "function"),
        (
            "namespace a { struct S { struct T { friend void swap(T&, T&) {} }; }; }",
            "a::swap",
            "function",
        ),
        (
            "namespace a { struct S { [[nodiscard]] friend S operator+(S a, S b) { return a; } }; }",
            "a::operator+",
            "operator",
        ),
        ("struct S { S(int a) : a_{a}, b_(a) {} };", "S::S", "constructor"),
        ("S::S() : x{1}, y{2} { g(); }", "S::S", "constructor"),
        ("struct S { ~S() {} };", "S::~S", "destructor"),
        ("struct S { operator bool() const { return true; } };", "S::operator bool", "conversion"),
        ("struct S { operator __m256() const { return v; } };", "S::operator __m256", "conversion"),
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
        (
            "@implementation View\n@synthesize at = _at;\nstatic int size = 1;\n- (int)size { return size; }\n@end",
            "View::size",
            "method",
        ),
        (
            "@implementation View\n- (int)size API_AVAILABLE(ios(11.0), macos(10.13)) { return 1; }\n@end",
            "View::size",
            "method",
        ),
        (
            "@implementation Page\n@end\n@implementation View\n+ (View*)of:(int)a\n    API_AVAILABLE(ios(11.0)) { }\n@end",
            "View::of:",
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


PIECES = st.lists(
    st.sampled_from([
        b"{", b"}", b"(", b")", b"<", b">", b";", b"\n", b" ", b'"', b"'", b"\\", b"//", b"/*", b"*/", b"#if A\n",
        b"#else\n", b"#endif\n", b"#define M(x) x##y {\n", b"namespace a ", b"class B ", b"f", b"operator", b"::",
        b"M(a)", b"void g(int a)", b"= [", b"]", b",", b"template <", b"~", b"- (void)x:(int)y", b"@end", b":", b"->",
        b"k<<<1>>>(2)", b"R\"x(", b")x\"", b"\xff\xfe", b"extern \"C\"", b"TORCH_IMPL_FUNC(f)(int a)",
    ]),
    max_size=60,
)  # fmt: skip


@settings(max_examples=tries(300), deadline=None)
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


def test_a_head_begins_behind_the_function_before_it() -> None:
    found = functions(
        "struct S {\n  bool defined() const noexcept {\n    return 1;\n  }\n  int count() const { return 2; }\n};\n"
        "void tries(int x) try {\n  run(x);\n} catch (A&) {\n} catch (...) {\n  log();\n}\nvoid next() {}\n"
    )
    assert [(f.name, f.signature, f.line, f.end_line) for f in found] == [
        ("S::defined", "bool defined() const noexcept", 2, 4),
        ("S::count", "int count() const", 5, 5),
        ("tries", "void tries(int x) try", 7, 12),
        ("next", "void next()", 13, 13),
    ]
    found_calls = calls(CppUnit("a.cpp", b"void tries() try { run(); } catch (...) { log(); }"))
    assert found_calls is not None
    assert {"run", "log"} <= set(found_calls.texts)


def test_a_macro_may_make_a_friend() -> None:
    defines = b"#define SWAP(T) friend void swap(T&, T&) {}\n"
    expander = FunctionMacros(MacroTable(parse_defines(defines, "a.h")))
    (found,) = expander.from_use("SWAP", "SWAP(S)", "lib::S", "S", "a.h", 3).functions
    assert (found.name, found.kind) == ("lib::swap", "function")


def test_uses_without_semicolons_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    read = structure._Scanner.head_text
    monkeypatch.setattr(
        structure._Scanner, "head_text", lambda self, at: asked.append(at) or read(self, at)
    )
    use = "REGISTER(op, {\n  if (x) { y(); }\n})\n"
    guarded = "#if X\nREGISTER(other, { a(); })\n#else\nREGISTER(other, { b(); })\n#endif\n"
    found = structure.scan((use * 300 + guarded + use * 300 + "void f() { g(); }\n").encode())
    assert len(asked) < 10
    assert [function.head.name for function in found.functions] == ["f"]
    assert [u.name for u in found.uses] == ["REGISTER"] * 601
    assert all("y();" in u.text or "a();" in u.text for u in found.uses)


@pytest.mark.parametrize("block", ["}{", "{}", "a}{", "}}{{", "a{} ", "{a}, "])
def test_blocks_that_belong_to_nothing_are_not_read_again_for_each(
    block: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two thousand of them took eleven seconds: each was read with all before it."""
    read: list[int] = []
    head_text = structure._Scanner.head_text
    monkeypatch.setattr(
        structure._Scanner, "head_text", lambda self, at: read.append(at) or head_text(self, at)
    )
    monkeypatch.setattr(structure, "_MOST_TRIES", 20)
    found = structure.scan(f"{block * 200};\nvoid f() {{ g(); }}\n".encode())
    assert len(read) < 50
    assert "blocks that belong to nothing" in [what for _, what in found.problems]
    # What stands behind them is read as ever; where all is unbalanced, nobody knows what that is.
    if block in ("{}", "a{} ", "{a}, "):
        assert [function.head.name for function in found.functions] == ["f"]


def test_values_in_braces_are_no_uses_of_macros() -> None:
    """It was an exception, and no index."""
    text = "A{1} B{2} void f() {}"
    assert names(text) == ["f"]
    assert structure.scan(text.encode()).uses == []


@pytest.mark.parametrize("before", [b"", b"#define X ", b'const char* s = "'])
def test_quotes_that_nothing_ends(before: bytes) -> None:
    with ended():
        facts = [*extract("a.cpp", before + b'\\"' * 20_000 + b"\n;int f() { return 0; }\n")]
    assert any(isinstance(fact, FunctionDefinition) and fact.name == "f" for fact in facts)


def test_angles_that_nothing_closes() -> None:
    with ended():
        found = items_of("a<" * 20_000)
    assert len(found) == 40_000
    assert [item.kind for item in items_of("a<b<c>> d<")] == ["w", "<", "w", "s"]


@pytest.mark.parametrize(
    ("text", "signature"),
    [
        ("int f(const Options& o = {}) { return 1; }", "int f(const Options& o = {})"),
        ("int f(List a = {1, 2}, List b = {}) {}", "int f(List a = {1, 2}, List b = {})"),
        ("struct S { S(int a) : a_{a}, b_(a) {} };", "S(int a) : a_{a}, b_(a)"),
        (
            "S::S() : S([](int x) { return something(x) + something_else(x); }) {}",
            "S::S() : S([](int x) {...})",
        ),
    ],
)
def test_braces_in_a_head_stay_braces(text: str, signature: str) -> None:
    (function,) = functions(text)
    assert function.signature == signature
