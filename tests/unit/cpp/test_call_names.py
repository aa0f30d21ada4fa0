"""What a name in a call means by what stands in the function itself: usings, parameters, initializers."""

from __future__ import annotations

import sqlite3

import pytest

from tests.unit.cpp import test_calls as test_cpp_calls


def linked_with(monkeypatch: pytest.MonkeyPatch, **files: bytes) -> sqlite3.Connection:
    """An index of some files, each named with `_` for its dot."""
    sources = {name.replace("_", "."): data for name, data in files.items()}
    monkeypatch.setattr(test_cpp_calls, "SOURCES", sources)
    return test_cpp_calls.linked()


def edges(monkeypatch: pytest.MonkeyPatch, **files: bytes) -> list[tuple[str, str]]:
    """Caller and callee of every call in some files."""
    return (
        linked_with(monkeypatch, **files)
        .execute("SELECT c.caller, c.callee FROM v_calls AS c ORDER BY c.file, c.line, c.callee")
        .fetchall()
    )


GRAPHS = b"""
namespace n::mps { void run(int a) {} void near(int a) {} struct Graph { Graph(int a) {} void go() {} }; }
namespace m { void far(int a) {} void run(int a) {} void both(int a) {} void both(int a, int b) {} }
namespace std { void swap(n::mps::Graph& a, n::mps::Graph& b) {} }
"""


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (b"using namespace mps; run(1);", ["n::mps::run"]),
        (b"run(1); using namespace mps;", []),
        (b"if (x) { using namespace mps; near(1); } run(1);", ["n::mps::near"]),
        (b"go([&] { using namespace mps; near(1); });", ["n::mps::near"]),
        (b"using mps::run; run(1);", ["n::mps::run"]),
        (b"using mps::run; far(1);", []),
        (b"using ::m::far; far(1);", ["m::far"]),
        (b"namespace g = n::mps; g::run(1); run(2);", ["n::mps::run"]),
        (b"using G = mps::Graph; G g(1); g.go();", ["n::mps::Graph::Graph", "n::mps::Graph::go"]),
        # A directive's names stand beside those of the namespace around it, a declaration's before them.
        (b"using namespace m; own(1); both(1, 2);", ["m::both", "n::own"]),
        (b"using m::both; both(1, 2);", ["m::both"]),
        (b"using namespace std; own(1);", ["n::own"]),
        # What the tree adds to the standard library is for types of its own.
        (b"using std::swap; swap(x, x);", []),
        # A parameter's type stands outside of the body.
        (b"using Graph = m::Other; graph.go(); Graph other; other.go();", ["n::mps::Graph::go"]),
        (b"using own = X<bool>::type; own(1); own t(1);", []),
    ],
)
def test_usings_in_a_body(monkeypatch: pytest.MonkeyPatch, body: bytes, found: list[str]) -> None:
    source = (
        GRAPHS + b"namespace n { void own(int a) {} void both(int a) {}\n"
        b"void f(bool x, mps::Graph graph) {" + body + b" }\nvoid g() { run(1); far(1); } }\n"
    )
    assert edges(monkeypatch, a_cpp=source) == [("n::f", callee) for callee in found]


def test_a_macro_among_parameters_may_be_several(monkeypatch: pytest.MonkeyPatch) -> None:
    header = b"""#define GEMM_ARGTYPES(T) char a, T* b, int c
namespace n {
template <typename T> inline void gemm(GEMM_ARGTYPES(T)) {}
inline void other(int a) {}
}
"""
    source = b"namespace n { void f(float* x) {\n gemm<float>('n', x, 1);\n other(1, 2);\n} }\n"
    assert edges(monkeypatch, a_h=header, b_cpp=source) == [("n::f", "n::gemm")]


def test_members_hide_what_a_directive_names(monkeypatch: pytest.MonkeyPatch) -> None:
    source = (
        b"namespace m { void input(int a) {} void far(int a) {} }\n"
        b"struct A { void input(int a) {} };\nstruct B : A { void input(int a, int b = 1) {} };\n"
        b"struct C : B { void f(); };\nvoid C::f() { using namespace m; input(1); far(1); }\n"
    )
    assert edges(monkeypatch, a_cpp=source) == [("C::f", "B::input"), ("C::f", "m::far")]


@pytest.mark.parametrize(
    "before", ["return ", "return\n  ", "else ", "throw ", "co_await ", "", "x = "]
)
def test_a_name_from_the_global_namespace_behind_a_word(
    monkeypatch: pytest.MonkeyPatch, before: str
) -> None:
    source = (
        "namespace n { namespace m { int g(int a) { return a; } }\n"
        f"int f(int x) {{ if (x) {{}} {before}::n::m::g(1); }} }}\n"
    )
    assert edges(monkeypatch, a_cpp=source.encode()) == [("n::f", "n::m::g")]


NAMESAKES = b"""
struct data { data(int a) {} };
void size(int a) {} void op(int a) {} void near(int a) {} struct K { K(int a) {} };
"""


@pytest.mark.parametrize(
    ("function", "found"),
    [
        # What a constructor initializes is a member or a base.
        (b"struct X { X(int n) : size(n), op{n} {} };", []),
        (b"struct X : K { X(int n) noexcept(true) : K(n), size(op(n)) {} };", ["K::K", "op"]),
        (b"struct X { X(int n = near(1)) :\n#if A\n size(n),\n#endif\n op(n) { size(n); } };",
         ["near", "size"]),
        (b"struct X { X(int K) : K(K) {} };", []),
        (b"struct X { X(int n); }; X::X(int n) : size(n) { op(n); }", ["op"]),
        # Parameters hide functions.
        (b"void f(const F& op, int n) { op(n); near(n); }", ["near"]),
        (b"void f(F&& op = F()) { op(1); }", []),
        (b"void f(void (*op)(int), F size[2]) { op(1); size(1); }", []),
        (b"void f(op_t a, int b = op(1)) { op(a); }", ["op"]),
        (b"template <typename F> void f(F op) { op<<<1, 2>>>(3); }", []),
        # So do variables that hold lambdas, and parameters of templates.
        (b"void f() { const auto op = [&](int a) { near(a); }; op(1); }", ["near"]),
        (b"void f() { g([&] { auto op = [&](int a) {}; op(1); }); op(2); }", ["op"]),
        (b"template <template <typename> class op, typename T> void f() { op<T>()(1); near(1); }",
         ["near"]),
        (b"template <typename K> void f() { K k(1); K(2); }", []),
        (b"template <class A, class K = A> struct X { void f() { K k(1); near(1); } };", ["near"]),
        (b"template <class A> struct X { X(A a) : near(a) {} }; void f() { A(1); K(1); }", ["K::K"]),
    ],
)  # fmt: skip
def test_names_that_are_no_functions(
    monkeypatch: pytest.MonkeyPatch, function: bytes, found: list[str]
) -> None:
    rows = edges(monkeypatch, a_h=NAMESAKES, b_cpp=function)
    assert sorted(callee for _, callee in rows) == sorted(found)


def test_functions_in_capitals(monkeypatch: pytest.MonkeyPatch) -> None:
    header = b"""#define BOTH_CHECK(x) x
static inline void DFTI_CHECK(int a) {}
static inline void BOTH_CHECK(int a) {}
"""
    source = b"void f(int x) {\n DFTI_CHECK(x);\n BOTH_CHECK(x);\n NO_CHECK(x);\n}\n"
    assert edges(monkeypatch, a_h=header, b_cpp=source) == [("f", "DFTI_CHECK")]


def test_a_macro_of_another_library_or_source_hides_no_function(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    use = b"void %b(int x) { KNIT_CHECK(x); PURL_CHECK(x); WOOL_CHECK(x); }\n"
    sources = {
        "aten/knit/Exceptions.h": (
            b"inline void KNIT_CHECK(int a) {}\ninline void PURL_CHECK(int a) {}\n"
            b"inline void WOOL_CHECK(int a) {}\n"
        ),
        "aten/knit/One.cpp": use % b"one",
        "aten/knit/Own.cpp": b"#define PURL_CHECK(x) x\n" + use % b"own",
        "c10/util/Wool.h": b"#define WOOL_CHECK(x) x\n",
        "caffe2/knit/common_knit.h": b"#define KNIT_CHECK(x) x\n",
        "caffe2/knit/two.cc": use % b"two",
        "android/three.cpp": use % b"three",
    }
    monkeypatch.setattr(test_cpp_calls, "SOURCES", sources)
    rows = test_cpp_calls.linked().execute("SELECT caller, callee FROM v_calls").fetchall()
    assert set(rows) == {
        ("one", "KNIT_CHECK"), ("one", "PURL_CHECK"), ("own", "KNIT_CHECK"), ("two", "PURL_CHECK"),
        ("three", "PURL_CHECK"),
    }  # fmt: skip


def test_an_alias_that_leads_to_itself_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    source = b"""namespace n {
using T = T::type;
struct Own { void go(int a) {} };
void near(int a) {}
void f(T x, Own y) { x.go(1); y.go(2); near(3); each<T>(x); T made(1); }
}
"""
    assert set(edges(monkeypatch, a_cpp=source)) == {("n::f", "n::Own::go"), ("n::f", "n::near")}


def test_macros_that_use_each_other_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    uses = " ".join(f"M{n}(x{n}, F);" for n in range(30))
    macros = "".join(f"#define M{n}(a, F) {uses} F(a); near(a)\n" for n in range(30))
    source = f"{macros}void near(int a) {{}}\nvoid f(int x) {{ M3(x, near); }}\n".encode()
    assert edges(monkeypatch, a_cpp=source) == [("f", "near")]


def test_methods_that_a_file_defines_outside_of_their_namespace(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    header = (
        b"namespace n::deep { struct Kernel { void run(); void own() {} }; struct Space { }; }\n"
    )
    source = (
        b"using namespace n;\nusing namespace n::deep;\nnamespace Space { void run() {} }\n"
        b"void Kernel::run() { own(); }\nvoid use(Kernel& k) { k.run(); Space::run(); }\n"
    )
    found = edges(monkeypatch, a_h=header, b_cpp=source)
    assert found == [
        ("n::deep::Kernel::run", "n::deep::Kernel::own"), ("use", "Space::run"),
        ("use", "n::deep::Kernel::run"),
    ]  # fmt: skip


def test_a_function_of_a_source_file_by_its_arguments_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source = b"""namespace c10 {
bool unify(const Type& a) { return true; }
static bool unify_own(const Type& a) { return true; }
}
"""
    user = b"namespace n { bool f(const c10::Type& t) { unify_own(t); return unify(t); } }\n"
    assert edges(monkeypatch, a_cpp=source, b_cpp=user) == [("n::f", "c10::unify")]
    header = b"""namespace sdp {
struct Params { int a; };
inline int choose(Params const& p, bool debug) { return 1; }
inline int other(int a) { return 1; }
}
"""
    user = b"namespace at { int f(sdp::Params p) { other(p.a); return choose(p, true); } }\n"
    assert edges(monkeypatch, a_h=header, b_cpp=user) == [("at::f", "sdp::choose")]


def test_the_namespace_of_a_capability_is_no_part_of_a_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kernel = b"namespace a { inline namespace CPU_CAPABILITY { void dot(int n) {} } }\n"
    user = b"namespace b { void f() { a::CPU_CAPABILITY::dot(1); } }\n"
    assert edges(monkeypatch, a_cpp=kernel, b_cpp=user) == [("b::f", "a::dot")]


def test_what_a_header_uses_outside_of_namespaces_holds_for_its_neighbours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    files = {
        "caffe/ops/base.h": b"namespace caffe { int make(int a) { return a; } struct Op { int in() { return 1; } }; }\n"
        b"using namespace caffe;\n",
        "caffe/ops/add.cpp": b"struct Add : Op { int run() { make(1); return in(); } };\n",
        "aten/rules.cpp": b"int rule(int a) { return make(a); }\n"
        b"struct Far : Op { int run() { return in(); } };\n",
    }
    monkeypatch.setattr(test_cpp_calls, "SOURCES", files)
    rows = (
        test_cpp_calls.linked()
        .execute("SELECT caller, callee FROM v_calls ORDER BY caller, callee")
        .fetchall()
    )
    found = [row for row in rows if row[1].startswith("caffe::")]
    # Who derives from a class has included it.
    assert found == [
        ("Add::run", "caffe::Op::in"),
        ("Add::run", "caffe::make"),
        ("Far::run", "caffe::Op::in"),
    ]


def test_what_c_has_in_the_global_namespace_may_be_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    header = b"namespace c { template <class T> T log(Complex<T> x) { return x; }\nint two(int x) { return log(x); } }\n"
    using = b"using c::log;\ndouble one(double x) { return log(x); }\n"
    rows = (
        linked_with(monkeypatch, a_h=header + using)
        .execute("SELECT caller, kind FROM v_calls ORDER BY caller")
        .fetchall()
    )
    assert rows == [("c::two", "call"), ("one", "candidate")]


def test_a_directive_leads_on_to_what_another_says_there(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {
        "a_h": b"namespace c { void stream(int a) {} void event(int a) {} }\nnamespace a::gpu { using namespace c; void own() {} }\n",
        "b_cpp": b"namespace a::native {\nusing namespace a::gpu;\nvoid run() { stream(1); event(2); }\n}\n"
        b"namespace a::other { void none() { stream(4); } }\n"
        # What stands around comes before that.
        b"namespace a { void event(const char* b) {} namespace in { using namespace a::gpu;\n"
        b"void near() { event(1); } } }\n",
    }
    assert edges(monkeypatch, **files) == [
        ("a::native::run", "a::event"),
        ("a::native::run", "c::stream"),
        ("a::in::near", "a::event"),
    ]


def test_what_finds_an_operator_is_called_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {
        "c10_h": b"namespace c10 {\nstruct Handle { void callBoxed(int a) {} };\nstruct Dispatcher {\n"
        b"static Dispatcher& singleton() { return x; }\n"
        b"Handle findSchemaOrThrow(const char* a, const char* b) { return x; }\n};\n}\n",
        "b_cpp": b'void run() {\n  c10::Dispatcher::singleton().findSchemaOrThrow("aten::f", "")\n    .callBoxed(1);\n}\n',
    }
    assert edges(monkeypatch, **files) == [
        ("run", "c10::Dispatcher::findSchemaOrThrow"),
        ("run", "c10::Dispatcher::singleton"),
        ("run", "c10::Handle::callBoxed"),
    ]
