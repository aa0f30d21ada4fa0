"""Objects that are made without round brackets, and calls behind a macro that has a line to itself."""

from __future__ import annotations

import pytest

from indexer.extract.cpp.call_text import UNKNOWN_COUNT, count_braced
from indexer.extract.cpp.calls import calls
from indexer.extract.cpp.unit import CppUnit
from indexer.facts.cpp import CONSTRUCT, HANDED
from tests.unit.cpp.test_call_names import edges
from tests.unit.cpp.test_overloads import called

CLASSES = b"""
namespace n {
struct Guard { Guard() {} };
struct Range { Range(int from, int to) {} Range(int all) {} };
struct Plain { int a; };
struct Late { Late() = default; Late(const Late& other) {} Late(int a) {} };
template <class T> struct Box { Box() {} };
void go(int a) {}
}
"""


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (b"n::Guard guard;", ["n::Guard::Guard"]),
        (b"static const n::Guard guard; thread_local n::Box<int> box;", ["n::Box::Box", "n::Guard::Guard"]),
        (b"if (x) {\n#if A\n  n::Guard a;\n#endif\n  n::Guard b;\n}", ["n::Guard::Guard"] * 2),
        (b"n::Guard a, b;\n  n::Guard c[3];\n  n::Box<int> d, e;", ["n::Box::Box", "n::Guard::Guard", "n::Guard::Guard"]),
        (b"if (x) { x = 1; } else n::Guard a;", ["n::Guard::Guard"]),
        (b"auto a = new n::Guard;\n  use(new n::Guard, 1); auto c = new n::Box<int>[3];",
         ["n::Box::Box", "n::Guard::Guard", "n::Guard::Guard"]),
        (b"n::Range r{1, 2}; go(n::Range{3});", ["n::Range::Range"] * 2),
        (b"const n::Box<int> b{};\nauto c = n::Box<int>{};\nreturn n::Guard{};",
         ["n::Box::Box", "n::Box::Box", "n::Guard::Guard"]),
        (b"all = {n::Range{1, 2},\nn::Range{f(1, 2), {3}}};", ["n::Range::Range"] * 2),
        # None of these makes an object, or one that has a constructor with a body.
        (b"n::Plain p; n::Plain q{1}; n::Guard* g; n::Guard& h = *g;", []),
        (b"return Guard; throw Guard; goto Guard; delete Guard;", []),
        (b"return Guard[1]; return Guard, x; n::Guard *a, *b; anew Guard; x = new int; x = new n::Plain;\n"
         b"n::Range* z = new n::Range::Part(1);", []),
        (b"using n::Guard; struct Guard local; struct Range { int a; };", []),
        (b"struct X : n::Guard { int b; }; auto f = [](int a) -> n::Guard { return {}; };", []),
        (b"n::Range r{1, 2, 3};", []),
    ],
)  # fmt: skip
def test_objects_that_are_made(
    monkeypatch: pytest.MonkeyPatch, body: bytes, found: list[str]
) -> None:
    rows = edges(monkeypatch, a_h=CLASSES, b_cpp=b"int use(int x) {\n" + body + b"\n}\n")
    assert sorted(callee for _, callee in rows) == found


def test_of_a_constructor_s_template_parameter_no_object_is_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source = (
        b"namespace n { template <class Guard> void use() { Guard a; Guard b{1}; go(Guard{}); } }\n"
    )
    assert edges(monkeypatch, a_h=CLASSES, b_cpp=source) == [("n::use", "n::go")]


def test_a_constructor_without_arguments_may_be_defaulted(monkeypatch: pytest.MonkeyPatch) -> None:
    header = """struct Unit { Unit() = default; explicit Unit(const char* text); Unit(const Unit& other); };
struct Seeded { Seeded(int seed = 0); };
"""
    source = """Unit::Unit(const char* text) {}
Unit::Unit(const Unit& other) {}
Seeded::Seeded(int seed) {}
void use() { auto a = std::make_shared<Unit>();
  auto b = new Seeded(); }
"""
    # Which parameters have default values a header may say that has no bodies.
    assert called(monkeypatch, {"u.h": header, "u.cpp": source}) == [
        (4, "u.cpp", 1, "candidate"), (5, "u.cpp", 3, "candidate"),
    ]  # fmt: skip


def test_a_file_s_own_specialization_is_constructed(monkeypatch: pytest.MonkeyPatch) -> None:
    one = "template <> struct Vec<%s> { Vec() {} Vec(int a) {} Vec(%s a) {} };\n"
    files = {f"{of}.h": one % (of, of) for of in ("a", "b", "c", "d", "e")}
    files["a.h"] += "Vec<a> use() { return Vec<a>(1); }\n"
    assert called(monkeypatch, files) == [(2, "a.h", 1, "candidate")] * 2


def test_calls_behind_a_macro_s_line() -> None:
    text = b"int f() {\n  HANDLE_ERRORS\n  check(x);\n  BEGIN_ALL\n  n::go(1);\n  Guard g(x);\n  Foo\n  bar(x);\n}\n"
    found = calls(CppUnit("a.cpp", text))
    assert found is not None
    rows = zip(found.callees, found.forms, found.lines, strict=True)
    assert [(found.texts[callee], form, line) for callee, form, line in rows if form != HANDED] == [
        ("check", 0, 3), ("n::go", 0, 5), ("Guard", CONSTRUCT, 6), ("Foo", CONSTRUCT, 8),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("braces", "count"),
    [
        (b"{}", 0), (b"{ }", 0), (b"{1}", 1), (b"{a, f(b, c), {1, 2}}", 3), (b"{x<a, b>(), 2,}", 2), (b"{a, b", UNKNOWN_COUNT),
    ],
)  # fmt: skip
def test_values_in_braces(braces: bytes, count: int) -> None:
    assert count_braced(braces, 0) == count


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (b"n::Draws uniform(0, 1); return uniform(x);", ["n::Draws::Draws", "n::Draws::operator()"]),
        (b"const n::Draws uniform{0, 1};\n  run([&]() { return uniform(x); });",
         ["n::Draws::Draws", "n::Draws::operator()"]),
        (b"{ n::Draws uniform(0, 1); }\n  return uniform(x);", ["n::Draws::Draws", "uniform"]),
        (b"Other uniform(0, 1); return uniform(x);", []),
    ],
)  # fmt: skip
def test_an_object_hides_a_function_of_its_name(
    monkeypatch: pytest.MonkeyPatch, body: bytes, found: list[str]
) -> None:
    """at::cauchy_distribution<double> cauchy(median, sigma) (aten/src/ATen/native/cpu/DistributionTemplates.h)."""
    header = (
        b"namespace n {\ntemplate <class T> struct Draws {\n  Draws(T from, T to) {}\n"
        b"  T operator()(int x) { return x; }\n};\n}\nint uniform(int x) { return x; }\n"
    )
    rows = edges(monkeypatch, a_h=header, b_cpp=b"int use(int x) {\n" + body + b"\n}\n")
    assert sorted(callee for _, callee in rows) == found
