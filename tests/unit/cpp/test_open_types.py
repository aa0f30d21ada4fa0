"""Calls on what may be of several classes: what is only declared, a template's argument, generated classes."""

from __future__ import annotations

from importlib import import_module

import pytest

from indexer.workers import WorkerPool
from tests.unit.cpp.test_call_names import edges
from tests.unit.cpp.test_calls import SOURCES, linked
from tests.unit.cpp.test_overloads import called, rows


def test_structured_kernels_call_methods_of_the_classes_that_are_generated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = b"""namespace at {
namespace impl { struct MetaBase { int out(int n = 0) { return 1; } }; }
struct TensorIteratorBase : impl::MetaBase { void build_op(int n) {} };
namespace meta {
TORCH_META_FUNC(addx)(int n) { build_op(out()); }
}
namespace native {
static void named() {}
TORCH_IMPL_FUNC(addx_out)(int n) { out(); run(named); }
}
}
"""
    macros = b"#define TORCH_META_FUNC(name) void structured_##name::meta\n"
    macros += b"#define TORCH_IMPL_FUNC(name) void structured_##name::impl\n"
    monkeypatch.setitem(SOURCES, "macros.h", macros)
    monkeypatch.setitem(SOURCES, "add.cpp", text)
    conn = linked()
    assert rows(conn, "at::meta::structured_addx::meta") == []
    conn.execute(
        "INSERT INTO operators (id, name, namespace, base, overload, kind, origin, signature, structured,"
        " structured_inherits) VALUES (8, 'aten::addx', 'aten', 'addx', '', 'functional', 'yaml', 's', 0, NULL),"
        " (9, 'aten::addx.out', 'aten', 'addx', 'out', 'out', 'yaml', 's', 1, 'TensorIteratorBase')"
    )
    conn.execute(
        "INSERT INTO dispatch (operator_id, dispatch_key, kernel, structured, origin)"
        " VALUES (9, 'CPU', 'at::native::addx_out', 1, 'yaml')"
    )
    import_module("indexer.link.25_calls").link(conn, WorkerPool(0))
    assert rows(conn, "at::meta::structured_addx::meta") == [
        (5, "add.cpp", 2, "call"), (5, "add.cpp", 3, "call"),
    ]  # fmt: skip
    assert rows(conn, "at::native::addx_out") == [
        (9, "add.cpp", 2, "call"), (9, "add.cpp", 8, "reference"),
    ]  # fmt: skip


def test_a_method_that_a_class_only_declares_is_those_that_override_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each of them, and none is a guess: impact follows a virtual call to all."""
    files = {
        "q.h": "struct Quantizer { virtual int quantize(int x) = 0; };\n"
        "using QuantizerPtr = c10::intrusive_ptr<Quantizer>;\n"
        "inline QuantizerPtr make() { return {}; }\n"
        "struct Each : Quantizer { int quantize(int x) override; };\n"
        "struct Whole : Quantizer { int quantize(int x) override; };\n",
        "q.cpp": "int Each::quantize(int x) { return 1; }\nint Whole::quantize(int x) { return 2; }\n"
        "int use() { auto q = make();\n return q->quantize(1); }\n",
    }
    found = [row for row in called(monkeypatch, files) if row[0] == 4]
    assert found == [(4, "q.cpp", 1, "virtual"), (4, "q.cpp", 2, "virtual")]


def test_a_template_s_argument_may_be_of_the_source_file_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    files = {
        "p.h": "namespace c { template <class T> struct intrusive_ptr { int get() { return 1; } };\n"
        "template <class T, class... A> intrusive_ptr<T> make_held(A... a) { return {}; } }\n",
        "p.cpp": "namespace { struct Own { int go() { return 1; } }; }\n"
        "int use() { auto own = c::make_held<Own>(1);\n return own->go(); }\n",
    }
    assert (3, "p.cpp", 1, "call") in called(monkeypatch, files)


def test_a_file_s_own_classes_are_what_its_templates_call_however_many_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = "PQRST"
    own = "\n".join(f"struct {name} {{ void ih(int a) {{}} }};" for name in names)
    body = "template <typename T>\nstruct Layer { void run(const T& params) { params.ih(1); } };"
    callees = [("Layer::run", f"{name}::ih") for name in names]
    assert edges(monkeypatch, a_cpp=f"{own}\n{body}\n".encode()) == callees
    # Of so many of another file's it could be anything's.
    assert not edges(monkeypatch, a_h=own.encode(), b_cpp=body.encode())
