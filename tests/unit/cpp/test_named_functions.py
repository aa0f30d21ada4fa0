"""Functions that a body names without calling them: handed on, returned, assigned, or listed."""

from __future__ import annotations

import pytest

from tests.unit.cpp.test_call_names import edges, linked_with


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (b"each(xs, &fn);", ["n::fn"]),
        (b"each(xs, n::fn);", ["n::fn"]),
        (b"m.impl(\"x\", TORCH_FN(::n::fn));", ["n::fn"]),
        (b"auto p = &n::fn; T t{n::fn, 1}; return &fn;", ["n::fn"] * 3),
        (b"using namespace m; each(xs, &other);", ["m::other"]),
        (b".def(\"x\", &S::method).def(\"y\", &S::S);", ["n::S::method"]),
        # Variables that are called so, and what is no address.
        (b"int fn = 1; each(xs, &fn);", []),
        (b"each(&argument);", []),
        (b"g([](int fn) { each(&fn); });", []),
        (b"bool b = x & fn; b = (x) &fn; each(fn);", []),
        (b"each(m::other && n::fn); std::fn(std::fn);", []),
        # Constants and types, which are never taken for functions.
        (b"each(m::kOther); each(n::S);", []),
    ],
)  # fmt: skip
def test_functions_that_are_named(
    monkeypatch: pytest.MonkeyPatch, body: bytes, found: list[str]
) -> None:
    source = (
        b"namespace m { void other() {} void kOther() {} }\nnamespace n { void fn(int a) {}\n"
        b"void argument() {} void two(int a) {} void two(T a) {}\n"
        b"struct S { S() {} void method() {} };\nvoid f(bool x, T xs, int argument) {\n" + body
    )
    conn = linked_with(monkeypatch, a_cpp=source + b"\n} }\n")
    rows = conn.execute(
        "SELECT callee, kind FROM v_calls WHERE caller = 'n::f' ORDER BY line, callee"
    )
    assert set(rows) == {(callee, "reference") for callee in found}


INTERNAL = b"""
namespace n {
namespace { bool hidden(int a) { return true; } template <typename T> T wide(T a) { return a; } }
static bool own(int a) { return true; }
bool seen(int a) { return true; }
bool seen_from_all(int a) { return true; }
struct S { static bool of_class(int a) { return true; } };
"""


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (b"each(hidden, own);", ["n::hidden", "n::own"]),
        (b"std::array<F, 2> all = {hidden, own};", ["n::hidden", "n::own"]),
        (b"auto chosen = x ? hidden : own; return own;", ["n::hidden", "n::own"]),
        (b"auto all = {wide<int>, hidden};", ["n::hidden", "n::wide"]),
        # Others may have a variable of that name, and here they do.
        (b"each(seen, of_class);", []),
        (b"return seen;", ["n::seen"]),
        (b"if (x) { return wide<int, 2>; } return x < seen;", ["n::wide"]),
        (b"int seen = 3; return seen;", []),
        (b"each(1, seen_from_all); each(seen_from_all, 2);", ["n::seen_from_all"]),
        (b"each(\n  seen_from_all,\n  2);", ["n::seen_from_all"]),
        (b"each(1, [](int seen_from_all) { each(2, seen_from_all); });", []),
        (
            b"slots.a = seen;\nslots.b == hidden; T all = {.a = seen, .b = own};",
            ["n::hidden", "n::own", "n::seen", "n::seen"],
        ),
        (b"int seen = 3; slots.a = seen;", []),
        (
            b"each((run_t)own, x); slots.init = (n::init_t)\n                     hidden;",
            ["n::hidden", "n::own"],
        ),
        (b"bool seen(x); if (x) own; return parameter;", []),
        (b"int own = 3; each(own);", []),
        (b"each(x.hidden, y->own, m::own, hidden_too, hidden + 1);", []),
        (b"each(parameter);", []),
        (b"each(1,\n#ifdef A\n  wide<int>\n#else\n  hidden\n#endif\n);", ["n::hidden"]),
        # A macro may make text of its argument.
        (b"each(KERNEL(own)); BOTH(1, hidden);", ["n::hidden"]),
        (b"BOTH(own, 1);", ["n::own"]),
    ],
)
def test_bare_names_of_functions_that_are_the_file_s_alone(
    monkeypatch: pytest.MonkeyPatch, body: bytes, found: list[str]
) -> None:
    source = (
        INTERNAL
        + b"static void parameter() {}\nF f(bool x, int parameter) {\n"
        + body
        + b"\n}\n}\n"
    )
    rows = linked_with(monkeypatch, a_cpp=source).execute(
        "SELECT callee FROM v_calls WHERE caller = 'n::f' AND kind = 'reference' ORDER BY callee"
    )
    assert [callee for (callee,) in rows] == found


def test_which_overload_is_named_stays_open(monkeypatch: pytest.MonkeyPatch) -> None:
    source = b"namespace n { void two(int a) {} void two(int* a) {} void f(int x) { each(&two); } }"
    rows = linked_with(monkeypatch, a_cpp=source).execute("SELECT callee, kind FROM v_calls")
    assert rows.fetchall() == [("n::two", "candidate")] * 2


def test_a_member_of_a_template_parameter(monkeypatch: pytest.MonkeyPatch) -> None:
    source = b"struct M { void g() {} };\ntemplate <class M> void f() { each(&M::g, M::g); }\n"
    assert edges(monkeypatch, a_cpp=source) == []


def test_a_member_may_be_a_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    source = b"void size() {}\nstruct S { int size; void f() { each(&size); } };\n"
    assert edges(monkeypatch, a_cpp=source) == []


def test_methods_name_functions_of_their_file(monkeypatch: pytest.MonkeyPatch) -> None:
    source = (
        b"namespace n {\nvoid parse_list(int x) {}\nint size_of() { return 1; }\n"
        b"Loader::Loader() { add(1, &parse_list); m_ = size_of; }\n"
        b"struct S { static void done(void* p) {} void f() { each(p, &done); } };\n}\n"
    )
    assert edges(monkeypatch, a_cpp=source) == [
        ("n::Loader::Loader", "n::parse_list"), ("n::Loader::Loader", "n::size_of"), ("n::S::f", "n::S::done"),
    ]  # fmt: skip


def test_long_names_among_template_arguments_and_qualified_values(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    header = b"namespace n {\ninline int nearest_source_index(int x) { return x; }\nint alloc() { return 1; }\n}\n"
    source = (
        b"namespace n {\nvoid f() { upsample<nearest_source_index>(1); g_alloc = n::alloc; }\n"
        b"template <int nearest_source_index> void g() { upsample<nearest_source_index>(1); }\n}\n"
    )
    assert edges(monkeypatch, a_h=header, b_cpp=source) == [
        ("n::f", "n::alloc"), ("n::f", "n::nearest_source_index"),
    ]  # fmt: skip


POOL = b"""
namespace n {
template <class T, void create(T*), void destroy(T)> struct Pool { void reserve() {} };
void make(int* x) {}
void drop(int x) {}
void other(int x) {}
using IntPool = Pool<
    int, make, drop>;
using Plain = Pool<int, m::other, nullptr>;
int get() { static auto pool = std::make_shared<IntPool>(); pool->reserve(); IntPool::first(); return 1; }
int none() { Plain pool; return IntPoolOther(1); }
}
"""


def test_functions_that_an_alias_gives_to_a_template(monkeypatch: pytest.MonkeyPatch) -> None:
    """As `CuBlasPoolType` of aten/src/ATen/cuda/CublasHandlePool.cpp does: who uses it runs them."""
    conn = linked_with(monkeypatch, a_cpp=POOL)
    rows = conn.execute(
        "SELECT caller, callee, kind, line FROM v_calls WHERE callee IN ('n::make', 'n::drop', 'n::other') ORDER BY 2"
    ).fetchall()
    assert rows == [("n::get", "n::drop", "virtual", 10), ("n::get", "n::make", "virtual", 10)]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (b"test(named_kernel);", ["n::named_kernel"]),
        (b"Tester().size(1)\n  .test(\n    named_kernel);", ["n::named_kernel"]),
        (b"int named_kernel = 1; test(named_kernel);", []),
        # Text for a macro, a type for others.
        (b"KERNEL(named_kernel); KERNEL_2(named_kernel); size_t s = sizeof(named_kernel);", []),
        (b"using F = decltype(named_kernel);", []),
        # A variable that the file declares.
        (b"test(device_count);", []),
    ],
)
def test_the_only_argument(monkeypatch: pytest.MonkeyPatch, body: bytes, found: list[str]) -> None:
    """QNNPACK's tests hand their kernels on so: `.test(pytorch_q8gemm_ukernel_4x8__neon)`."""
    header = b"namespace n { inline void named_kernel(int x) {} inline int device_count() { return 1; } }\n"
    source = (
        b"namespace n {\nnamespace o { int device_count = 0;\nvoid f() {\n" + body + b"\n}\n} }\n"
    )
    found_edges = edges(monkeypatch, a_h=header, b_cpp=source)
    assert found_edges == [("n::o::f", name) for name in found]


def test_a_method_hands_on_what_another_file_defines(monkeypatch: pytest.MonkeyPatch) -> None:
    """`map(calc_erfinv)` of vec_base.h means that of Math.h, but for a class with such a data member."""
    header = b"namespace n { inline float calc_erfinv(float x) { return x; } }\n"
    fields = b"namespace n { struct Base { Slot calc_erfinv; }; }\n"
    source = (
        b"namespace n {\nstruct Vec { Vec erfinv() { return map(calc_erfinv); } };\n"
        b"struct Own : public Base { Own erfinv() { return map(calc_erfinv); } };\n}\n"
    )
    assert edges(monkeypatch, a_h=header, b_h=fields, c_h=source) == [
        ("n::Vec::erfinv", "n::calc_erfinv")
    ]


def test_functions_that_are_given_by_their_addresses_among_template_arguments_or_of_no_namespace(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source = b"""
void lock_(int fd) {}
namespace n {
void fall(int a) {}
void branch_made(int a) {}
void branch_other(int a) {}
void end_all(int a) {}
void f(Library& m, Type* type, int size) {
  m.fallback(make<&fall>()); m.fallback(make<
    &fall>());
  m.fallback(make<&fall>());
  each(std::bind(::lock_, size));
  bool less = size <&fall;
  Lowering lowering("x",
#if MADE
      branch_made
#else
      branch_other
#endif
  );
  type->tp_dealloc = (destructor)end_all;
}
}
"""
    conn = linked_with(monkeypatch, a_cpp=source)
    rows = conn.execute(
        "SELECT callee, line FROM v_calls WHERE caller = 'n::f' AND kind = 'reference' ORDER BY line"
    )
    assert [tuple(row) for row in rows] == [
        ("n::fall", 9),
        ("n::fall", 11),
        ("lock_", 12),
        ("n::branch_made", 16),
        ("n::branch_other", 18),
        ("n::end_all", 21),
    ]
