"""Special members that are defined with `= default` outside of their class, as TensorImpl's destructor is."""

from __future__ import annotations

import pytest

from tests.unit.cpp.test_call_names import linked_with
from tests.unit.cpp.test_definitions import functions


@pytest.mark.parametrize(
    ("text", "name", "kind", "signature", "line"),
    [
        ("namespace a {\nS::~S() = default;\n}", "a::S::~S", "destructor", "S::~S()", 2),
        ("S::S() noexcept =default;", "S::S", "constructor", "S::S() noexcept", 1),
        ("S::~S()\n    // as ever\n    = default;", "S::~S", "destructor", "S::~S()", 1),
        (
            "f();\ntemplate <typename T>\nS<T>& S<T>::operator=(const S<T>& x) = default;",
            "S::operator=",
            "operator",
            "template <typename T> S<T>& S<T>::operator=(const S<T>& x)",
            3,
        ),
        ("inline a::S::~S() = default;", "a::S::~S", "destructor", "inline a::S::~S()", 1),
    ],
)
def test_outside_of_the_class_it_is_a_definition(
    text: str, name: str, kind: str, signature: str, line: int
) -> None:
    (found,) = functions(text)
    assert (found.name, found.kind) == (name, kind)
    assert (found.signature, found.line) == (signature, line)


@pytest.mark.parametrize(
    "text",
    [
        "struct S { S() = default; ~S() = default; };",
        "S::~S();",
        "S() = delete; S::S() = delete;",
        "int x = S::is_default;",
        "void f(int x = default);",
    ],
)
def test_what_is_none(text: str) -> None:
    assert not [found for found in functions(text) if found.kind != "variable"]


def test_it_is_who_makes_one(monkeypatch: pytest.MonkeyPatch) -> None:
    conn = linked_with(
        monkeypatch,
        a_h=b"namespace n { struct Net { Net(); ~Net(); int go(); }; }",
        a_cpp=b"namespace n { Net::Net() = default; Net::~Net() = default; }",
        b_cpp=b"namespace n { void f() { Net net; net.go(); } }",
    )
    calls = conn.execute(
        "SELECT u.name, v.name FROM calls AS c JOIN functions AS u ON u.id = c.caller_id"
        " JOIN functions AS v ON v.id = c.callee_id"
    ).fetchall()
    assert ("n::f", "n::Net::Net") in calls
