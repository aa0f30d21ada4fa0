"""What template arguments in a call say of what is called, also where a file's own macro writes them."""

from __future__ import annotations

import pytest

from tests.unit.cpp.test_call_names import edges, linked_with

TEMPLATES = b"""
namespace n {
constexpr int threads() { return 4; }
template <int a, int b> void launch(int n) {}
struct Own { template <int A> void sort(int x) {} };
template <typename T> void compute(T* x) {}
template <typename T, void one(T*)> void each(T* x) { one(x); }
namespace templates {
template <typename T> void near(T x) {}
struct Own { template <int A> static void order(int x) {} };
}
"""


@pytest.mark.parametrize(
    ("body", "found"),
    [
        # `template` says that a name is a template's.
        (b"own.template sort<2>(3);", ["n::Own::sort"]),
        (b"(&own)->template sort<2>(3);", ["n::Own::sort"]),
        # Calls among template arguments.
        (b"launch<threads(), 4>(x);", ["n::launch", "n::threads"]),
        (b"launch<4, threads()>(x);", ["n::launch", "n::threads"]),
        (b"launch<4, wide<threads()>()>\n (x);", ["n::launch", "n::threads"]),
        (b"launch<sizeof(x), 4>(x);", ["n::launch"]),
        (b"h.typed<Own(int)>().call(x);", []),
        # Functions that are template arguments.
        (b"each<int, compute<int>>(&x);", ["n::compute", "n::each"]),
        (b"each<int, compute>(&x);\n each<int, compute>(&x);", ["n::compute", "n::each"] * 2),
        (b"int compute = 3; each<int, compute>(&x);", ["n::each"]),
        # Functions that are values.
        (b"auto run = x ? compute<int> : each<int, 3>; run(&x);", ["n::compute", "n::each"]),
        (b"go({compute<int>, &each<int>});", ["n::compute", "n::each"]),
        (b"go(wide<int>, std::vector<int>, Own<int>);", []),
        # A namespace may begin with the word.
        (
            b"n::templates::near<int>(x); templates::Own::template order<1>(x);",
            ["n::templates::Own::order", "n::templates::near"],
        ),
        (b"bool less = x <compute; each<int>(compute > (x));", ["n::each"]),
    ],
)
def test_template_arguments(monkeypatch: pytest.MonkeyPatch, body: bytes, found: list[str]) -> None:
    source = TEMPLATES + b"void f(int x, Own own) {\n" + body + b"\n}\n}\n"
    called = [c for caller, c in edges(monkeypatch, a_cpp=source) if caller == "n::f"]
    assert called == found


MACROS = b"""
#define RUN(T, N) run<T>(out, N)
#define EACH(F, N) F(N); other(1)
#define BOTH(T) do { RUN(T, 1); EACH(n::each<T>, 2); } while (0)
#define PASTED(x) x##_run(1); near_##x(2)
#define MANY(...) run(__VA_ARGS__)
#define MEMBER(x) x.go(1); Made made(2); (void)sizeof(x)
#define ASK(method) Made(x).method
#define OF_LAMBDA(m) other([](int n, const Made& made) { made.m(n); })
#define OF_OTHERS(m) other([](auto made) { made.m(1); held.m(1); y().made.m(1); })
#define NEXT() AGAIN()
#define AGAIN() NEXT(); other(2)
namespace n {
struct Made { Made(int a) {} void go(int a) {} };
template <typename T> void run(int out, int n) {}
template <typename T> void each(int n) {}
void other(int n) {} void a_run(int n) {} void near_a(int n) {} void one(int n) {}
"""


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (b"RUN(int, 1);", ["n::run"]),
        (b"go([&] { RUN(int, 1); });", ["n::run"]),
        (b"EACH(one, 3);", ["n::one", "n::other"]),
        # It is named there, and called.
        (b"EACH(each<int>, 3);", ["n::each", "n::each", "n::other"]),
        (b"EACH(x + 1, 3);", ["n::other"]),
        (b"BOTH(float);", ["n::each", "n::other", "n::run"]),
        (b"PASTED(a);", []),
        (b"MANY(1, 2);", ["n::run"]),
        (b"MEMBER(x);", []),
        # A member, where the macro says what it is one of; the use may give the whole call.
        (b"ASK(go(4));", ["n::Made::Made", "n::Made::go"]),
        (b"ASK(KEPT_TOGETHER(go(4, 5)));", ["n::Made::Made"]),
        (b"ASK(KEPT_TOGETHER(go(4)));", ["n::Made::Made", "n::Made::go"]),
        (b"ASK(size);", ["n::Made::Made"]),
        (b"OF_LAMBDA(go);", ["n::Made::go", "n::other"]),
        (b"OF_OTHERS(go);", ["n::other"]),
        (b"AGAIN();", ["n::other"]),
        # One is defined behind its use, one in the body.
        (b"LATER(1);", []),
        (b"\n#define HERE(n) one(n)\n HERE(1); HERE(2);", ["n::one"]),
        # What a use of that one names is called where it stands.
        (
            b"\n#define DEF(m) each([](const Made& made) { return made.m(1); })\nDEF(go)\nDEF(x);",
            ["n::each", "n::Made::go"],
        ),
        (b"\n#define TWICE(g) g(1); one(2)\nTWICE(other);", ["n::one", "n::other"]),
    ],
)
def test_calls_that_a_file_s_own_macros_write(
    monkeypatch: pytest.MonkeyPatch, body: bytes, found: list[str]
) -> None:
    source = MACROS + b"void f(int out, int x) {\n" + body + b"\n}\n}\n#define LATER(n) one(n)\n"
    called = [c for caller, c in edges(monkeypatch, a_cpp=source) if caller == "n::f"]
    assert called == found


def test_template_arguments_mean_a_template(monkeypatch: pytest.MonkeyPatch) -> None:
    source = b"""
#define PIN(T, N) pin<T>(N)
#define PLAIN(N) pin(N)
#define GIVEN(F, N) F(N)
namespace n {
int pin(const int& x, int device = 0) { return x; }
template <class T> T pin(long size) { return T(size); }
struct Book { int item(int x) const { return x; } int leaf(int x) const { return x; } };
void given() { PIN(int, 1); }
void handed() { GIVEN(pin<int>, 1); }
void plain() { PLAIN(1); }
void member() { auto u = make(); u.item<int>(1); u.leaf(1); }
}
"""
    rows = linked_with(monkeypatch, a_cpp=source).execute(
        "SELECT DISTINCT u.name, v.signature, c.kind FROM calls AS c JOIN functions AS u ON u.id = c.caller_id"
        " JOIN functions AS v ON v.id = c.callee_id"
    )
    plain, template = (
        "int pin(const int& x, int device = 0)",
        "template <class T> T pin(long size)",
    )
    assert set(rows) == {
        ("n::given", template, "call"), ("n::handed", template, "call"),
        # A name that is handed on may be either.
        ("n::handed", plain, "candidate"), ("n::handed", template, "candidate"),
        ("n::plain", plain, "candidate"), ("n::plain", template, "candidate"),
        ("n::member", "int leaf(int x) const", "candidate"),
    }  # fmt: skip
