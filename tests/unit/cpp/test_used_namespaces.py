"""What namespaces have by those that they use, and by those that these use ([namespace.qual], [namespace.udir])."""

from __future__ import annotations

import pytest

from tests.unit.cpp.test_call_names import edges

SPACES = b"""
namespace core { struct Options { Options(int a) {} int device() { return 1; } }; int made(int a) { return a; } int both(int a) { return a; } }
namespace at { using namespace core; int both(int a) { return a; } }
namespace torch { using namespace at; }
namespace torch::jit::tensor::analysis { struct Checker { int history() { return 1; } }; int bounds(int a) { return a; } }
"""


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("torch::Options(1).device();", ["core::Options::Options", "core::Options::device"]),
        ("torch::made(1);", ["core::made"]),
        # What a nearer namespace has hides what a farther one has.
        ("torch::both(1);", ["at::both"]),
        ("at::both(1);", ["at::both"]),
        # Nobody uses that namespace.
        ("core::bounds(1);", []),
    ],
)
def test_namespaces_have_what_they_use_uses(
    monkeypatch: pytest.MonkeyPatch, body: str, found: list[str]
) -> None:
    source = f"namespace lazy {{\nvoid f() {{ {body} }}\n}}\n".encode()
    assert edges(monkeypatch, a_h=SPACES, z_cpp=source) == [("lazy::f", name) for name in found]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("Options(1).device();", ["core::Options::Options", "core::Options::device"]),
        ("Options o(1); o.device();", ["core::Options::Options", "core::Options::device"]),
        # What a nearer namespace has comes first; functions of far ones would be candidates by thousands.
        ("Near(1);", ["at::Near::Near"]),
        ("made(1);", []),
    ],
)
def test_classes_are_seen_through_two_namespaces(
    monkeypatch: pytest.MonkeyPatch, body: str, found: list[str]
) -> None:
    near = b"namespace at { struct Near { Near(int a) {} }; }\nnamespace core { struct Near { Near(int a) {} }; }\n"
    source = f"namespace torch::jit {{\nvoid f() {{ {body} }}\n}}\n".encode()
    found_here = edges(monkeypatch, a_h=SPACES + near, z_cpp=source)
    assert found_here == [("torch::jit::f", name) for name in found]


@pytest.mark.parametrize(
    ("head", "is_seen"),
    [("using namespace torch::jit::tensor;", True), ("using namespace at;", False)],
)
def test_a_body_s_directive_is_looked_up_where_the_file_s_lead(
    monkeypatch: pytest.MonkeyPatch, head: str, is_seen: bool
) -> None:
    source = (
        f"{head}\nnamespace other {{\n"
        "void f() { using namespace analysis; Checker checker; checker.history(); bounds(1); }\n}\n"
    )
    found = edges(monkeypatch, a_h=SPACES, z_cpp=source.encode())
    space = "torch::jit::tensor::analysis"
    assert found == [
        ("other::f", f"{space}::{name}") for name in ("Checker::history", "bounds") if is_seen
    ]


def test_namespaces_that_use_each_other_come_to_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    header = b"namespace b { int made(int a) { return a; } }\nnamespace a { using namespace b; }\nnamespace b { using namespace a; }\n"
    source = b"void f() {\na::made(1);\nb::made(2);\na::none(3);\n}\n"
    assert edges(monkeypatch, a_h=header, z_cpp=source) == [("f", "b::made")] * 2


@pytest.mark.parametrize(
    "before", ["POP()", "DECLARE_DISPATCH(f, g)\nPOP()", 'PUSH("-W")\n#include <a>\nPOP()']
)
def test_a_directive_counts_behind_macros_that_want_no_semicolon(
    monkeypatch: pytest.MonkeyPatch, before: str
) -> None:
    source = f"{before}\nusing namespace core;\nvoid f() {{ made(1); }}\n".encode()
    assert edges(monkeypatch, a_h=SPACES, z_cpp=source) == [("f", "core::made")]
