"""Whose member is called on what a class or a namespace declares: data members, and variables outside of functions."""

from __future__ import annotations

import pytest

from tests.unit.cpp.test_overloads import called

_FIELDS = """namespace n {
struct Value { int type() { return 1; } };
struct Hidden;
namespace inner { struct Deep { int type() { return 1; } }; }
struct Base {
 protected:
  std::shared_ptr<Value> value_ = nullptr;
  std::vector<Value*> values_, more_;
};
template <class T> struct Held { T one; T* get() { return nullptr; } };
class Graph : public Base {
  int use();
#if !defined(NO_REF)
  mutable const Value& ref_;
#endif
  std::unordered_map<std::string, std::vector<Value>> by_name_;
  std::unique_ptr<Hidden> hidden_{nullptr};
  Held<Value> held_;
  m::inner::Deep deep_;
  std::mutex mutex_;
  T open_;
};
}
namespace m { using namespace n; }
struct Lock { void lock() {} int type() { return 1; } };
struct Ring { void clear() {} int count() { return 1; } };
struct Rings { void use(); Ring ring_; std::vector<int> list_; U other_; };
"""


def test_what_every_container_has_is_a_class_s_of_the_tree_by_the_data_member(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    body = "ring_.clear();\nlist_.clear();\nother_.clear();\nother_.count(1);"
    files = {"g.h": _FIELDS, "g.cpp": f"void Rings::use() {{\n{body} }}\n"}
    assert called(monkeypatch, files, "Rings::use") == [(2, "g.h", 26, "call")]


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ("value_->type();", [2]),
        ("this->value_->type();", [2]),
        ("more_[0]->type();", [2]),
        ("values_.front()->type();", [2]),
        ("for (auto* v : values_) { v->type(); }", [2]),
        ("auto& v = ref_; v.type();", [2]),
        ("ref_.type();", [2]),
        ("for (const auto& each : by_name_) { each.second[0].type(); }", [2]),
        ('auto it = by_name_.find("a"); it->second.front().type();', [2]),
        ('by_name_["a"].at(1).type();', [2]),
        ("held_.one.type();", [2]),
        ("Graph g; g.value_->type();", [2]),
        # In a namespace of a namespace that is used.
        ("deep_.type();", [4]),
        # The class that the header only names, the source file has.
        ("hidden_->type();", [102]),
        # What a pointer has itself, and a mutex, is none of the tree's.
        ("value_.type();", []),
        ("mutex_.lock();", []),
        # Not known: it may be any of them; but not what another object has.
        ("open_.lock();", [25]),
        ("Graph g; g.open_.lock();", []),
    ],
)  # fmt: skip
def test_data_members_tell_whose_method_is_called(
    monkeypatch: pytest.MonkeyPatch, body: str, lines: list[int]
) -> None:
    source = "\n" * 101 + "namespace n { struct Hidden { int type() { return 1; } };\n"
    files = {"g.h": _FIELDS, "g.cpp": f"{source}int Graph::use() {{\n{body} }}\n}}\n"}
    found = called(monkeypatch, files, "n::Graph::use")
    assert [line for _, _, line, kind in found if kind in ("call", "candidate")] == lines


@pytest.mark.parametrize(
    "head", ["PyObject_HEAD", "PyObject_VAR_HEAD\n\n", "public: PyException_HEAD\n"]
)
def test_members_behind_the_head_of_a_python_object(
    monkeypatch: pytest.MonkeyPatch, head: str
) -> None:
    """THCPEvent of torch/csrc/cuda/Event.h and what runs for its methods."""
    text = f"""struct Event {{ void record(int n) {{ }} }};
struct Other {{ void record(int n) {{ }} }};
void use(PyObject* _self) {{ auto self = (THCPEvent*)_self;
  self->event.record(1);
  ((THCPEvent*)_self)->held->record(2);
  self->last.record(3);
}}
struct THCPEvent {{ {head} Event event; std::shared_ptr<Event> held; Other last; }};
"""
    found = called(monkeypatch, {"a.h": text})
    assert found == [(4, "a.h", 1, "call"), (5, "a.h", 1, "call"), (6, "a.h", 2, "call")]


def test_variables_of_namespaces_and_aliases_of_pointers(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """struct A { int go(int n) { return 1; } };
struct B { int go(int n) { return 1; } };
struct C { int go(int n) { return 1; } };
struct D { int go(int n) { return 1; } };
template <class T> struct some_ptr { T* get() { return 1; } };
using Held = p::intrusive_ptr<D>;
namespace p { template <class T> struct intrusive_ptr { T* get() { return x; } }; }
extern TORCH_API std::unique_ptr<A> outer;
namespace n {
namespace { static B inner{1}; C other; }
class X { void use(); A other; };
}
void n::X::use() {
  outer->go(1);
  inner.go(1);
  other.go(1);
}
namespace n { void use() {
  other.go(1); Held d;
  d->go(1);
  d.get();
} }
"""
    assert called(monkeypatch, {"a.h": text}, "n::X::use") == [
        (14, "a.h", 1, "call"), (15, "a.h", 2, "call"), (16, "a.h", 1, "call"),
    ]  # fmt: skip
    assert called(monkeypatch, {"a.h": text}, "n::use") == [
        (19, "a.h", 3, "call"), (20, "a.h", 4, "call"), (21, "a.h", 7, "call"),
    ]  # fmt: skip


def test_a_data_member_of_several_types_is_of_none(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """struct A { int go(int n) { return 1; } };
struct B { int go(int n) { return 1; } };
template <class T> struct C { A one; int use() { return one.go(1); } };
template <> struct C<int> { B one; };
"""
    assert called(monkeypatch, {"a.h": text}, "C::use") == [
        (3, "a.h", 1, "candidate"), (3, "a.h", 2, "candidate"),
    ]  # fmt: skip
