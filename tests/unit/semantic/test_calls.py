"""What the semantic layer tells: exact calls, what these leave to the text, and what answers make of both."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexer import semantic as layer
from indexer.build import build
from indexer.layers import LAYER_NAMES
from indexer.scan.tree import SourceTree
from tests.unit.support.semantic_tree import (
    FILES,
    NATIVE,
    add,
    edges,
    fast_index,
    plain_tree,
    statuses,
)
from torchtalk.db import connect
from torchtalk.render import to_text
from torchtalk.tools import all_tools


@pytest.fixture
def tree(tmp_path: Path) -> SourceTree:
    return plain_tree(tmp_path)


@pytest.fixture
def target(tree: SourceTree, tmp_path: Path) -> Path:
    return fast_index(tree, tmp_path)


def test_calls_are_exact_and_overloads_apart(tree: SourceTree, target: Path) -> None:
    assert statuses(target) == {None: ("skipped", layer._LAYER.missing)}
    before = edges(target, "syntax")
    assert before
    report = add(tree, target)
    assert report.units == {"ok": 5, "partial": 1}
    assert report.status == "ok"
    assert "5 without an error, 1 partial" in report.detail
    assert edges(target) >= {
        ("c10::twice", "c10::shared", "call"), ("c10::a", "c10::twice", "call"),
        ("c10::Own::run", "c10::a", "call"), ("c10::b", "c10::Base::run", "virtual"),
        ("run", "k", "launch"), ("c10::c", "c10::a", "call"),
    }  # fmt: skip
    conn = connect(target)
    line = conn.execute(
        "SELECT u.line FROM v_calls AS c JOIN functions AS u ON u.id = c.callee_id WHERE c.caller = 'c10::a'"
    ).fetchall()
    overrides = conn.execute(
        "SELECT o.name, u.name FROM function_overrides AS v JOIN functions AS o ON o.id = v.overridden_id"
        " JOIN functions AS u ON u.id = v.function_id"
    ).fetchall()
    conn.close()
    assert [tuple(row) for row in line] == [(4,)]
    assert [tuple(row) for row in overrides] == [("c10::Base::run", "c10::Own::run")]
    told = statuses(target)
    assert told["c10/core/c.cpp"][0] == "partial"
    assert "'c10/util/missing.h' file not found" in told["c10/core/c.cpp"][1]
    assert told["c10/core/a.cpp"] == ("ok", "3 definitions, 2 calls, 0 unresolved")


def test_what_broken_or_open_code_does_not_tell_stays_as_the_text_says(
    tree: SourceTree, target: Path
) -> None:
    (tree.root / "c10/core/c.cpp").write_text(
        "namespace c10 {\nint a();\nstruct Late { int late(); };\nint Late::late() { return 1; }\n"
        "int c(Gone g) {\n  Late l;\n  return l.late() + g.later();\n}\n}\n"
    )
    build(tree, target, layers=LAYER_NAMES, workers=0)
    add(tree, target)
    assert ("c10::open", "c10::shared", "call") in edges(target)
    assert ("c10::c", "c10::Late::late", "call") in edges(target) | edges(target, "syntax")


def test_what_clang_could_but_refer_to_is_called_as_the_text_says(
    tree: SourceTree, target: Path
) -> None:
    """`sycl::event matmul(…)` of aten/src/ATen/native/mkldnn/xpu, whose headers hardly anybody has."""
    (tree.root / "c10/core/c.cpp").write_text(
        "namespace c10 {\ngone::Event deep(int x) { return {}; }\n"
        "using Given = int (*)(int);\nint given(int x) { return x; }\nint take(Given g, Gone x);\n"
        "void c(int x) {\n  c10::deep(x);\n  take(given, 1);\n}\n}\n"
    )
    build(tree, target, layers=LAYER_NAMES, workers=0)
    add(tree, target)
    assert ("c10::c", "c10::deep", "call") in edges(target) | edges(target, "syntax")
    assert ("c10::c", "c10::given", "call") not in edges(target) | edges(target, "syntax")


def test_what_the_preprocessor_leaves_out_is_known_by_the_text(
    tree: SourceTree, target: Path
) -> None:
    add(tree, target)
    conn = connect(target)
    found = conn.execute(
        "SELECT target, line, origin FROM v_edges WHERE source = 'c10::either' ORDER BY line"
    ).fetchall()
    conn.close()
    assert [tuple(row) for row in found] == [
        ("aten::relu", 6, "syntax"), ("c10::elsewhere", 7, "syntax"), ("c10::shared", 9, "clang"),
    ]  # fmt: skip


def test_a_launchs_configuration_is_known_by_the_text(tree: SourceTree, target: Path) -> None:
    (tree.root / NATIVE / "cuda/k.cu").write_text(
        "__global__ void k(int* x) {}\nint stream() { return 0; }\n"
        "void run(int* x) {\n  k<<<1, 2, 0, stream()>>>(x);\n}\n"
    )
    build(tree, target, layers=LAYER_NAMES, workers=0)
    add(tree, target)
    conn = connect(target)
    found = conn.execute("SELECT callee, kind, origin FROM v_calls WHERE caller = 'run'").fetchall()
    conn.close()
    assert {tuple(row) for row in found} == {
        ("k", "launch", "clang"), ("stream", "call", "syntax"),
    }  # fmt: skip


def test_what_a_composite_operator_calls_is_told_from_exact_calls_as_from_the_text(
    tree: SourceTree, target: Path
) -> None:
    native = tree.root / NATIVE
    (native / "native_functions.yaml").write_text(
        FILES[f"{NATIVE}/native_functions.yaml"]
        + "\n- func: twist(Tensor self) -> Tensor\n\n- func: knot(Tensor self) -> Tensor\n"
        "  structured_delegate: knot.out\n\n"
        "- func: knot.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n"
        "  dispatch:\n    CPU: knot_out_cpu\n\n"
        "- func: tie(Tensor self) -> Tensor\n  dispatch:\n    SparseCPU: tie_sparse\n"
    )
    (native / "Twist.cpp").write_text(
        "struct Tensor {};\nnamespace at {\nusing ::Tensor;\n"
        "namespace _ops { struct relu { static Tensor call(Tensor self); }; }\n"
        "namespace native {\nstatic Tensor twist_impl(Tensor self) { return at::_ops::relu::call(self); }\n"
        "Tensor twist(Tensor self) { return twist_impl(self); }\n}\n}\n"
    )
    build(tree, target, layers=LAYER_NAMES, workers=0)

    def answers() -> tuple[str, ...]:
        conn = connect(target)
        tools = all_tools()
        found = (
            to_text(tools["search"].ask(conn, query="twist", backend="CPU")),
            to_text(tools["search"].ask(conn, query="twist", backend="Meta")),
            to_text(tools["search"].ask(conn, query="knot", backend="SparseCPU")),
            to_text(tools["compile_path"].ask(conn, name="twist")),
        )
        conn.close()
        return found

    told = answers()
    assert "aten::relu" in told[0] and "[called by twist]" in told[0]
    assert "no operator that it is known to call has one" in told[1]
    assert "which calls the out variant, and that has no SparseCPU entry either" in told[2]
    assert "calls: aten::relu" in told[3]
    add(tree, target)
    assert ("at::native::twist_impl", "at::_ops::relu::call", "call") in edges(target)
    assert answers() == told


def test_what_if_keeps_for_another_build_is_used_by_those_who_use_its_other_definition(
    tree: SourceTree, target: Path
) -> None:
    (tree.root / "c10/core/twice.cpp").write_text(
        "namespace c10 {\n#ifdef USE_SOMETHING\nint built(int  &x) { return x; }\nint never() { return 1; }\n"
        "#else\nint built(int& x) { return 2; }\n#endif\nint uses(int x) { return built(x); }\n}\n"
    )
    build(tree, target, layers=LAYER_NAMES, workers=0)
    add(tree, target)
    conn = connect(target)
    rows = conn.execute(
        "SELECT u.line, v.line, e.kind, e.origin FROM v_edges AS e JOIN functions AS u ON u.name = e.source"
        " JOIN functions AS v ON v.name = e.target AND v.line = e.line AND v.id <> u.id"
        " WHERE e.kind = 'alternative'"
    ).fetchall()
    answer = to_text(all_tools()["impact"].ask(conn, name="c10/core/twice.cpp:3"))
    conn.close()
    assert [tuple(row) for row in rows] == [(6, 3, "alternative", "syntax")]
    assert "c10::uses" in answer


def test_other_builds_have_other_parameters_and_other_headers_too(
    tree: SourceTree, target: Path
) -> None:
    (tree.root / "c10/core/wide.h").write_text(
        "namespace c10 {\ntemplate <class T> struct Lane { T up(T x) const { return x; } };\n"
        "static int own(int x) { return x; }\n}\nint bare(int x);\n"
    )
    (tree.root / "c10/core/wide512.h").write_text(
        "namespace c10 {\ntemplate <> struct Lane<float> { float up(float y) const; };\n"
        "inline float Lane<float>::up(float y) const { return y + 1; }\n"
        "static int own(int x) { return x + 1; }\n}\nint bare(int x) { return x; }\n"
    )
    (tree.root / "c10/core/twice.cpp").write_text(
        '#ifdef USE_SOMETHING\n#include "wide512.h"\n#else\n#include "wide.h"\n#endif\nint bare(int x) { return 2; }\n'
        "namespace c10 {\n#ifdef USE_SOMETHING\nint packed(const float* x, int n) { return n; }\n"
        "int packed(const float* x) { return 1; }\n#else\n"
        "template <class T> int packed(const T* x, int n) { return n; }\n#endif\n"
        "int uses(int x) { return packed(&x, 3) + Lane<int>().up(x) + own(x) + bare(x); }\n}\n"
    )
    build(tree, target, layers=LAYER_NAMES, workers=0)
    add(tree, target)
    conn = connect(target)
    rows = conn.execute(
        "SELECT target, file, line FROM v_edges WHERE kind = 'alternative' ORDER BY file, line"
    ).fetchall()
    conn.close()
    assert [tuple(row) for row in rows] == [
        ("c10::packed", "c10/core/twice.cpp", 9),  # of as many parameters
        (
            "c10::Lane::up",
            "c10/core/wide512.h",
            3,
        ),  # each file's own `own` is another; so is a C name
    ]


def test_what_the_standard_library_constructs_is_known_by_the_text(
    tree: SourceTree, tmp_path: Path
) -> None:
    (tree.root / "c10/core/made.cpp").write_text(
        "namespace std {\ntemplate <class T> struct shared_ptr { T* p; };\n"
        "template <class T, class... A> shared_ptr<T> make_shared(A... a) { return {new T(a...)}; }\n"
        "template <class T> T&& forward(T& t) { return static_cast<T&&>(t); }\n}\n"
        "template <class T, class... A> auto alloc(A&&... a) { return std::make_shared<T>(std::forward<A>(a)...); }\n"
        "namespace c10 {\nstruct Node { Node(int a) {} };\nstruct Other { Other(Node n) {} };\n"
        "void made() { auto x = std::make_shared<Node>(1); }\n"
        "void both() { auto x = std::make_shared<Other>(Node(2)); }\n"
        "void own() { Node node(3); }\nvoid far() { alloc<Node>(4); }\n"
        "struct Two { Two(int a) {} Two(char a) {} };\nvoid either() { alloc<Two>(5); }\n}\n"
    )
    target = tmp_path / "index.db"
    build(tree, target, layers=LAYER_NAMES, workers=0)
    assert add(tree, target).status == "ok"
    constructed = "c10::Node::Node", "c10::Other::Other", "c10::Two::Two"
    found = {
        (caller, callee, origin)
        for origin in ("syntax", "clang")
        for caller, callee, _ in edges(target, origin)
        if callee in constructed
    }
    assert found == {
        ("c10::made", "c10::Node::Node", "syntax"), ("c10::both", "c10::Other::Other", "syntax"),
        ("c10::both", "c10::Node::Node", "clang"), ("c10::own", "c10::Node::Node", "clang"),
        ("c10::far", "c10::Node::Node", "syntax"), ("c10::either", "c10::Two::Two", "syntax"),
    }  # fmt: skip


def test_a_specialization_is_a_function_of_its_own(tree: SourceTree, tmp_path: Path) -> None:
    (tree.root / "c10/core/special.cpp").write_text(
        "namespace c10 {\nint one(int x) { return x; }\nint other(int x) { return x; }\n"
        "template <class T> int part(T t) { return 0; }\n"
        "template <> int part<int>(int t) { return one(t); }\n"
        "template <> int part<char>(char t) { return other(t); }\n"
        "#define PART(T) template <> int part<T>(T t) { return one(1); }\nPART(long) PART(short)\n"
        "int straight() { return part(1) + part(2L); }\n"
        "template <class T> int through(T t) { return part(t); }\n}\n"
    )
    target = tmp_path / "index.db"
    build(tree, target, layers=LAYER_NAMES, workers=0)
    assert add(tree, target).status == "ok"
    conn = connect(target)
    rows = conn.execute(
        "SELECT line, origin, signature FROM functions WHERE name = 'c10::part' ORDER BY line, id"
    ).fetchall()
    assert [(line, origin) for line, origin, _ in rows] == [
        (4, "clang"), (5, "clang"), (6, "clang"), (8, "clang"), (8, "clang"),
    ]  # fmt: skip
    calls = conn.execute(
        "SELECT a.line, b.line, c.line FROM calls AS c JOIN functions AS a ON a.id = c.caller_id"
        " JOIN functions AS b ON b.id = c.callee_id WHERE 'c10::part' IN (a.name, b.name) ORDER BY 1, 2"
    ).fetchall()
    assert [(a, b) for a, b, _ in calls] == [
        (5, 2), (6, 3), (8, 2), (8, 2), (9, 5), (9, 8), (10, 4),
    ]  # fmt: skip
    # Each of two on one line is the one that its arguments say.
    meant = conn.execute(
        "SELECT b.signature FROM v_calls AS c JOIN functions AS b ON b.id = c.callee_id"
        " WHERE c.caller = 'c10::straight' AND b.line = 8"
    ).fetchall()
    assert ["part<long>" in signature for (signature,) in meant] == [True]
    # Who calls the template may run each of them; who calls one of them runs no other.
    led = conn.execute(
        "SELECT s.line, t.line FROM edges AS e JOIN edge_kinds AS k ON k.id = e.kind_id AND k.kind = 'specialization'"
        " JOIN functions AS s ON s.id * 16 = e.source JOIN functions AS t ON t.id * 16 = e.target"
        " WHERE t.name = 'c10::part' ORDER BY 1, 2"
    ).fetchall()
    conn.close()
    assert [tuple(row) for row in led] == [(4, 5), (4, 6), (4, 8), (4, 8)]


def test_an_overload_without_parameters_of_a_template_is_not_specialized(
    tree: SourceTree, tmp_path: Path
) -> None:
    (tree.root / "c10/core/box.cpp").write_text(
        "namespace c10 {\nint one(int x) { return x; }\n"
        "struct Box {\n  int get() const { return 1; }\n  template <class T> T get() const;\n};\n"
        "template <> int Box::get<int>() const { return one(1); }\n"
        "template <> long Box::get<long>() const { return one(2); }\n"
        "int plain(const Box& b) { return b.get(); }\n"
        "template <class T> T through(const Box& b) { return b.get<T>(); }\n}\n"
    )
    target = tmp_path / "index.db"
    build(tree, target, layers=LAYER_NAMES, workers=0)
    assert add(tree, target).status == "ok"
    conn = connect(target)
    led = conn.execute(
        "SELECT s.line, t.line FROM edges AS e JOIN edge_kinds AS k ON k.id = e.kind_id AND k.kind = 'specialization'"
        " JOIN functions AS s ON s.id * 16 = e.source JOIN functions AS t ON t.id * 16 = e.target"
        " WHERE t.name = 'c10::Box::get' ORDER BY 1, 2"
    ).fetchall()
    of_one, of_all = (
        all_tools()["impact"].ask(conn, name=name).notes
        for name in ("c10/core/box.cpp:7", "c10::Box::get")
    )
    conn.close()
    assert [tuple(row) for row in led] == [(5, 7), (5, 8)]
    # Which arguments `through` is given is not known.
    said = "1 function that may mean any of its 2 specializations, and 0 functions that may mean this alone"
    assert any(said in note for note in of_one)
    assert not any("specializations" in note for note in of_all)
