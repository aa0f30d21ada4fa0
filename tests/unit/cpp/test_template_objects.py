"""What methods of templates give, by what these are made for; and names that a class has from its bases."""

from __future__ import annotations

import sqlite3

import pytest

from indexer.link.cpp import declarations
from indexer.link.cpp.generated_functions import returned_types
from tests.unit.cpp.test_call_names import edges, linked_with

_HEADER = b"""
#define ARG(T, name) auto name(const T& x) -> decltype(*this) { return *this; } const T& name() const { return x; }
#define IMM(Name) class TORCH_API Name##Imm : public Base { public: Name##Imm(int n) {} int value() const { return 1; } };
#define ALL(_) _(Int) _(Long)
namespace n {
struct Base { int base() { return 1; } };
struct Node { int kind() { return 1; } Node* next() { return this; } };
struct Other { int kind() { return 1; } };
struct Options { ARG(int, stride) ARG(int, padding) decltype(auto) stride(List<int> x) { return stride(1); } };
struct Else { ARG(int, padding) };
template <class T> struct Walk { T* operator*() const { return x; } T* operator->() const { return x; } };
template <class T> struct List {
  List reverse() { return *this; }
  Walk<T> begin() { return {}; }
};
template <class Key, class Value> struct Dict { Value at(const Key& key) const; };
template <class Key, class Value> Value Dict<Key, Value>::at(const Key& key) const { return x; }
template <class Op> struct Finder {
  static std::vector<NodePtr<Op>> find(int a) { return {}; }
  static Op& get() { return *x; }
  static Finder made() { return {}; }
};
struct Own : public Finder<Own> { int own() { return 1; } };
template <class Policy> struct Slots {
  using value_type = typename Policy::value_type;
  value_type operator*() const { return x; }
};
template <class Policy> struct SlotList { using iterator = Slots<Policy>; iterator begin() const { return x; } };
struct NodePolicy { using value_type = Node; int kind() { return 1; } };
struct weak_intrusive_ptr { int go() { return 1; } };
ALL(IMM)
using NodeWalk = Walk<Node>;
std::tuple<Node, Other*> both(int n) { return {}; }
struct Names { Names(std::initializer_list<int> all) {} };
struct Module { HAS_DEFAULTS({1, Value(Node())})

 public:
  Options options;
};
template <class T, class... Args> std::shared_ptr<T> alloc(Args&&... args) {
  return std::make_shared<T>(std::forward<Args>(args)...);
}
template <class T> std::shared_ptr<T> to(Base* x) { return {}; }
}
"""


@pytest.mark.parametrize(
    ("body", "callees"),
    [
        # An option that is set gives them all.
        ("n::Options().stride(1).padding(2);", ["n::Options::padding", "n::Options::stride"]),
        # Within a template its own name means what it is made for.
        ("n::List<n::Node> all; for (auto x : all.reverse()) x->kind();", ["n::List::reverse", "n::Node::kind"]),
        ("n::List<n::Other> all; auto x = *all.reverse().reverse().begin(); x->kind();", [
            "n::List::reverse", "n::Other::kind",
        ]),
        # By the parameters of the class, which stand before a method outside of it.
        ("n::Dict<int, n::Other> held; held.at(1).kind();", ["n::Dict::at", "n::Other::kind"]),
        # Static methods of a template.
        ("for (auto& x : n::Finder<n::Other>::find(1)) x->kind();", ["n::Finder::find", "n::Other::kind"]),
        ("n::Finder<n::Node>::get().kind();", ["n::Finder::get", "n::Node::kind"]),
        ("n::Finder<n::Node>::made().get().kind();", ["n::Finder::get", "n::Finder::made", "n::Node::kind"]),
        # By the name of a class that derives from the template, which is mostly made for it.
        ("n::Own::made().get().own();", ["n::Finder::get", "n::Finder::made", "n::Own::own"]),
        # By what a policy says.
        ("n::SlotList<n::NodePolicy> all; for (auto x : all) x.kind();", ["n::Node::kind"]),
        # A weak pointer gives a strong one.
        ("n::weak_intrusive_ptr<n::Node> held; auto x = held.lock(); x->kind();", ["n::Node::kind"]),
        ("n::NodeWalk walk; walk->kind();", ["n::Node::kind"]),
        # What pairs and tuples consist of.
        ("auto [a, b] = n::both(1); b->kind();", ["n::Other::kind", "n::both"]),
        ("std::get<0>(n::both(1)).next();", ["n::Node::next", "n::both"]),
        ("std::map<int, n::Other> all; for (auto& [a, b] : all) b.kind();", ["n::Other::kind"]),
        # A list of any length.
        ("n::Names{1, 2, 3};", ["n::Names::Names"]),
        # Data members behind what a macro makes.
        ("n::Module m; m.options.stride(1);", ["n::Options::stride"]),
        # Classes that macros make.
        ("n::to<n::LongImm>(x)->value();", ["n::LongImm::value", "n::to"]),
    ],
)  # fmt: skip
def test_what_templates_are_made_for(
    monkeypatch: pytest.MonkeyPatch, body: str, callees: list[str]
) -> None:
    source = f"void use(n::Base* x) {{ {body} }}".encode()
    found = edges(monkeypatch, n_h=_HEADER, a_cpp=source)
    # What every container has may be anything's.
    called = {callee for caller, callee in found if caller == "use" and "begin" not in callee}
    assert sorted(called) == callees


_BASES = b"""
namespace far { struct Kept { int keep(int n) { return n; } }; struct Named { Named(int n) {} }; }
namespace n {
struct Kept { int other() { return 1; } };
struct Store { virtual void append(int a) {} void append(int a, int b) {} };
struct Args { Args() {} };
}
namespace other { struct Store { void append(int a) {} }; }
"""


def test_bases_by_the_using_declarations_of_their_file(monkeypatch: pytest.MonkeyPatch) -> None:
    source = (
        b"namespace m {\nusing far::Kept;\nnamespace { struct Own : public Kept { void f() {} }; }\n"
        b"void use(Own* own) { own->keep(1); }\n}\n"
    )
    assert edges(monkeypatch, n_h=_BASES, a_cpp=source) == [("m::use", "far::Kept::keep")]


def test_the_name_of_a_base_is_the_class_s(monkeypatch: pytest.MonkeyPatch) -> None:
    source = (
        b"namespace m::other {\nstruct Own : public ::n::Store {\n"
        b"void append(int a) override { return Store::append(a); } };\n}\n"
    )
    assert edges(monkeypatch, n_h=_BASES, a_cpp=source) == [
        ("m::other::Own::append", "n::Store::append")
    ]


def test_a_class_without_a_constructor_hides_what_is_farther(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source = (
        b"namespace n { namespace own { struct Args { int a; }; void use() { Args args; go(Args()); }\n"
        b"} void use() { Args args; } }\n"
    )
    assert edges(monkeypatch, n_h=_BASES, a_cpp=source) == [("n::use", "n::Args::Args")]


_RETURNED = {"relu": "::at::Tensor", "item": "at::Scalar", "parts": "std::vector<at::Tensor>"}
_TENSORS = b"namespace at { struct Tensor { int dim() { return 1; } }; struct Other { int dim() { return 1; } }; }"


@pytest.mark.parametrize(
    "made",
    [
        "at::cpu::relu(x)",
        "at::relu_symint(x)",
        "at::_ops::relu::redispatch(keys, x)",
        "at::_ops::relu_Tensor::call(x)",
    ],
)
def test_generated_functions_that_give_a_tensor(monkeypatch: pytest.MonkeyPatch, made: str) -> None:
    monkeypatch.setattr(declarations, "returned_types", lambda _: (_RETURNED, {"both"}))
    source = f"namespace n {{ void use(int x) {{ auto y = {made}; y.dim(); }} }}".encode()
    conn = linked_with(monkeypatch, n_h=_TENSORS, a_cpp=source)
    assert conn.execute("SELECT callee FROM v_calls").fetchall() == [("at::Tensor::dim",)]


@pytest.mark.parametrize(
    ("made", "is_tensor"),
    [("at::both(x)", True), ("n::both(x)", False), ("t.both(x)", True), ("at::relu(x)", False)],
)
def test_generated_functions_that_give_several_tensors(
    monkeypatch: pytest.MonkeyPatch, made: str, is_tensor: bool
) -> None:
    monkeypatch.setattr(declarations, "returned_types", lambda _: (_RETURNED, {"both"}))
    source = f"namespace n {{ void use(const at::Tensor& t) {{ auto [a, b] = {made}; b.dim(); }} }}"
    conn = linked_with(monkeypatch, n_h=_TENSORS, a_cpp=source.encode())
    found = conn.execute("SELECT callee FROM v_calls ORDER BY callee").fetchall()
    assert found == [("at::Tensor::dim",)] if is_tensor else found != [("at::Tensor::dim",)]


def test_what_operators_return() -> None:
    conn = sqlite3.connect(":memory:")
    conn.execute("CREATE TABLE operators (id INTEGER, base, namespace, origin, kind)")
    conn.execute("CREATE TABLE returns (operator_id, position, type)")
    for number, (base, kind, types) in enumerate(
        [
            ("one", "functional", ("Tensor",)), ("one", "out", ("Tensor", "Tensor")),
            ("mixed", "functional", ("Tensor",)), ("mixed", "functional", ("Tensor", "Tensor")),
            ("both", "functional", ("Tensor", "Tensor")), ("odd", "functional", ("Tensor", "int")),
            ("list", "functional", ("Tensor[]",)), ("item", "functional", ("Scalar",)),
            ("size", "functional", ("int",)), ("size", "functional", ("Tensor",)),
        ]
    ):  # fmt: skip
        conn.execute("INSERT INTO operators VALUES (?, ?, 'aten', 'yaml', ?)", (number, base, kind))
        rows = [(number, position, of_type) for position, of_type in enumerate(types)]
        conn.executemany("INSERT INTO returns VALUES (?, ?, ?)", rows)
    types = {"one": "::at::Tensor", "list": "std::vector<::at::Tensor>", "item": "at::Scalar"}
    assert returned_types(conn) == (types, {"mixed", "both"})


def test_a_directive_for_a_namespace_within_stands_beside_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    header = b"namespace n { int floor(double a) { return 1; } namespace own { int floor(Handle a) { return 1; } } }"
    source = b"namespace n {\nusing namespace n::own;\nvoid use(Handle a) { floor(a); } }"
    assert [end for _, end in edges(monkeypatch, n_h=header, a_cpp=source)] == [
        "n::floor",
        "n::own::floor",
    ]
    source = b"namespace n {\nvoid use(Handle a) { floor(a); } }"
    assert [end for _, end in edges(monkeypatch, n_h=header, a_cpp=source)] == ["n::floor"]


@pytest.mark.parametrize(
    ("call", "callee"),
    [
        ("at::parts(x)[0].dim()", "at::Tensor::dim"),
        ("for (auto& y : t.parts(x)) y.dim()", "at::Tensor::dim"),
        ("t.item().dim()", "c10::Scalar::dim"),
    ],
)
def test_what_else_generated_functions_give(
    monkeypatch: pytest.MonkeyPatch, call: str, callee: str
) -> None:
    monkeypatch.setattr(declarations, "returned_types", lambda _: (_RETURNED, set()))
    monkeypatch.setattr(declarations.Declarations, "_read_generated", lambda *_: {"parts", "item"})
    header = (
        _TENSORS
        + b" namespace c10 { struct Scalar { int dim() { return 1; } }; } namespace at { using namespace c10; }"
    )
    source = f"namespace n {{ void use(const at::Tensor& t) {{ {call}; }} }}"
    conn = linked_with(monkeypatch, n_h=header, a_cpp=source.encode())
    assert conn.execute("SELECT callee FROM v_calls").fetchall() == [(callee,)]
