"""What a member is called on where no variable's type is written: what functions return, elements, `auto`."""

from __future__ import annotations

import pytest

from indexer.extract.cpp.calls import calls
from indexer.extract.cpp.unit import CppUnit
from indexer.facts.cpp import MEMBER, WITH_TEMPLATE_ARGUMENTS, plain_object
from indexer.link.cpp.type_text import returned
from tests.unit.cpp.test_overloads import called


@pytest.mark.parametrize(
    ("body", "receivers"),
    [
        ("node->outputs().at(0)->type();", ["Node", "Node->outputs()", "Node->outputs().at(_)->"]),
        ("auto n = node->inputs(); n.back();", ["Node", "Node->inputs()"]),
        ("auto g = std::make_shared<Graph>(1, 2); g->run();", ["std::make_shared<Graph>(_)->"]),
        ("for (const auto& x : xs) { x.dim(); }", ["std::vector<Tensor>[*]"]),
        ("for (auto* v : node->inputs()) v->kind();", ["Node", "Node->inputs()[*]->"]),
        ("xs[0].dim();", ["std::vector<Tensor>[]"]),
        ("if (auto* p = held->as<Foo>()) { p->go(); }", ["Node", "std::shared_ptr<Node>->as<Foo>()->"]),
        ("static_cast<const Foo*>(p)->go();", ["static_cast<Foo*>(_)->"]),
        ("auto& a = *held; a.kind();", ["std::shared_ptr<Node>[&]"]),
        ("for (auto const& x : xs) { auto const y = x.f(); y.g(); }",
         ["std::vector<Tensor>[*]", "std::vector<Tensor>[*].f()"]),
        ("for (auto i = xs.begin(), end = xs.end(); i != end; ++i) i->dim();",
         ["std::vector", "std::vector", "std::vector<Tensor>.begin()->"]),
        ("auto i = node->inputs(); (*i).kind();", ["Node", "Node->inputs()[&]"]),
        ("(*held)->go(); f(*held)->go();", ["std::shared_ptr<Node>[&]->", "f(_)->"]),
        ("std::move(*node).go(); std::move(node->next()).go();",
         ["std::move(_)", "Node", "Node->next()"]),
        ("std::move(*this).go(); std::move(*that).go();", ["this", "std::move(_)"]),
        ("std::move(held)->go(); auto t = std::move(xs).at(1); t.dim();",
         ["Node", "std::vector", "std::vector<Tensor>.at(_)"]),
        ("return held->get(1)->kind();", ["Node", "std::shared_ptr<Node>->get(_)->"]),
        ("if (xs) return f()->g()->h(); else f().g();", ["f()->", "f()->g()->", "f()"]),
        # The nearest of a name is meant.
        ("{ auto a = f(); a.x(); } { auto a = g(); a.y(); }", ["f()", "g()"]),
        # Both alternatives of a condition come to one type.
        ("auto r = ok ? f() : g(); r.go();", ["f()"]),
        ("auto r = node->is() ? node->next() : a + b; r.go();", ["Node", "Node", "Node->next()"]),
        # As many steps as it takes: what was asked for on the way to one variable is known of the next.
        ("auto a = f(); auto b = a.g(); auto* c = *b; for (auto* d : c->x()) {} c->y();",
         ["f()", "f().g()[&]->", "f().g()[&]->"]),
        # Casts as C writes them.
        ("auto self = (Foo*)node; self->go(); auto& f = (const a::Foo<int>&)*node; f.go();",
         ["static_cast<Foo*>(_)->", "static_cast<a::Foo<int>*>(_)"]),
        ("auto self = (Foo*)node; self->held->go();", ["static_cast<Foo*>(_)->held->"]),
        ("return ((Foo*)node)->go();", ["static_cast<Foo*>(_)->"]),
        ("((const a::Foo *) node->get(f(1)))->held->at(2).go();",
         ["Node", "static_cast<a::Foo*>(_)->held->", "static_cast<a::Foo*>(_)->held->at(_)"]),
        ("auto self = (T*)node; self->go(); f((Foo*)node)->go();", ["", "f(_)->"]),
        ("auto n = (a & b) | c; n.go(); ((a * b) + c).go();", ["", ""]),
        # What is no such expression says nothing.
        ("(a + b).go().now();", ["", ""]),
        ("auto r = ok ? f() + 1 : g(); r.go();", [""]),
        ("auto r = f() + g(); r.go();", [""]),
        ("generic.f().go();", ["", ""]),
    ],
)  # fmt: skip
def test_what_members_are_called_on(body: str, receivers: list[str]) -> None:
    head = "template <class T> void use(Node* node, const std::vector<Tensor>& xs, std::shared_ptr<Node> held, T generic)"
    found = calls(CppUnit("a.cpp", f"{head} {{ {body} }}".encode()))
    assert found is not None
    named = [
        plain_object(found.texts[receiver])
        for receiver, form in zip(found.receivers, found.forms, strict=True)
        if form & ~WITH_TEMPLATE_ARGUMENTS == MEMBER
    ]
    assert named == receivers


@pytest.mark.parametrize(
    ("body", "receivers"),
    [
        ("x.go(); { B x; x.go(); } x.go();", ["A", "B", "A"]),
        ("run([](const B& x) { x.go(); }); x.go();", ["B", "A"]),
        ("run([](auto x) { x.go(); }); x.go();", ["", "A"]),
        ("for (B& x : all) x.go(); x.go();", ["B", "A"]),
        ("try { go(); } catch (const B& x) { x.go(); } x.go();", ["B", "A"]),
        ("if (ok) { auto x = make(); x.go(); }", ["make()"]),
        ("auto y = a * x; y = b & x; x.go();", ["A"]),
        ("\n#ifdef B\nx = a;\n#endif\nx.go();", ["A"]),
    ],
)  # fmt: skip
def test_the_nearest_declaration_counts(body: str, receivers: list[str]) -> None:
    found = calls(CppUnit("a.cpp", f"int use(A x) {{ {body} }}".encode()))
    assert found is not None
    rows = zip(found.receivers, found.forms, strict=True)
    called_on = [found.texts[receiver] for receiver, form in rows if form == MEMBER]
    assert [*map(plain_object, called_on)] == receivers


@pytest.mark.parametrize(
    ("body", "receivers"),
    [
        ("node_->kind();", [".node_->"]),
        ("this->nodes_[0].kind();", [".nodes_[]"]),
        ("for (auto& n : nodes_) n->kind();", [".nodes_[*]->"]),
        ("if (ok && node_) node_->next()->kind();", [".node_->", ".node_->next()->"]),
        ("other.node_.get();", ["Other.node_"]),
        ("x.defined();", [".x"]),
        ("holder_->go();", [".holder_->"]),
        # What every container has is asked of data members, but for how large they are.
        ("nodes_.insert(1); nodes_.size(); nodes.clear(); this->nodes_.find(1);", [".nodes_", "", "", ""]),
        # What the function declares itself hides it.
        ("for (auto& [key, value] : held) value.kind();", [".held[*][1]"]),
        ("auto [key, node_] = [] {}(); node_.kind();", [""]),
        ("run([&](auto&& each) { each.kind(); });", [""]),
        ("int x = 1; x.kind();", [""]),
        ("{ auto n = ok ? a : b; n.kind(); }", [".a"]),
    ],
)  # fmt: skip
def test_what_may_be_a_data_member(body: str, receivers: list[str]) -> None:
    found = calls(CppUnit("a.cpp", f"int C::use(const Other& other) {{ {body} }}".encode()))
    assert found is not None
    rows = zip(found.receivers, found.forms, strict=True)
    called_on = [found.texts[receiver] for receiver, form in rows if form == MEMBER]
    assert [*map(plain_object, called_on)] == receivers


@pytest.mark.parametrize(
    ("signature", "name", "what"),
    [
        ("at::ArrayRef<const Value*> inputs() const", "n::Node::inputs", "at::ArrayRef<const Value*>"),
        ("inline const Tensor& Node::get(int i) const", "n::Node::get", "Tensor"),
        ("virtual Node* next() = 0", "n::Node::next", "Node"),
        ("auto Node::make() -> std::shared_ptr<Node>", "n::Node::make", "std::shared_ptr<Node>"),
        ("explicit Node(int n)", "n::Node::Node", "explicit"),
        ("MAKE(f)(int n)", "n::f", ""),
        ("decltype(*this) padding(int n)", "n::Options::padding", "decltype(*this)"),
        ("decltype(auto) padding(int n)", "n::Options::padding", "decltype(auto)"),
        ("std::pair<Node*, int> static both(int n)", "n::both", "std::pair<Node*, int>"),
    ],
)  # fmt: skip
def test_what_a_head_says_that_is_returned(signature: str, name: str, what: str) -> None:
    assert returned(signature, name)[0] == what


_FAR = "namespace c10 { using OtherPtr = std::shared_ptr<n::Other>; }\n"
_FAR += "namespace far { template <class T> std::shared_ptr<T> build(int n) { return {}; } }\n"
_TREE = """namespace n {
struct Value { int type() { return 1; } };
struct Other { int type() { return 1; } int kind() { return 1; } };
template <class T> struct List { const T& at(int i) const { return x; } T* begin() { return x; } };
template <class T> using Holder = std::shared_ptr<T>;
struct Node {
  List<Value> outputs() { return {}; }
  List<const Value> outputs() const { return {}; }
  Node* next() { return this; }
  Node& next(int n) { return *this; }
  int kind() { return 1; }
  int next_kind(int n) { return 1; }
  Walk begin() { return {}; }
  template <class T> typename detail::As<T>::type as() { return nullptr; }
};
template <class T> struct Owned {
  static Owned borrowed(const T& x) { return {}; }
  const T* operator->() const { return x; }
};
struct Caster { template <class T> T* raw() { return x; } };
template <> inline Value* Caster::raw<Value>() { return x; }
struct Walk {
  Node* operator*() const { return x; }
  Other operator*(int n) const { return x; }
  Node* operator->() const { return x; }
};
struct Named { const Other* operator->() const { return x; } int open() { return 1; } };
using NodePtr = std::shared_ptr<Node>;
Node* both(int a) { return x; }
template <class... T> void both(int a, T... rest) { }
std::shared_ptr<Node> make() { return {}; }
template <class T> std::shared_ptr<T> build_one(int n) { return {}; }
std::optional<Node> maybe() { return {}; }
int open(int a) { return a; }
Node open(const char* a) { return {}; }
Other shut(int a) { return a; }
Node shut(const char* a) { return {}; }
template <class T> struct Kept { typename Kept<T>::internal_const_reference_type get(int i) const { return x; } };
template <class K, class V> struct Ordered {
  struct Item { V& value() { return x; } int key_of() { return 1; } };
  using Iterator = typename std::vector<Item>::iterator;
  typename Ordered<K, V>::Iterator begin() { return x; }
};
struct Base { int base() { return 1; } template <typename T> auto expect() { return cast<T>(); } };
struct Leaf : Base { int leaf() { return 1; } };
namespace low { int deep() { return 1; } using NodesPtr = std::shared_ptr<Node>; }
namespace high { using namespace n::low; }
Node taken(int a) { return {}; }
std::vector<Node> taken(int a, int n) { return {}; }
}
"""


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ("Node a; a.outputs().at(0).type();", [2]),
        ("auto a = make(); a->next()->kind();", [11]),
        ("auto a = make(); a->next(1).kind();", [11]),
        ("NodePtr a; a->kind();", [11]),
        ("auto a = build_one<Other>(1); a->kind();", [3]),
        ("auto a = far::build<Node>(1); a->kind();", [11]),
        ("auto a = maybe(); a.value().kind();", [11]),
        ("auto a = maybe(); if (a) { a->kind(); }", [11]),
        ("std::vector<Other> all; for (auto& a : all) { a.kind(); }", [3]),
        ("std::unordered_map<int, Other> all; all[1].kind();", [3]),
        # What leads on to another, and iterators.
        ("Node a; for (auto i = a.begin(), end = a.end(); i != end; ++i) { i->kind(); }", [11]),
        ("Node a; auto i = a.begin(); auto* b = *i; b->kind();", [11]),
        ("Node a; auto i = a.begin(); (*i)->kind();", [11]),
        ("const Named& a = f(); a->type();", [3]),
        ("Node a; if (auto b = a.as<Other>()) { b->type(); }", [3]),
        ("std::move(make())->kind();", [11]),
        ("Node a; a.begin()->next()->kind();", [11]),
        # A specialization is no overload of another type.
        ("Caster a; a.raw<Other>()->kind();", [3]),
        ("auto a = ok ? Owned<Node>::borrowed(b) : Owned<Node>::borrowed(c); a->kind();", [11]),
        # What returns nothing is not meant, and what a macro may make known of c10.
        ("both(a)->kind();", [11]),
        ("OtherPtr a; a->type();", [3]),
        # Of overloads that return different things that is meant which has such a method.
        ("open(b).kind();", [11]),
        ("open(b).next()->kind();", [11]),
        ("auto a = open(b); a.next(1).kind();", [11]),
        # It may be either's.
        ("shut(b).kind();", [3, 11]),
        ("taken(b).next()->kind();", [11]),
        ("taken(b).size();", []),
        # Of a list's own types and a namespace's aliases, casts that `auto` hides, and elements by their types.
        ("Kept<Other> a; a.get(1).kind();", [3]),
        ("Ordered<int, Other> a; for (auto& b : a) { b.key_of(); }", [40]),
        ("Base a; a.expect<Leaf>()->leaf();", [45]),
        ("Base a; a.expect<Other>()->kind();", [3, 11]),
        ("high::NodesPtr a; a->kind();", [11]),
        ("std::get<Other>(a).kind();", [3]),
        ("py::cast<Other>(a).kind();", [3]),
        # What the optional has itself is none of the tree's.
        ("auto a = maybe(); a.kind();", []),
    ],
)  # fmt: skip
def test_what_functions_return_tells_whose_method_is_called(
    monkeypatch: pytest.MonkeyPatch, body: str, lines: list[int]
) -> None:
    files = {"far.h": _FAR, "n.h": _TREE, "n.cpp": f"namespace n {{ void use() {{\n{body} }} }}\n"}
    last = body.rpartition("(")[0].rpartition(".")[2].rpartition(">")[2]
    found = [
        line
        for _, file, line, kind in called(monkeypatch, files, "n::use")
        if file == "n.h" and kind in ("call", "candidate")
    ]
    methods = [number for number, text in enumerate(_TREE.split("\n"), 1) if f" {last}(" in text]
    assert [line for line in found if line in methods] == lines


def test_a_namespace_s_classes_by_a_directive(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """namespace c { struct Mode { static bool on() { return true; } int go() { return 1; } }; }
namespace a { using namespace c; }
bool use(a::Mode& m) { m.go();
  return a::Mode::on(); }
"""
    assert called(monkeypatch, {"m.h": text}) == [(3, "m.h", 1, "call"), (4, "m.h", 1, "call")]


@pytest.mark.parametrize(("padding", "receiver"), [(4000, "f(_)->"), (40000, "")])
def test_what_a_member_is_called_on_is_not_read_without_end(padding: int, receiver: str) -> None:
    text = b"void use() { f(a%s)->go(); }" % (b" + 1" * (padding // 4))
    found = calls(CppUnit("x.cpp", text))
    assert found is not None
    assert receiver in [found.texts[at] for at in found.receivers]
    assert ("f(_)->" in found.texts) == bool(receiver)


@pytest.mark.parametrize(
    ("call", "line"),
    [
        # Only a list has elements, whatever else an overload of the function returns.
        ("spread(b)[0].kind();", 4),
        ("spread(b).front().kind();", 4),
        ("Views views; views.front().kind();", 4),
    ],
)
def test_elements_of_what_overloads_return(
    monkeypatch: pytest.MonkeyPatch, call: str, line: int
) -> None:
    text = """template <class T, int N> struct SmallVector { using reference = T&;
  reference front() { return *first; }
  T& operator[](int n) { return *first; } T* first; };
struct View { int kind() { return 1; } };
struct Other { int kind() { return 2; } };
using Views = SmallVector<View, 4>;
View spread(const Other& one) { return View(); }
Views spread(const View& many) { return Views(); }
"""
    rows = called(monkeypatch, {"m.h": text, "z.cpp": f"void use(View& b) {{ {call} }}\n"})
    assert (1, "m.h", line, "call") in rows and (1, "m.h", 5, "call") not in rows
