"""What a member is called on that stands in initializers, in a list of declarations, or in a class of the function."""

from __future__ import annotations

import pytest

from indexer.extract.cpp.calls import calls
from indexer.extract.cpp.unit import CppUnit
from indexer.facts.cpp import MEMBER, WITH_TEMPLATE_ARGUMENTS, plain_object


def _receivers(source: str) -> list[str]:
    found = calls(CppUnit("a.cpp", source.encode()))
    assert found is not None
    return [
        plain_object(found.texts[receiver])
        for receiver, form in zip(found.receivers, found.forms, strict=True)
        if form & ~WITH_TEMPLATE_ARGUMENTS == MEMBER
    ]


@pytest.mark.parametrize(
    ("body", "receivers"),
    [
        # Several are declared at once, with what they begin with.
        ("Tensor q, k; k.dim();", ["Tensor"]),
        ("const Tensor q = x, k(y), v{z, 1}, w; w.dim(); v.dim();", ["Tensor", "Tensor"]),
        ("std::vector<Node> a, b; b.back();", ["std::vector"]),
        ("if (x) { Tensor q,\n    k; k.dim(); }", ["Tensor"]),
        # What no type begins is none, and what a template decides may be anything.
        ("f(q, k); k.dim();", [".k"]),
        ("q * p, k; k.dim();", [".k"]),
        ("return q, k; k.dim();", [".k"]),
        ("T q, k; k.dim();", [""]),
        # What a pair or tuple consists of.
        (
            "auto [a, b] = node->both(1); b.dim(); a->go();",
            ["Node", "Node->both(_)[1]", "Node->both(_)[0]->"],
        ),
        ("for (const auto& [a, b] : xs.pairs()) b.dim();", ["Xs", "Xs.pairs()[*][1]"]),
        ("auto [a] = x + y(); a.dim();", [""]),
        ("std::get<1>(node->both()).dim();", ["Node", "Node->both()[1]"]),
        ("auto a = std::get<0>(std::get<1>(f(x))).g(); a.h();", ["f(_)[1][0]", "f(_)[1][0].g()"]),
        ("std::get<Node>(xs).go();", ["std::get<Node>(_)"]),
        # An object that is made there.
        ("Var{node}.name().go();", ["Var(_)", "Var(_).name()"]),
        ("auto v = Pair<A>{1, {2}}.first(); v.go();", ["Pair<A>(_)", "Pair<A>(_).first()"]),
        ("if (x) { y(); }\n(*node).go();", ["Node[&]"]),
        # What is led to by `*`.
        ("(*node->all())[0]->go();", ["Node", "Node->all()[&][]->"]),
        ("(*xs.front()).go();", ["Xs", "Xs.front()[&]"]),
        ("return (*node->all()).go();", ["Node", "Node->all()[&]"]),
        ("f(*node->all()).go();", ["Node", "f(_)"]),
        # In brackets, and behind a macro or a directive that has a line to itself.
        ("(node->next())->go(); (xs.all)[0].dim();", ["Node", "Node->next()->", "Xs.all[]"]),
        ("f<A>(x).go(); sizeof(x); (A::get()).go();", ["f<A>(_)", "A::get()"]),
        ("\nHANDLE_ERRORS\n  get().go();", ["get()"]),
        ("\n#if A\n  f();\n#endif\n  get().go();", ["get()"]),
        ("\n#ifdef A_B\n  get().go();\n#endif\n", ["get()"]),
        ("T get().go(); LONG_T get().go(); f<A>()(x).go();", ["", "", "f<A>()(_)"]),
    ],
)
def test_what_is_declared_and_made(body: str, receivers: list[str]) -> None:
    assert _receivers(f"template <class T> void use(Node* node, Xs xs) {{ {body} }}") == receivers


def test_initializers_of_a_constructor() -> None:
    source = (
        "Held::Held(const Tensor& t, Node* node)\n"
        "    : Base(t.options().dtype()), sizes(t.sizes().vec()), kind{node->next()->kind()} {}\n"
    )
    assert _receivers(source) == [
        "Tensor", "Tensor.options()", "Tensor", "Tensor.sizes()", "Node", "Node->next()->",
    ]  # fmt: skip


_WORK = """struct Work { explicit Work(int n) : n(n) {} void go() { type->is(); kind.is(); other.is(); }
  TypePtr type; IValue value{1}; std::vector<Node*> nodes; T open; int n; };"""


@pytest.mark.parametrize(
    ("body", "receivers"),
    [
        ("Work w(1); w.value.is(); w.type->next()->is();", ["IValue", "TypePtr->", "TypePtr->next()->"]),
        ("std::vector<Work> all; auto& w = all.back(); w.type->is();", ["std::vector", "TypePtr->"]),
        ("std::map<int, Work> all; all.at(1).value.is();", ["std::map", "IValue"]),
        ("auto w = std::make_shared<Work>(1); w->nodes[0]->is();", ["std::vector<Node*>[]->"]),
        # What it has not, or a template decides, is not told; nor is anything of another class.
        ("Work w(1); w.missing.is(); w.open.is();", ["Work.missing", ""]),
        ("Worker w(1); w.value.is();", ["Worker.value"]),
        ("std::vector<Work> all; all.back().go().value.is();", [
            "std::vector", "std::vector<Work>.back()", "std::vector<Work>.back().go().value",
        ]),
        ("std::map<int, Work> all; all.find(1)->second.value.is();", ["std::map", "IValue"]),
    ],
)  # fmt: skip
def test_members_of_a_class_of_the_function(body: str, receivers: list[str]) -> None:
    source = f"template <class T> void C::use() {{ {_WORK} {body} }}"
    assert _receivers(source) == ["TypePtr->", ".kind", ".other", *receivers]


def test_another_function_s_class_is_not_meant() -> None:
    source = f"void first() {{ {_WORK} }} void use() {{ Work w(1); w.value.is(); }}"
    assert _receivers(source)[3:] == ["Work.value"]
