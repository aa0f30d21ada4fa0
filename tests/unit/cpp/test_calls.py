"""Calls read from small texts, and which definition of several they are of."""

from __future__ import annotations

import sqlite3
from array import array
from importlib import import_module

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.extract.cpp.calls import calls
from indexer.extract.cpp.definitions import definitions, macros
from indexer.extract.cpp.parameters import mismatches, parameter_class, parameters_of, schema_class
from indexer.extract.cpp.unit import CppUnit
from indexer.facts.cpp import (
    CONSTRUCT,
    HANDED,
    LAUNCH,
    MEMBER,
    WITH_TEMPLATE_ARGUMENTS,
    CallColumns,
    PackedCalls,
    plain_object,
)
from indexer.link.cpp.file_calls import read_calls
from indexer.workers import WorkerPool
from indexer.write.cpp import write_cpp
from tests.unit.support.empty import empty_database


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
        (found.texts[callee], plain_object(found.texts[receiver]), form, count, line)
        for callee, receiver, form, count, line in zip(
            found.callees, found.receivers, found.forms, found.arguments, found.lines, strict=True
        )
        if form != HANDED
    ]
    assert rows == [
        ("at::add", "", 0, 3, 3), ("g", "", WITH_TEMPLATE_ARGUMENTS, 1, 3), ("sum", "Tensor", MEMBER, 1, 4),
        ("next", "Node", MEMBER, 0, 5), ("Guard", "", CONSTRUCT, 1, 6), ("Impl", "", CONSTRUCT, 2, 7),
        ("run", "this", MEMBER, 0, 8), ("k", "", LAUNCH, 2, 9),
        ("TORCH_CHECK", "", 0, 255, 10), ("ok", "", 0, 0, 10),
        ("AT_DISPATCH_X", "", 0, 255, 11), ("inner", "", 0, 2, 11), ("h", "", 0, 0, 13),
    ]  # fmt: skip


def test_what_is_of_a_template_parameter_has_no_written_type() -> None:
    text = b"""
template <typename RNG, class... Rest>
void fill(RNG* generator, const Rest& rest, Tensor& self, typename Traits<RNG>::type other) {
  generator->random64();
  rest.go();
  self.sum();
  other.late();
}
"""
    found = calls(CppUnit("a.h", text))
    assert found is not None
    rows = [
        (found.texts[callee], found.texts[receiver])
        for callee, receiver in zip(found.callees, found.receivers, strict=True)
    ]
    assert rows == [("random64", ""), ("go", ""), ("sum", "Tensor"), ("late", "type")]


@pytest.mark.parametrize(
    "directive",
    ["#ifdef USE_X", "#if A > 1", "#else", "#endif", "# endif  // USE_X", "#include <x>", "#pragma unroll",
     "#define LOCAL y", "#undef LOCAL", "#error none"],
)  # fmt: skip
def test_a_statement_behind_a_directive_is_no_declaration(directive: str) -> None:
    text = f"void f(int x) {{\n{directive}\n  a::g(x);\n{directive}\n  T t(x);\n{directive}\n}}\n"
    found = calls(CppUnit("a.cpp", text.encode()))
    assert found is not None
    rows = [
        (found.texts[n], form)
        for n, form in zip(found.callees, found.forms, strict=True)
        if form != HANDED
    ]
    assert rows == [("a::g", 0), ("T", CONSTRUCT)]


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
    conn = empty_database()
    conn.create_function("split_words", 1, str)
    conn.execute(
        "INSERT INTO operators (name, namespace, base, overload, kind, origin)"
        " VALUES ('aten::relu', 'aten', 'relu', '', 'functional', 'yaml')"
    )
    for number, (path, data) in enumerate(SOURCES.items(), 1):
        conn.execute("INSERT INTO source_files VALUES (?, ?, 'cpp', 0, '')", (number, path))
        unit = CppUnit(path, data)
        columns = calls(unit)
        kept = [] if columns is None else [columns.packed()]
        facts = [*macros(unit), *definitions(unit), *kept]
        write_cpp(conn, path, number, facts)
    for step in ("15_macro_functions", "25_calls"):
        import_module(f"indexer.link.{step}").link(conn, WorkerPool(0))
    return conn


_NUMBERS = st.integers(0, 2**31 - 1)


@given(
    st.lists(st.text(), min_size=1),
    st.lists(st.tuples(*[_NUMBERS] * 3, *[st.integers(0, 255)] * 2, _NUMBERS, _NUMBERS)),
)
def test_packing_loses_nothing(texts: list[str], rows: list[tuple[int, ...]]) -> None:
    columns = [array(code, [row[n] for row in rows]) for n, code in enumerate("iiiBBii")]
    found = CallColumns(tuple(texts), *columns)
    again = found.packed().unpacked()
    assert again.texts == found.texts
    assert [list(column) for column in again[1:]] == [list(column) for column in columns]


def test_damaged_calls_are_told() -> None:
    data = CallColumns(("",), *(array(code, [1]) for code in "iiiBBii")).packed().data
    for damaged in (b"", data[:-3], data[:10] + b"?" + data[11:]):
        with pytest.raises(ValueError):
            PackedCalls(damaged).unpacked()


def test_parts_of_the_calls_are_all_of_them() -> None:
    conn = linked()
    calls_of = read_calls
    whole = calls_of(conn)
    assert whole
    for parts in (1, 2, 5):
        assert [c for part in range(parts) for c in calls_of(conn, part, parts)] == whole


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


def test_a_namespace_has_what_it_uses(monkeypatch: pytest.MonkeyPatch) -> None:
    base = (
        b"namespace c { int near() { return 1; } int both() { return 1; }\n"
        b"namespace gpu { int stream() { return 1; } } }\n"
        b"namespace a { using namespace c; int both() { return 2; }\nusing c::gpu::stream;\n"
        b"namespace gpu { using namespace c::gpu; } }\n"
    )
    text = (
        b"void use() { a::near();\n a::gpu::stream();\n a::both();\n a::stream();\n b::near(); }\n"
    )
    monkeypatch.setitem(SOURCES, "used.h", base)
    monkeypatch.setitem(SOURCES, "using.cpp", text)
    rows = linked().execute("SELECT line, callee FROM v_calls WHERE caller = 'use' ORDER BY 1")
    assert rows.fetchall() == [
        (1, "c::near"), (2, "c::gpu::stream"), (3, "a::both"), (4, "c::gpu::stream"),
    ]  # fmt: skip


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
