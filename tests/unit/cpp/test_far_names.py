"""Calls whose receiver or function stands in another namespace, as the text says it in full or by its arguments."""

from __future__ import annotations

import pytest

from tests.unit.cpp.test_call_names import edges

HEADER = b"""
namespace far {
struct Group { void start(int n) {} };
struct Table { void add(int n) {} static Table all; };
extern Table table;
extern std::unknown untold;
inline void verify(const c10::intrusive_ptr<far::Group>& group, int n) {}
inline void launch_it() {}
}
namespace other { struct Odd { void add(int n) {} }; }
"""


@pytest.mark.parametrize(
    ("body", "callee"),
    [
        ("[](const c10::intrusive_ptr<::far::Group>& self) { self->start(1); };", "far::Group::start"),
        ("far::table.add(1);", "far::Table::add"),
        ("::far::table.add(1);", "far::Table::add"),
        ("far::Table::all.add(1);", "far::Table::add"),
        ("far::untold.add(1);", None),
        ("verify(group, 1);", "far::verify"),
    ],
)  # fmt: skip
def test_names_of_other_namespaces(
    monkeypatch: pytest.MonkeyPatch, body: str, callee: str | None
) -> None:
    source = f"namespace near {{\nvoid use(int y) {{ {body} }}\n}}\n".encode()
    found = [end for _, end in edges(monkeypatch, a_h=HEADER, b_cpp=source)]
    assert found == ([callee] if callee else [])


def test_initializers_hand_functions_on(monkeypatch: pytest.MonkeyPatch) -> None:
    source = (
        b"namespace n {\nstatic bool by_size(int a) { return a; }\nvoid no_delete(void* p) {}\n"
        b"struct Pool { Pool(int no_more) : free(by_size), gone(nullptr, no_delete), left(nullptr, no_more) {} };\n"
        b"void no_more() {}\n}\n"
    )
    assert edges(monkeypatch, a_cpp=source) == [
        ("n::Pool::Pool", "n::by_size"), ("n::Pool::Pool", "n::no_delete"),
    ]  # fmt: skip


def test_what_the_preprocessor_asks_is_no_call(monkeypatch: pytest.MonkeyPatch) -> None:
    source = (
        b"struct T { bool defined() { return 1; } void f() { if (defined()) f(); }\n"
        b"void g() {\n#if defined(A) || \\\n    defined(B)\n  f();\n#endif\n} };\n"
    )
    assert edges(monkeypatch, a_cpp=source) == [
        ("T::f", "T::defined"),
        ("T::f", "T::f"),
        ("T::g", "T::f"),
    ]
