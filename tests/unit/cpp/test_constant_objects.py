"""Whether an object is constant tells which of two overloads a call on it means."""

from __future__ import annotations

import pytest

from tests.unit.cpp.test_overloads import called

CLASSES = """struct Value { int kind() { return 1; }
  int kind() const { return 2; } };
struct Node {
  Value* output() { return v; }
  const Value* output() const { return v; }
  Value& held() { return *v; }
  const Value& seen() const { return *v; }
  Value made() const { return Value(); }
  std::shared_ptr<Value> owned() const;
  std::vector<Value*> all() { return {}; }
  std::vector<const Value*> all() const { return {}; }
  Value* v;
};
std::shared_ptr<Value> Node::owned() const { return nullptr; }
struct Taken {
  int get() && { return 1; }
  int get() & { return 2; }
  int get() const& { return 3; } };
Taken take() { return Taken(); }
const Taken& look(Node* n);
const Taken& look(Node* n) { return t; }
struct Box { Taken& taken() { return t; } };
using Named = std::shared_ptr<Value>;
using Seen = std::shared_ptr<const Value>;
"""


@pytest.mark.parametrize(
    ("parameters", "call", "line"),
    [
        ("Value& x", "x.kind();", 1),
        ("const Value& x", "x.kind();", 2),
        ("Value const& x", "x.kind();", 2),
        ("Value* x", "x->kind();", 1),
        ("const Value* x", "x->kind();", 2),
        ("Value const* x", "x->kind();", 2),
        ("Value* const x", "x->kind();", 1),
        ("std::shared_ptr<Value> const& x", "x->kind();", 1),
        ("const Named& x", "x->kind();", 1),
        # What is made from another has its own constness, or that one's.
        ("Node* n", "auto x = n->seen(); x.kind();", 1),
        ("Node* n", "auto& x = n->seen(); x.kind();", 2),
        ("Node* n", "const auto& x = n->held(); x.kind();", 2),
        ("Node* n", "auto x = n->output(); x->kind();", 1),
        ("const Node* n", "auto x = n->output(); x->kind();", 2),
        ("std::vector<Value>& xs", "for (auto& x : xs) x.kind();", 1),
        ("const std::vector<Value>& xs", "for (auto& x : xs) x.kind();", 2),
        # What a method gives, by the overload that the object before it means.
        ("Node* n", "n->output()->kind();", 1),
        ("const Node& n", "n.output()->kind();", 2),
        ("const Node& n", "n.owned()->kind();", 1),
        ("const Node& n", "n.made().kind();", 1),
        ("Node& n", "n.all()[0]->kind();", 1),
        ("const Node& n", "n.all()[0]->kind();", 2),
        ("std::vector<Value>& xs", "xs[0].kind();", 1),
        ("const std::vector<Value>& xs", "xs[0].kind();", 2),
        ("const std::vector<Value*>& xs", "xs[0]->kind();", 1),
        ("Node& n", "for (int i : n.output()->kind()) {}", 1),
        # Of an object without a name those with `&&` are meant, of others never.
        ("", "take().get();", 16),
        ("Taken& x", "x.get();", 17),
        ("const Taken& x", "x.get();", 18),
        ("Node* n", "look(n).get();", 18),
        ("Box* b", "std::move(b->taken()).get();", 16),
        ("", "auto&& x = take(); x.get();", 17),
    ],
)
def test_which_overload_an_object_means(
    parameters: str, call: str, line: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = f'#include "n.h"\nvoid use({parameters}) {{\n {call} }}\n'
    found = called(monkeypatch, {"n.h": CLASSES, "n.cpp": source})
    last = call.rpartition("()")[0].rpartition(".")[2].rpartition(">")[2]
    name = {"kind": (1, 2), "get": (16, 17, 18)}.get(last, (1, 2))
    assert [(to, kind) for _, path, to, kind in found if path == "n.h" and to in name] == [
        (line, "call")
    ]


@pytest.mark.parametrize(
    ("parameters", "call"),
    [
        ("std::vector<const Value*>& xs", "xs[0]->kind();"),
        ("Value** x", "(*x)->kind();"),
        ("std::optional<Value>& x", "x->kind();"),
        ("const Seen& x", "x->kind();"),
        ("Node* n", "const auto* x = n->output(); x->kind();"),
        ("", "static_cast<const Value*>(p())->kind();"),
    ],
)
def test_what_is_not_told_leaves_both(
    parameters: str, call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = f'#include "n.h"\nvoid use({parameters}) {{\n {call} }}\n'
    found = called(monkeypatch, {"n.h": CLASSES, "n.cpp": source})
    assert [(to, kind) for _, _, to, kind in found if to in (1, 2)] == [
        (1, "candidate"), (2, "candidate"),
    ]  # fmt: skip


def test_members_are_as_constant_as_the_method(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        CLASSES
        + """struct Held {
  Value own_; Value* to_; const Value* from_; Value& by_; mutable Value both_;
  std::unique_ptr<Value> kept_;
  int kind() { return 1; }
  int kind() const { return 2; }
  void use() const { kind(); own_.kind();
    to_->kind();
    from_->kind();
    by_.kind();
    kept_->kind();
    both_.kind(); }
  void change() { this->kind(); own_.kind(); } };
"""
    )
    first = CLASSES.count("\n")
    found = called(monkeypatch, {"h.h": text}, "Held::use")
    assert [(line - first, to, kind) for line, _, to, kind in found] == [
        (6, 2, "call"), (6, first + 5, "call"), (7, 1, "call"), (8, 2, "call"), (9, 1, "call"), (10, 1, "call"),
        (11, 1, "candidate"), (11, 2, "candidate"),
    ]  # fmt: skip
    found = called(monkeypatch, {"h.h": text}, "Held::change")
    assert [(to, kind) for _, _, to, kind in found] == [(1, "call"), (first + 4, "call")]


def test_a_template_that_nothing_tells_is_not_called(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """struct Options {
  template <typename T> Options& dtype() { return *this; }
  int dtype() const { return 1; }
};
void use(Options o) { o.dtype();
  o.dtype<int>(); }
"""
    assert called(monkeypatch, {"o.h": text}) == [(5, "o.h", 3, "call"), (6, "o.h", 2, "call")]


def test_one_of_two_bases_that_if_chooses(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """struct A { int f() { return 1; }
  int f() const { return 2; } };
struct B { int f() { return 1; }
  int f() const { return 2; } };
#if NEW
struct C : A {};
#else
struct C : B {};
#endif
void use(const C& c) { c.f(); }
"""
    assert called(monkeypatch, {"c.h": text}) == [
        (10, "c.h", 2, "candidate"), (10, "c.h", 4, "candidate"),
    ]  # fmt: skip
