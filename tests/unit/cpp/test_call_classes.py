"""Which class a type's name means where a call needs it, and which one is constructed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.cpp.test_call_names import edges
from tests.unit.support.graph_tree import YAML
from tests.unit.support.small_tree import indexed

TENSORS = b"""
namespace at { struct Tensor { int dim() { return 1; } }; }
namespace t::expr { struct Tensor { int buf() { return 1; } int dim() { return 2; } }; }
"""


def test_a_class_of_another_source_file_is_not_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    found = edges(
        monkeypatch,
        a_h=TENSORS,
        dim_cpp=b"struct Tensor { int dim() { return 3; } };\nint own(Tensor& x) { return x.dim(); }\n",
        z_cpp=b"namespace {\nusing namespace at;\nint f(const Tensor& x) { return x.dim(); }\n}\n",
    )
    assert sorted(found) == [("f", "at::Tensor::dim"), ("own", "Tensor::dim")]


def test_a_file_that_uses_a_namespace_does_not_see_a_namesake_in_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = edges(
        monkeypatch,
        a_h=TENSORS + b"struct Tensor { int size; int dim() { return 3; } };\n",
        y_cpp=b"int g(Tensor& x) { return x.dim(); }\n",
        z_cpp=b"using namespace at;\nint f(const Tensor& x) { return x.dim(); }\n",
    )
    assert sorted(found) == [("f", "at::Tensor::dim"), ("g", "Tensor::dim")]


def test_a_namespace_s_own_alias_hides_what_a_directive_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = edges(
        monkeypatch,
        a_h=TENSORS + b"namespace t { using namespace expr; }\n",
        y_cpp=b"namespace t { int g(Tensor& x) { return x.buf(); } }\n",
        z_cpp=b"namespace t {\nusing Tensor = at::Tensor;\nint f(Tensor& x) { return x.dim(); }\n}\n",
    )
    assert sorted(found) == [("t::f", "at::Tensor::dim"), ("t::g", "t::expr::Tensor::buf")]


def test_what_is_made_by_a_template_is_constructed(monkeypatch: pytest.MonkeyPatch) -> None:
    classes = b"""
namespace n {
struct Node { Node(int a) {} Node(int a, int b) {} };
template <class T> struct Wrap { Wrap(T* t) {} };
template <class T> struct Op { Op() {} };
}
"""
    made = b"""
namespace n {
void one() { auto x = std::make_shared<Node>(1); }
void two() { take(c10::make_intrusive<const n::Node>(1, f(2, 3))); }
void three(int* p) { std::make_unique<Wrap<int>>(p); }
template <class Node> void open() { std::make_shared<Node>(1); }
void other() { my::make_shared_copy<Node>(1); std::make_shared<int>(1); }
void alias() { using Other = Node; std::make_shared<Other>(1); }
}
"""
    assert edges(monkeypatch, a_h=classes, b_cpp=made) == [
        ("n::one", "n::Node::Node"), ("n::two", "n::Node::Node"), ("n::three", "n::Wrap::Wrap"),
        ("n::alias", "n::Node::Node"),
    ]  # fmt: skip


def test_what_every_container_has_is_the_tree_s_behind_an_arrow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source = b"""
namespace n {
struct Store { void append(int a) {} int size() { return 1; } };
struct User {
  void run() { store_->append(1); names_->size(); get()->append(2); }
  Store* get() { return store_.get(); }
  std::shared_ptr<Store> store_;
  std::vector<int>* names_;
};
}
"""
    assert edges(monkeypatch, a_cpp=source) == [
        ("n::User::run", "n::Store::append"), ("n::User::run", "n::User::get"),
    ]  # fmt: skip


def test_a_namesake_of_the_tensor_calls_no_operators(tmp_path: Path) -> None:
    files = {
        YAML: "- func: fold_up(Tensor self) -> Tensor\n  variants: function, method\n",
        "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: core\n",
        "aten/src/ATen/templates/TensorBody.h": "namespace at {\nclass Tensor { int n; };\n}\n",
        "aten/src/ATen/flash.h": "namespace flash {\nusing namespace cute;\ntemplate <class E, class L>\n"
        "void tile(Tensor<E, L>& x) { x.fold_up(); }\n}\n",
        "aten/src/ATen/expr.h": "namespace expr {\nstruct Tensor { int m; };\n"
        "inline void other(Tensor& x) { x.fold_up(); }\n}\n",
        "aten/src/ATen/real.cpp": "using namespace at;\nvoid real(const Tensor& x) { x.fold_up(); }\n"
        "namespace at { void inside(Tensor x) { x.fold_up(); } }\n",
    }
    with indexed(files, tmp_path) as conn:
        found = conn.execute(
            "SELECT source, kind FROM v_edges WHERE target = 'aten::fold_up' AND file LIKE '%ATen/%' AND origin = 'syntax'"
        ).fetchall()
    assert sorted(map(tuple, found)) == [("at::inside", "operator"), ("real", "operator")]


def test_the_only_class_of_a_name_is_meant_where_a_macro_may_have_named_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    types = b"""
namespace c {
struct IntType { static int get() { return 1; } };
struct Twice { static int get() { return 1; } };
}
namespace d { struct Twice { static int get() { return 2; } }; }
"""
    source = b"""
#define USING(T) using ::c::T;
namespace j {
ALL_TYPES(USING)
int f() { return IntType::get() + Twice::get() + IntType::other() + std::IntType::get(); }
}
"""
    assert edges(monkeypatch, a_h=types, b_cpp=source) == [("j::f", "c::IntType::get")]


def test_a_template_s_parameter_is_handed_on_by_what_its_methods_return(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lists = b"""
namespace n {
struct Node { int kind() { return 1; } };
struct Other { int kind() { return 2; } };
template <typename T> struct Walk {
  T* operator*() const { return p; }
  T* operator->() const { return p; }
  void kinds() {}
  T* p;
};
template <typename T> struct Nodes {
  Walk<T> begin() { return {}; }
  Walk<const T> begin() const { return {}; }
  std::vector<int> ids() { return {}; }
};
using node_list = Nodes<Node>;
using const_node_list = Nodes<const Node>;
struct Block { node_list nodes() { return {}; } const_node_list nodes() const { return {}; } };
}
"""
    source = b"""
namespace n {
int f(Block* block) { for (auto x : block->nodes()) { x->kind(); } return 0; }
int h(Block* block) { auto it = block->nodes().begin(); it->kind(); return 0; }
int k(Walk<Node>& walk) { auto p = &walk; p->kinds(); return 0; }
int g(Block* block) { for (auto x : block->nodes().ids()) { x->kind(); } return 0; }
}
"""
    found = edges(monkeypatch, a_h=lists, b_cpp=source)
    for caller in ("n::f", "n::h"):
        called = [callee for by, callee in found if by == caller and "kind" in callee]
        assert called == ["n::Node::kind"]
    assert ("n::k", "n::Walk::kinds") in found
    # A number is nothing of a node's: what it is called on is not known.
    assert [callee for caller, callee in found if caller == "n::g" and "kind" in callee] == [
        "n::Node::kind", "n::Other::kind",
    ]  # fmt: skip


def test_a_method_that_a_class_only_declares_hides_a_function(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    header = b"""namespace n {
inline int apply(int a) { return 0; }
inline int go(int a) { return 0; }
struct Node { virtual int apply(int a) = 0; int run() { return apply(1) + go(1); } };
struct Sum : Node { int apply(int a) override { return 1; } int go(int a) { return 2; } };
struct Mul : Node { int apply(int a) override; };
struct Far { int apply(int a) override { return 3; } int far() { return apply(2); } };
}
"""
    source = b"namespace n { int Mul::apply(int a) { return 2; }\nint f() { return apply(3); } }\n"
    found = edges(monkeypatch, n_h=header, n_cpp=source)
    # A class that derives from it and hides nothing of it, has another go.
    assert sorted(found) == [
        ("n::Far::far", "n::Far::apply"),
        ("n::Node::run", "n::Mul::apply"),
        ("n::Node::run", "n::Sum::apply"),
        ("n::Node::run", "n::go"),
        ("n::f", "n::apply"),
    ]


def test_all_that_override_a_method_may_run(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"T{number}" for number in range(12)]
    files = {
        f"{name}_h": f"struct {name} : Type {{ int str() override {{ return 1; }} }};\n".encode()
        for name in names
    }
    base = b"struct Type { virtual int str() = 0; };\nint use(Type& t) { return t.str(); }\n"
    found = edges(monkeypatch, a_h=base, **files)
    assert sorted(found) == sorted(("use", f"{name}::str") for name in names)


def test_a_base_that_is_a_template_s_parameter_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    header = b"""struct Expr { int dtype() { return 1; } };
template <class Op, class Base = Expr>
struct ExprNode : public Base { using Held = Base; };
struct Cast : public ExprNode<Cast> {};
int use(const Cast& v) { return v.dtype(); }
"""
    assert edges(monkeypatch, e_h=header) == [("use", "Expr::dtype")]


def test_a_base_calls_what_a_class_defines_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    header = (
        b"namespace n {\nstruct Agent { void start(int n) { startImpl(n); helper(n); }\n"
        b"  virtual void startImpl(int n) = 0; };\n"
        b"struct Pipe : Agent { void startImpl(int n) override; void helper(int n); };\n"
        b"inline void helper(int n) {}\n}\n"
    )
    source = b"namespace n {\nvoid Pipe::startImpl(int n) {}\nvoid Pipe::helper(int n) {}\n}\n"
    assert edges(monkeypatch, a_h=header, b_cpp=source) == [
        ("n::Agent::start", "n::Pipe::startImpl"), ("n::Agent::start", "n::helper"),
    ]  # fmt: skip
