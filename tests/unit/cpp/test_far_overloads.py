"""Overloads that a class only declares, and c10's classes where a namespace has them by a macro."""

from __future__ import annotations

import pytest

from tests.unit.cpp.test_overloads import called

AGENT = """struct Agent {
  int info() const { return 1; }
  virtual int info(const std::string& name) const = 0;
};
struct Pipe : Agent {
  int info(const std::string& name) const override;
  int info(int a, int b) const { return 2; }
};
"""


@pytest.mark.parametrize(
    ("call", "found"),
    [
        ("agent.info();", [("agent.h", 2, "call")]),
        # The one that takes so many is the derived class's, as of a method that the class does not define at all.
        ("agent.info(name);", [("z.cpp", 1, "virtual")]),
        # What does not override is none of the base's.
        ("agent.info(1, 2);", []),
    ],
)
def test_an_overload_that_the_class_only_declares(
    monkeypatch: pytest.MonkeyPatch, call: str, found: list[tuple[str, int, str]]
) -> None:
    files = {
        "agent.h": AGENT,
        "z.cpp": "int Pipe::info(const std::string& name) const { return 3; }\n"
        f"void use(const Agent& agent) {{ {call} }}\n",
    }
    assert [row[1:] for row in called(monkeypatch, files)] == found


TYPES = """namespace c10 { struct TupleType { static int create(int a) { return 1; } }; }
namespace torch { struct TupleType { int size; }; }
namespace torch::jit { struct Node { int kind; }; }
"""


@pytest.mark.parametrize(
    ("call", "found"),
    [
        # `C10_FORALL_TYPES(C10_USING)` brings it in; the other class of the name has no such method.
        ("TupleType::create(1);", [("types.h", 1, "call")]),
        ("torch::jit::TupleType::create(1);", [("types.h", 1, "call")]),
        # No namespace of the tree is called so.
        ("dnnl::TupleType::create(1);", []),
    ],
)
def test_a_class_of_c10_s_that_a_macro_brings_in(
    monkeypatch: pytest.MonkeyPatch, call: str, found: list[tuple[str, int, str]]
) -> None:
    files = {"types.h": TYPES, "z.cpp": f"namespace torch::jit {{ void use() {{ {call} }} }}\n"}
    assert [row[1:] for row in called(monkeypatch, files, "torch::jit::use")] == found
