"""What encloses an offset of a C++ file, however deep it stands."""

from __future__ import annotations

from indexer.extract.cpp.scopes import scopes_of

_DEEP = 20_000


def test_namespaces_classes_and_functions() -> None:
    text = b"namespace a { namespace { struct B { void f() { if (x) { here; } } }; } } there;"
    scopes = scopes_of(text)
    inner = scopes.at(text.index(b"here"))
    assert (inner.qualified, inner.macro) == ("a::B::f", "")
    assert inner.function_open == text.index(b"f() {") + 4
    assert scopes.at(text.index(b"struct")).prefix == "a"
    assert scopes.at(text.index(b"there")).qualified == ""


def test_each_bracket_is_asked_once() -> None:
    asked: list[int] = []
    text = b"void f() " + b"{x" * _DEEP + b"}" * _DEEP
    scopes = scopes_of(text)
    kind = scopes._kind
    scopes._kind = lambda node: asked.append(node) or kind(node)  # type: ignore[method-assign,func-returns-value]
    for offset in range(10, len(text), 7):
        assert scopes.at(offset).function == "f"
    # Nothing within a function is looked at: what it encloses, its own bracket says.
    assert asked == [1]
