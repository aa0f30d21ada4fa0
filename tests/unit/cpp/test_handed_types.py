"""Classes that functions hand to templates: read from small texts, and the edges that come of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.build import build
from indexer.extract.cpp.handed_types import HandedTypes, static_objects
from indexer.scan.tree import open_tree
from tests.unit.support.asking import ask
from tests.unit.support.cpp_text import TOKENS
from tests.unit.support.graph_tree import YAML
from tests.unit.support.small_tree import indexed
from tests.unit.support.update_tree import NATIVE, make
from torchtalk.db import connect


def handed(body: str, before: str = "") -> list[str]:
    text = f"{before}\nvoid f() {{{body}}}\n".encode()
    objects = static_objects(text)
    start = text.index(b"void f()")
    return [
        name.decode()
        for name, _ in HandedTypes(text, text[::-1], start, len(text) - 1).read(objects)
    ]


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("run<Op>(x);", ["Op"]),
        ("run<float, Ops<float>>(x);", ["Ops"]),
        ("run(x, Op<T>());", ["T", "Op"]),
        # A node has an `operator()`, and nobody calls it by holding one: torch/csrc/autograd/function.cpp, deleteNode.
        (
            "std::deque<std::shared_ptr<Node>> stack; std::set<Node*> seen; run<const Node *>(x);",
            [],
        ),
        (
            "std::unique_ptr<Box, Closer> box; std::map<std::string, at::intrusive_ptr<Box>> boxes;",
            ["Closer"],
        ),
        (
            "std::map<Key*, Value, KeyHash> kept; made = std::make_shared<Box>(1);",
            ["Value", "KeyHash", "Box"],
        ),
        ("run(x, Op<T>{1});", ["T", "Op"]),
        ("run(x, Op());", ["Op"]),
        ("run(x, n::Op{});", ["n::Op"]),
        ("run<Ops<T>::Two>(x);", ["Ops", "T", "Ops::Two"]),
        ("Op op; run(x, op);", ["Op"]),
        ("Op<T> op(1); run(op, x);", ["T", "Op"]),
        ("auto op = Op<T>(1); run(op);", ["T", "Op"]),
        ("auto op = Op(); run(op);", ["Op"]),
        ("Op<T>()(x, y);", ["T", "Op"]),
        ("return Op<T>{x};", ["T", "Op"]),
        ("Op<T> op; x = op(y);", ["T", "Op"]),
        ("Op op(1); return op(y);", ["Op"]),
        ("Op op(1); x.op(y); T op(2);", []),
        ("run(x, Op<T, size<n>(), sizeof(T)>(x));", ["T", "size", "n", "Op"]),
        ("return Op<T>{}(x);", ["T", "Op"]),
        ("return Op{}(x);", ["Op"]),
        ("y = n::Op()(x); z = op_t{}(y);", ["n::Op", "op_t"]),
        ("x.op()(y); x->op{}(y);", []),
        ("using Own = n::Op<T>; run<Own>(x);", ["T", "Own", "n::Op"]),
        ("using Own = Op; run<float, Own>(x);", ["Own", "Op"]),
        ("using Own = Op; Own::run(x);", []),
        ("using In = n::Op; using Own = In; Own op(1); run(x, op);", ["Own", "In", "n::Op"]),
        # What is not handed on, calls show.
        ("Op op; op.run(x);", []),
        ("Op<T> op(1); op.run(x);", ["T"]),
        ("auto op = Op<T>(1);", ["T"]),
        ("Op op(1); return op2;", []),
        ("x = a < b; y = c > d;", []),
        ("x = reinterpret_cast<Op*>(y); z = static_cast<n::Op<T>*>(y);", []),
        ("static_cast<int64_t>(x); std::vector<std::string> v;", []),
    ],
)
def test_what_is_handed(body: str, names: list[str]) -> None:
    assert handed(body) == names


def test_an_object_of_the_file() -> None:
    before = "static Op shared;\nstatic constexpr n::Other other{};\nstatic int count = 0;"
    assert handed("run(x, shared);", before) == ["Op"]
    assert handed("run(other, x);", before) == ["n::Other"]
    assert handed("shared.run(x);", before) == []


@given(st.lists(st.sampled_from([*TOKENS, b"Op", b"op", b" ", b"static "]), max_size=40))
def test_any_text(tokens: list[bytes]) -> None:
    text = b"".join(tokens)
    for name, at in HandedTypes(text, text[::-1], 0, len(text)).read(static_objects(text)):
        assert name
        assert 0 <= at <= len(text)


@pytest.fixture(scope="module")
def small(
    fixture_tree: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[sqlite3.Connection]:
    folder = tmp_path_factory.mktemp("handed")
    tree = make(folder / "tree", fixture_tree)
    build(open_tree(tree), folder / "x.db", workers=0)
    with closing(connect(folder / "x.db")) as conn:
        yield conn


def edges(conn: sqlite3.Connection, kind: str) -> set[tuple[str, str]]:
    rows = conn.execute("SELECT source, target FROM v_edges WHERE kind = ?", (kind,))
    prefix = "at::native::"
    return {(str(a).removeprefix(prefix), str(b).removeprefix(prefix)) for a, b in rows}


def test_templates_call_what_they_are_handed(small: sqlite3.Connection) -> None:
    assert edges(small, "template") == {
        ("cap_reduce", "CapOps::project"),
        ("cap_reduce", "CapOps::combine"),
        ("cap_reduce", "CapAdd::operator()"),
        ("cap_each", "CapMade::operator()"),
        # Its base was handed it, and is called.
        ("cap_apply", "CapOwn::forward"),
        ("cap_apply", "CapOwn::backward"),
    }


def test_an_object_of_another_name_is_called_at_once(tmp_path: Path) -> None:
    source = """\
namespace at::native {
template <typename T> struct Cell { int operator()(int x) const { return 1; } };
using cell_t = Cell<int>;
#define MAKE(name, type) int name(int x) { return type{}(x); }
MAKE(made, cell_t)
int plain(int x) { return Cell()(x); }
}
"""
    files = {YAML: "- func: neg(Tensor self) -> Tensor\n", "aten/src/ATen/native/Cells.cpp": source}
    with indexed(files, tmp_path) as conn:
        found = {("made", "Cell::operator()"), ("plain", "Cell::operator()")}
        assert edges(conn, "template") == found


WELFORD = """\
namespace at::native {
template <typename T> struct Welford {
  Welford(T correction) {}
  T reduce(T a, T b) const { return a; }
  T combine(T a, T b) const { return b; }
};
template <typename T> T moments(T x) { Welford<T> op(1); return op.reduce(x, x); }
template <typename T> struct Keys { static T convert(T x) { return x; } static T revert(T x) { return x; } };
template <typename T> T bits(T x) { return Keys<T>::convert(x); }
struct Held { int size() { return 1; } int stride() { return 2; } };
int size_of(Held& held) { return held.size(); }
template <typename Op> float reduce_by(Op op) { return 1; }
float var_kernel() { return reduce_by(Welford<float>(2)); }
int held_kernel() { return reduce_by(Held{}) + reduce_by<Held>({}); }
float key_kernel() { return pick<Keys<float>>(1); }
}
"""


def test_a_template_that_makes_such_an_object_itself_says_nothing_of_who_hands_it_on(
    tmp_path: Path,
) -> None:
    files = {YAML: "[]\n", "aten/src/ATen/native/Welford.cpp": WELFORD}
    with indexed(files, tmp_path) as conn:
        found = edges(conn, "template")
    assert found == {
        ("var_kernel", "Welford::reduce"),
        ("var_kernel", "Welford::combine"),
        ("key_kernel", "Keys::convert"),
        ("key_kernel", "Keys::revert"),
    }


SORTERS = """\
namespace at::native {
template <typename T> __global__ void sort_gpu(T* x) { }
template <typename T> __global__ void merge_gpu(T* x) { }
struct Bitonic { template <int A> void sort(int n) { sort_gpu<float><<<1, 2>>>(nullptr); } };
struct Merge { template <int A> void sort(int n) { merge_gpu<float><<<1, 2>>>(nullptr); } };
struct Radix { int by; Radix(int by) : by(by) {} template <int A> void sort(int n) { sort_gpu<int><<<1, by>>>(nullptr); } };
struct Other { void sort(int n) {} };
template <typename Sorter> void sort_common(Sorter sorter, int n) { sorter.template sort<2>(n); }
void sort_small(int n) { sort_common(Bitonic{}, n); }
void sort_by(int n) { sort_common(Radix(2), n); }
void sort_any(int n) { if (n > 3) { sort_common(Merge{}, n); } else { sort_small(n); } }
void elsewhere(int n) { things(n).sort(n); }
}
"""


def test_a_method_that_a_template_calls_is_of_the_classes_handed_to_it(
    fixture_tree: Path, tmp_path: Path
) -> None:
    tree = make(tmp_path / "tree", fixture_tree)
    (tree / NATIVE / "cuda/Sorters.cu").write_text(SORTERS)
    build(open_tree(tree), tmp_path / "x.db", workers=0)
    with closing(connect(tmp_path / "x.db")) as conn:
        # Other functions call methods of that name; that says nothing of these.
        assert {edge for edge in edges(conn, "template") if edge[1].endswith("::sort")} == {
            ("sort_small", "Bitonic::sort"),
            ("sort_by", "Radix::sort"),
            ("sort_any", "Merge::sort"),
        }
        found = ask(conn, "cuda_kernels", name="at::native::sort_any")
        assert [(site.kernel, site.place.line, site.why) for site in found.sites] == [
            ("at::native::merge_gpu", 5, "behind the function, 1 call on"),
            ("at::native::sort_gpu", 4, "behind the function, 2 calls on"),
        ]


def test_a_file_s_own_class_and_not_its_namesake(fixture_tree: Path, tmp_path: Path) -> None:
    tree = make(tmp_path / "tree", fixture_tree)
    for name in ("Twin.cpp", "cuda/Twin.cu"):
        (tree / NATIVE / name).write_text(
            "namespace at::native {\nstruct TwinOp { int apply(int a) { return a; } };\n"
            "template <class T> int twice(T op);\n"
            f"int twin_{name[-2:]}(int a) {{ return twice<TwinOp>(TwinOp{{}}); }}\n}}\n"
        )
    build(open_tree(tree), tmp_path / "x.db", workers=0)
    with closing(connect(tmp_path / "x.db")) as conn:
        rows = conn.execute(
            "SELECT s.name, f.path FROM edges AS e JOIN functions AS s ON s.id * 16 = e.source"
            " JOIN functions AS t ON t.id * 16 = e.target JOIN source_files AS f ON f.id = t.file_id"
            " WHERE t.name = 'at::native::TwinOp::apply' ORDER BY 2"
        ).fetchall()
    assert [tuple(row) for row in rows] == [
        ("at::native::twin_pp", f"{NATIVE}/Twin.cpp"),
        ("at::native::twin_cu", f"{NATIVE}/cuda/Twin.cu"),
    ]


def test_calls_of_a_template_lead_to_its_specializations(small: sqlite3.Connection) -> None:
    found = small.execute(
        "SELECT line FROM v_functions WHERE file = ? AND name LIKE '%cap_lapack' ORDER BY line",
        (f"{NATIVE}/CapOps.h",),
    ).fetchall()
    assert len(found) == 2
    rows = small.execute(
        "SELECT callee FROM v_calls WHERE caller = 'at::native::cap_each' ORDER BY callee"
    ).fetchall()
    called = [row[0].removeprefix("at::native::") for row in rows]
    # The text cannot tell which is meant: all are candidates, and none is without a caller.
    assert called.count("cap_lapack") == 2
    assert called.count("CapRadix::convert") == 2


MANY = "".join(
    f"template <> struct Radix<T{n}> {{ static T{n} convert(int a) {{ return a; }} }};\n"
    f"template <> int lapack<T{n}>(int a) {{ return {n}; }}\n"
    for n in range(12)
)


def test_specializations_that_no_call_names(fixture_tree: Path, tmp_path: Path) -> None:
    tree = make(tmp_path / "tree", fixture_tree)
    (tree / NATIVE / "Many.cpp").write_text(
        "namespace at::native {\ntemplate <class T> struct Radix;\ntemplate <class T> int lapack(int a);\n"
        f"{MANY}int many(int a) {{ return Radix<T1>::convert(lapack<T2>(a)); }}\n}}\n"
    )
    build(open_tree(tree), tmp_path / "x.db", workers=0)
    with closing(connect(tmp_path / "x.db")) as conn:
        reached = {
            row[0]
            for row in conn.execute(
                "WITH RECURSIVE down (id) AS (SELECT id FROM functions WHERE name = 'at::native::many' UNION"
                " SELECT callee_id FROM down JOIN calls ON caller_id = down.id UNION"
                " SELECT e.target >> 4 FROM down JOIN edges AS e ON e.source = down.id * 16"
                " JOIN edge_kinds AS k ON k.id = e.kind_id AND k.kind = 'specialization')"
                " SELECT line FROM down JOIN functions USING (id) WHERE name LIKE '%::convert' OR name LIKE '%::lapack'"
            )
        }
    assert reached == set(range(4, 28))


def test_specializations_belong_to_their_template_and_not_to_each_other(
    fixture_tree: Path, tmp_path: Path
) -> None:
    tree = make(tmp_path / "tree", fixture_tree)
    (tree / NATIVE / "Many.cpp").write_text(
        "namespace at::native {\nint lapack(double a) { return 0; }\n"
        f"{MANY}template <class T> int lapack(T a) {{ return 1; }}\n"
        "int many(int a) { return lapack(a); }\n}\n"
    )
    build(open_tree(tree), tmp_path / "x.db", workers=0)
    with closing(connect(tmp_path / "x.db")) as conn:
        rows = conn.execute(
            "SELECT DISTINCT u.line FROM edges AS e JOIN functions AS u ON u.id = e.source >> 4 JOIN edge_kinds AS k"
            " ON k.id = e.kind_id AND k.kind = 'specialization' WHERE u.name = 'at::native::lapack'"
        ).fetchall()
    # Of more than a call can be of, the template is one that it is said to be of.
    assert [line for (line,) in rows] == [27]


def test_answers_say_what_the_edge_means(small: sqlite3.Connection) -> None:
    said = "`template`: hands the class to a template, which calls those methods that it needs"
    for tool in ("called_by", "impact"):
        assert said in ask(small, tool, name="at::native::CapOps::project").notes
    assert said not in ask(small, "called_by", name="at::native::cap_cpu").notes


CELLS = """\
#include <memory>
namespace at::native {
struct Params { virtual int turn(int n) const = 0; };
struct Quantized : Params { int turn(int n) const override { return n; } };
struct Plain : Params { int turn(int n) const override { return n + 1; } };
struct Wrapper { std::unique_ptr<Params> param_; int turn(int n) const { return param_->turn(n); } };
struct Holder { std::unique_ptr<Params> param_; int turn_all(int n) const { return param_->turn(n); } };
template <typename P> int run_cell(const P& p, int n);
int cell_step(int n) { return run_cell<Quantized>(Quantized(), n); }
HOLDING
}
"""


@pytest.mark.parametrize("is_held", [False, True])
def test_a_wrapper_that_nobody_calls_says_nothing_of_who_calls_what_it_wraps(
    fixture_tree: Path, tmp_path: Path, is_held: bool
) -> None:
    tree = make(tmp_path / "tree", fixture_tree)
    holding = "int held(const Holder& holder, int n) { return holder.turn_all(n); }"
    text = CELLS.replace("HOLDING", holding if is_held else "")
    (tree / NATIVE / "Cells.cpp").write_text(text)
    build(open_tree(tree), tmp_path / "x.db", workers=0)
    with closing(connect(tmp_path / "x.db")) as conn:
        users = ask(conn, "called_by", name="at::native::Quantized::turn").neighbours
    relations = {n.name.removeprefix("at::native::"): n.relation for n in users}
    wrappers = {"Wrapper::turn": "virtual", "Holder::turn_all": "virtual"}
    assert relations == (wrappers if is_held else {**wrappers, "cell_step": "template"})


def test_a_call_with_template_arguments_hands_on_no_more_than_another(tmp_path: Path) -> None:
    source = (
        "struct Tool { template <class T> static int make(int a) { return a; } };\n"
        "struct Base { template <class T> static int run(int a) { return a; } };\n"
        "struct Derived : Base { int own(int a) { return a; } };\n"
        "int use() { return Tool::make<int>(1) + Derived::run<int>(2); }\n"
    )
    files = {
        "version.txt": "2.6.0\n",
        "aten/src/ATen/native/native_functions.yaml": "- func: f(Tensor self) -> Tensor\n",
        "aten/src/ATen/Tool.cpp": source,
    }
    with indexed(files, tmp_path) as conn:
        found = conn.execute("SELECT class FROM handed_classes ORDER BY class").fetchall()
    # A base's method may call what the derived class has.
    assert [name for (name,) in found] == ["Base", "Derived"]


def test_what_has_virtual_methods_is_no_functor(tmp_path: Path) -> None:
    """`std::make_shared<Error>(…)` makes an `autograd::Node`, which has an `operator()` that the engine calls."""
    files = {
        "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
        "torch/csrc/Node.h": (
            "namespace n {\nstruct Node {\n  int operator()(int x) { return apply(x); }\n"
            "  virtual int apply(int x) { return x; }\n};\n"
            "struct Error : public Node {\n  int apply(int x) override { return 1; }\n};\n"
            "struct Plus { int operator()(int x) { return x + 1; } };\n}\n"
        ),
        "torch/csrc/Made.cpp": (
            "namespace n {\nvoid make() { keep(std::make_shared<Error>(1)); run<Plus>(2); }\n}\n"
        ),
    }
    with indexed(files, tmp_path) as conn:
        found = conn.execute(
            "SELECT source, target FROM v_edges WHERE kind = 'template' AND target GLOB '*operator()'"
        ).fetchall()
    assert [tuple(row) for row in found] == [("n::make", "n::Plus::operator()")]


def test_who_hands_a_class_on_makes_it_where_its_methods_are_called_by_a_base(
    tmp_path: Path,
) -> None:
    """`setAttr<StringAttr>(name, v)` makes one, whose `clone` is called on a pointer to the base of them all."""
    files = {
        "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
        "torch/csrc/Attr.cpp": (
            "namespace n {\nstruct Kept { virtual int clone() = 0; };\n"
            "struct Own : public Kept { Own(int x) {} int clone() override { return 1; } };\n"
            "int copy(Kept* kept) { return kept->clone(); }\n"
            "int copy_all(Kept* kept) { return copy(kept); }\n"
            "int set(int x) { return make_one<Own>(x); }\n}\n"
        ),
    }
    with indexed(files, tmp_path) as conn:
        found = conn.execute(
            "SELECT source, target FROM v_edges WHERE kind = 'template' AND source = 'n::set'"
        ).fetchall()
    assert [tuple(row) for row in found] == [("n::set", "n::Own::Own")]
