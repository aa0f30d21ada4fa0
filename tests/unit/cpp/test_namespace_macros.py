"""Namespaces that a macro opens."""

from __future__ import annotations

from indexer.extract.cpp import extract
from indexer.extract.cpp.namespace_macros import with_namespaces
from indexer.facts.cpp import FunctionDefinition

TEXT = """\
#include "shim.h"
HIDDEN_NAMESPACE_BEGIN(torch, stable)
inline int one() { return 1; }
struct Box { int two() { return 2; } };
HIDDEN_NAMESPACE_END(torch, stable)
HIDDEN_NAMESPACE_BEGIN(
    torch, stable,
    detail)
static int three() { return 3; }
HIDDEN_NAMESPACE_END(torch, stable, detail)
int four() { return 4; }
"""


def test_functions_are_of_the_namespace_that_a_macro_opens() -> None:
    found = [f for f in extract("a.h", TEXT.encode()) if isinstance(f, FunctionDefinition)]
    assert [(f.name, f.line) for f in found] == [
        ("torch::stable::one", 3),
        ("torch::stable::Box::two", 4),
        ("torch::stable::detail::three", 9),
        ("four", 11),
    ]


def test_lines_and_offsets_stay() -> None:
    made = with_namespaces(TEXT.encode())
    assert len(made) == len(TEXT)
    assert [n for n, c in enumerate(made) if c == 10][-1] == TEXT.rindex("\n")
    assert made.count(b"\n") == TEXT.count("\n")
    assert made.index(b"int four") == TEXT.index("int four")


def test_the_macro_s_own_definition_is_left() -> None:
    text = b"#define HIDDEN_NAMESPACE_BEGIN(...) namespace x {\n// HIDDEN_NAMESPACE_END(x)\n"
    assert with_namespaces(text) == text
