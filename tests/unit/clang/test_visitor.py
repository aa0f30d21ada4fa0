"""What the visitor sees: each kind of call, its place, and who it belongs to."""

from __future__ import annotations

from pathlib import Path

from tests.unit.support.clang_units import Call, calls, parse


def test_overloads_are_apart(tmp_path: Path) -> None:
    facts = parse(
        tmp_path, "namespace a { int f(int); int f(double); int g() { return f(1) + f(1.0); } }"
    )
    called = {facts.symbols[n].usr for n in facts.callees}
    assert len(called) == 2
    assert {facts.symbols[n].signature for n in facts.callees} == {"int f(int)", "int f(double)"}


def test_each_call_of_a_chain_has_its_own_line(tmp_path: Path) -> None:
    text = "struct S { S& a(); S& b(); };\nvoid f(S s) {\n  s\n    .a()\n    .b();\n}\n"
    assert calls(parse(tmp_path, text)) == [
        Call("f", "S::b", "call", 5), Call("f", "S::a", "call", 4),
    ]  # fmt: skip


def test_calls_inside_macros_arguments_keep_their_lines(tmp_path: Path) -> None:
    text = "#define TWICE(x) do { x; x; } while (0)\nvoid a(); void b();\nvoid f() {\n  TWICE(a(\n  );\n  b());\n}\n"
    assert {(c.callee, c.line) for c in calls(parse(tmp_path, text))} == {("a", 4), ("b", 6)}


def test_lambdas_and_local_classes_belong_to_their_function(tmp_path: Path) -> None:
    text = "void a();\nvoid f() {\n  auto l = [] { a(); };\n  struct L { void m() { a(); } };\n  l();\n}\n"
    assert {c.caller for c in calls(parse(tmp_path, text)) if c.callee == "a"} == {"f"}


def test_functions_passed_on_are_references(tmp_path: Path) -> None:
    text = "void k(int); void run(void (*)(int));\nvoid f() { run(k); run(&k); k(1); }\n"
    kinds = [c.kind for c in calls(parse(tmp_path, text)) if c.callee == "k"]
    assert sorted(kinds) == ["call", "reference", "reference"]


def test_virtual_calls_and_what_overrides(tmp_path: Path) -> None:
    text = (
        "struct A { virtual void m(); };\nstruct B : A { void m() override {} };\n"
        "void f(A* a) { a->m(); a->A::m(); }\n"
    )
    facts = parse(tmp_path, text)
    assert [c.kind for c in calls(facts)] == ["virtual", "call"]
    names = [
        (facts.symbols[o.method].name, facts.symbols[o.overridden].name) for o in facts.overrides
    ]
    assert names == [("B::m", "A::m")]


def test_operators_and_conversions_are_virtual_methods_too(tmp_path: Path) -> None:
    text = (
        "struct A { virtual int operator()(int) = 0; virtual operator bool() const; int operator[](int); };\n"
        "struct B : A { int operator()(int) override; operator bool() const override { return true; } };\n"
        "int B::operator()(int x) { return x; }\n"
        "int f(A& a) {\n  if (!a) return 0;\n  return a((*&a)(1)) + a[2];\n}\n"
        "int g(A& a) { return a.operator()(1); }\n"
        "int h(B& b) { return b.B::operator()(1); }\n"
    )
    facts = parse(tmp_path, text)
    assert calls(facts) == [
        Call("f", "A::operator bool", "virtual", 5),
        Call("f", "A::operator()", "virtual", 6), Call("f", "A::operator()", "virtual", 6),
        Call("f", "A::operator[]", "call", 6),
        Call("g", "A::operator()", "virtual", 8),
        Call("h", "B::operator()", "call", 9),
    ]  # fmt: skip
    names = {
        (facts.symbols[o.method].name, facts.symbols[o.overridden].name) for o in facts.overrides
    }
    assert names == {
        ("B::operator()", "A::operator()"), ("B::operator bool", "A::operator bool"),
    }  # fmt: skip


def test_an_operator_of_an_object_that_is_no_reference_is_that_of_its_class(
    tmp_path: Path,
) -> None:
    text = (
        "struct A { virtual int operator()(int) { return 1; } };\n"
        "struct Held { A member; A& other; };\n"
        "A by_value(); A& by_reference();\n"
        "int f(A& a, A* p, Held& held, A value) {\n"
        "  A{}(1); A()(1); value(1); held.member(1); by_value()(1);\n"
        "  a(1); (*p)(1); p[0](1); held.other(1); by_reference()(1);\n"
        "}\n"
    )
    found = [c for c in calls(parse(tmp_path, text)) if c.callee == "A::operator()"]
    assert [(c.line, c.kind) for c in found] == [(5, "call")] * 5 + [(6, "virtual")] * 5


def test_an_operator_of_what_a_smart_pointer_gives_is_virtual(tmp_path: Path) -> None:
    text = (
        "struct A { virtual int operator()(int) { return 1; } };\n"
        "template <class T> struct Ref { using type = T&; };\n"
        "template <class T> struct Ptr { typename Ref<T>::type operator*() const; };\n"
        "int f(const Ptr<A>& hook) { return (*hook)(1); }\n"
    )
    found = [c for c in calls(parse(tmp_path, text)) if c.callee == "A::operator()"]
    assert [(c.line, c.kind) for c in found] == [(4, "virtual")]


def test_constructors_and_operators(tmp_path: Path) -> None:
    text = (
        "struct P { P(int); };\nP operator+(const P&, const P&);\nP f() { return P(1) + P(2); }\n"
    )
    found = calls(parse(tmp_path, text))
    assert [c.callee for c in found if c.kind == "constructor"].count("P::P") == 2
    assert Call("f", "operator+", "call", 3) in found


def test_specializations_are_their_template(tmp_path: Path) -> None:
    text = "template <class T> T id(T t) { return t; }\nint f() { return id(1) + id<char>('a'); }\n"
    facts = parse(tmp_path, text)
    assert len({n for n in facts.callees if facts.symbols[n].name == "id"}) == 1


SPECIALIZED = (
    "void g(); void h();\ntemplate <class T> T id(T t);\ntemplate <class T> T id(T t) { g(); return t; }\n"
    "template <> int id<int>(int t) {\n  h();\n  return t;\n}\ntemplate <> char id(char);\n"
    "template <class T> struct C { void m(); };\ntemplate <class T> void C<T>::m() { g(); }\n"
    "template <> void C<int>::m() { h(); }\ntemplate <> struct C<char> { void m() { h(); } };\n"
    "template float id<float>(float);\n"
    "template <class T> constexpr int deep(T);\ntemplate <class T> constexpr int deep(T) { return 1; }\n"
    "int made[deep(1)];\n"
    "void f() { id(1); id(1.0); id('a'); deep(1); C<int>().m(); C<char>().m(); C<float>().m(); }\n"
    "template <class T> void user(T t) { id(t); id<int>(2); }\n"
)


def test_a_specialization_that_is_written_out_has_a_body_of_its_own(tmp_path: Path) -> None:
    facts = parse(tmp_path, SPECIALIZED)
    assert facts.status == "ok", facts.detail
    bodies = {
        (symbol.name, symbol.line, symbol.end_line): symbol.signature
        for symbol in facts.symbols
        if symbol.is_definition and symbol.name in ("id", "C::m", "deep")
    }
    assert bodies == {
        ("id", 3, 3): "T id(T)",
        ("id", 4, 7): "template <> int id<int>(int)",
        ("C::m", 10, 10): "void m()",
        ("C::m", 11, 11): "template <> void m()",
        ("C::m", 12, 12): "void m()",
        ("deep", 15, 15): "int deep(T)",
    }
    lines = {(s.name, s.line) for s in facts.symbols}
    made = [
        (facts.symbols[a].line, facts.symbols[b].name)
        for a, b in zip(facts.callers, facts.callees, strict=True)
        if facts.symbols[b].name in ("g", "h")
    ]
    assert made == [(3, "g"), (4, "h"), (10, "g"), (11, "h"), (12, "h")]
    # What is declared to be specialized is no use of the template.
    assert ("id", 8) in lines


def test_calls_end_at_the_specialization_that_is_meant(tmp_path: Path) -> None:
    facts = parse(tmp_path, SPECIALIZED)
    called = [
        (facts.symbols[a].name, facts.symbols[b].name, facts.symbols[b].line)
        for a, b in zip(facts.callers, facts.callees, strict=True)
        if facts.symbols[a].name in ("f", "user")
        and facts.symbols[b].name in ("id", "C::m", "deep")
    ]
    assert called == [
        ("f", "id", 4), ("f", "id", 3), ("f", "id", 8), ("f", "deep", 15),
        ("f", "C::m", 11), ("f", "C::m", 12), ("f", "C::m", 10),
        ("user", "id", 3), ("user", "id", 4),
    ]  # fmt: skip


def test_dependent_calls_are_candidates(tmp_path: Path) -> None:
    text = "void g(int); void g(double);\ntemplate <class T> void f(T t) { g(t); t.unknown(); }\n"
    facts = parse(tmp_path, text)
    assert [c.kind for c in calls(facts)] == ["candidate", "candidate"]
    assert len(facts.open_lines) == 2


def test_a_visitor_of_many_nodes_is_called_by_what_accepts_it(tmp_path: Path) -> None:
    nodes = "".join(f"struct N{n} {{}};" for n in range(40))
    visit = "".join(f"void visit(N{n}*);" for n in range(40))
    text = f"{nodes}\nstruct V {{ {visit} }};\ntemplate <class T> void accept(V* v, T* t) {{ v->visit(t); }}\n"
    found = [c for c in calls(parse(tmp_path, text)) if c.callee == "V::visit"]
    assert found == [Call("accept", "V::visit", "candidate", 3)] * 40


def test_calls_that_cannot_be_told_stand_at_their_names_lines(tmp_path: Path) -> None:
    text = (
        "struct C { C& a(int); C& b(int); int build(); int n; };\n"
        "template <class T> int f(T t) {\n"
        "  auto x = C()\n"
        "    .a(t)\n"
        "    .b(\n"
        "      t.late(1))\n"
        "    .build();\n"
        "  return g(x, t.n);\n"
        "}\n"
    )
    facts = parse(tmp_path, text)
    assert sorted(facts.open_lines) == [5, 6, 7, 8]


def test_initialisers_call_too(tmp_path: Path) -> None:
    text = "int g();\nint x = g();\nint y = 1;\nstruct S { int z = g(); };\n"
    facts = parse(tmp_path, text)
    assert {(c.caller, c.line) for c in calls(facts)} == {("x", 2), ("S::z", 4)}
    assert "y" not in {symbol.name for symbol in facts.symbols}


def test_who_reads_what_calls_made_depends_on_it(tmp_path: Path) -> None:
    text = (
        "#include <optional>\n#include <a.h>\nint make(int); extern int elsewhere;\nstruct S { static const int s; };\n"
        "namespace n { const int v = make(1); const int plain = 3; static int w = v + make(2); }\n"
        "const int S::s = make(3);\n"
        "int use() {\n  static int own = make(4); int local = make(5); auto none = std::nullopt;\n"
        "  return n::v + n::plain\n    + n::w + S::s + own + local + elsewhere + header;\n}\n"
    )
    facts = parse(tmp_path, text, a_h="int make(int);\nstatic const int header = make(6);\n")
    read = {(c.caller, c.callee, c.line) for c in calls(facts) if c.kind == "reference"}
    assert read == {
        ("n::w", "n::v", 5), ("use", "n::v", 9), ("use", "n::w", 10), ("use", "S::s", 10), ("use", "header", 10),
    }  # fmt: skip


def test_static_functions_of_two_files_differ(tmp_path: Path) -> None:
    one = parse(tmp_path, "static void f() {} void g() { f(); }", "one.cpp")
    (tmp_path / "sub").mkdir()
    two = parse(tmp_path, "static void f() {} void g() { f(); }", "sub/one.cpp")
    usrs = [{s.usr for s in facts.symbols if s.name == "f"} for facts in (one, two)]
    assert usrs[0] != usrs[1]


def test_names_leave_anonymous_and_inline_namespaces_out(tmp_path: Path) -> None:
    text = "namespace a { inline namespace v1 { namespace { void f() {} } } template <class T> struct S { void m() {} }; }"
    assert {s.name for s in parse(tmp_path, text).symbols} == {"a::f", "a::S::m"}


def test_types_without_a_name_are_not_called_by_the_folder_of_the_tree(tmp_path: Path) -> None:
    text = (
        "struct I { I(); };\nvoid f() {\n  struct { I i; } made;\n  auto l = [] {};\n  (void)made; l();\n}\n"
        "template <class T> T deep(T);\ntemplate <class T> void g(T t) { deep(t); }\n"
        "auto h = [] { return 1; };\ndecltype(h) given(decltype(h) x) { return x; }\n"
    )
    facts = parse(tmp_path, text)
    shown = {text for symbol in facts.symbols for text in (symbol.name, symbol.signature)}
    assert not [text for text in shown if str(tmp_path) in text]
    assert "f::(unnamed struct)" in shown


def test_headers_of_the_tree_are_walked(tmp_path: Path) -> None:
    facts = parse(
        tmp_path,
        '#include "h.h"\nvoid f() { inl(); }\n',
        h_h="#pragma once\nvoid x();\ninline void inl() { x(); }\n",
    )
    assert Call("inl", "x", "call", 3) in calls(facts)
    assert facts.headers == ["h.h", "unit.cpp"]
    assert next(s for s in facts.symbols if s.name == "inl").file == "h.h"


def test_missing_headers_make_a_unit_partial_and_the_rest_is_kept(tmp_path: Path) -> None:
    facts = parse(tmp_path, "#include <no/such.h>\nvoid a();\nvoid f() { a(); undeclared(a); }\n")
    assert facts.status == "partial"
    assert facts.problems[0].text == "'no/such.h' file not found"
    assert Call("f", "a", "call", 3) in calls(facts)


def test_options_that_libclang_does_not_know_are_no_errors_of_the_unit(tmp_path: Path) -> None:
    unknown = ("-fno-such-thing", "--param=of-gcc", "-mno-such-isa", "-ffp-contract=nonsense")
    facts = parse(tmp_path, "void a();\nvoid f() { a(); }\n", flags=unknown)
    assert (facts.status, facts.errors) == ("ok", 0)
    assert facts.detail.startswith("left out: unknown argument")
    assert "'-fno-such-thing'" in facts.detail
    assert calls(facts) == [Call("f", "a", "call", 2)]
    forced = parse(tmp_path, "void f() {}\n", flags=("-include", "no_such.h"))
    assert forced.status == "partial"


def test_the_c_library_is_found_without_a_compilers_own_headers(tmp_path: Path) -> None:
    text = "#include <cstddef>\n#include <climits>\n#include <cfloat>\n#include <cstdarg>\n#include <vector>\n#include <immintrin.h>\n"
    text += "size_t f(std::vector<int> v) { return v.size() + INT_MAX + (size_t)DBL_MAX; }\n"
    facts = parse(tmp_path, text)
    assert facts.problems == []
    callee = next(s for s in facts.symbols if s.name == "std::vector::size")
    assert callee.file == "<bits/stl_vector.h>"


def test_what_an_explicit_instantiation_makes_is_no_second_definition(tmp_path: Path) -> None:
    text = "void g();\ntemplate <class T> void f(T) { g(); }\ntemplate void f<int>(int);\n"
    facts = parse(tmp_path, text)
    assert [s.line for s in facts.symbols if s.is_definition] == [2]


def test_lines_that_a_condition_leaves_out_are_told(tmp_path: Path) -> None:
    text = (
        "void a();\n#ifdef NEVER\nvoid b();\n#endif\nvoid f() {\n#ifdef NEVER\n  a();\n#else\n  a();\n#endif\n"
        "}\nvoid g() { a(); }\n"
    )
    facts = parse(tmp_path, text)
    found = [
        (facts.symbols[n].name, line)
        for n, line in zip(facts.left_callers, facts.left_lines, strict=True)
    ]
    assert found == [("f", 6), ("f", 7), ("f", 8)]


def test_c_and_cpp_give_one_signature(tmp_path: Path) -> None:
    """Both include a header, and whichever is read first says what its functions are."""
    (tmp_path / "both.h").write_text("_Bool g(char *restrict a, int unrestricted);\n")
    c = parse(
        tmp_path,
        '#include "both.h"\nvoid f(void) { g(0, 1); }\n',
        name="unit.c",
        flags=("-x", "c", "-std=c11"),
    )
    cpp = parse(
        tmp_path,
        'extern "C" bool h(char *__restrict a, int unrestricted);\nvoid f() { h(nullptr, 1); }\n',
    )
    said = {
        symbol.signature for facts in (c, cpp) for symbol in facts.symbols if symbol.name in "gh"
    }
    assert said == {"bool g(char *, int)", "bool h(char *, int)"}


def test_what_is_called_with_an_argument_that_is_not_understood_is_called(tmp_path: Path) -> None:
    text = """\
struct S { int m(int x); virtual int v(int x); };
namespace n { int known(int a, int b); int other(int a); }
void each(int (*f)(int), S& s);
int f(S& s) {
  s.m(S());
  s.v(S());
  n::known(1, s);
  each(n::other, 1);
  each(n::other, s);
  return n::other(1);
}
"""
    found = {
        (c.callee, c.kind, c.line) for c in calls(parse(tmp_path, text)) if c.kind != "candidate"
    }
    assert found - {("S::S", "constructor", 5), ("S::S", "constructor", 6)} == {
        ("S::m", "call", 5),
        ("S::v", "virtual", 6),
        ("n::known", "call", 7),
        ("n::other", "reference", 8),
        ("n::other", "reference", 9),
        ("each", "call", 9),
        ("n::other", "call", 10),
    }  # fmt: skip
