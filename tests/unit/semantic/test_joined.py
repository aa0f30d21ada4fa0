"""What libclang and the text call otherwise is one function of the index: conversions, and what macros make."""

from __future__ import annotations

from pathlib import Path

from indexer.build import build
from indexer.layers import LAYER_NAMES
from tests.unit.support.asking import ask
from tests.unit.support.semantic_tree import add, fast_index, plain_tree
from torchtalk.db import connect

_TEXT = """namespace c10 {
using id_t = unsigned;
template <typename T>
struct Pointer {
  operator T*() const { return held; }
  T* held;
};
struct Symbol {
  operator id_t() const { return value; }
  id_t value;
};
int first() { return 1; }
struct Options {
  int dtype() const { return dtype_; }
  int dtype_ = first();
};
#define DEFINE_REGISTRY(kind, name) \\
  kind name() { return first(); }
DEFINE_REGISTRY(
    int,
    registry)
int take(int* of) { return *of; }
int user(Pointer<int> pointer, Symbol symbol) {
  id_t id = symbol;
  return take(pointer) + id + registry() + Options().dtype();
}
}
"""


def test_each_stands_once_with_its_callers(tmp_path: Path) -> None:
    tree = plain_tree(tmp_path)
    target = fast_index(tree, tmp_path)
    (tree.root / "c10/core/joined.cpp").write_text(_TEXT)
    build(tree, target, layers=LAYER_NAMES, workers=0)
    add(tree, target)
    conn = connect(target)
    names = [
        (row["name"], row["line"], row["origin"]) for row in conn.execute(
            "SELECT name, line, origin FROM v_functions WHERE file = 'c10/core/joined.cpp'"
            " AND (kind = 'conversion' OR name = 'c10::registry') ORDER BY line"
        )
    ]  # fmt: skip
    assert names == [
        ("c10::Pointer::operator T*", 5, "clang"),
        ("c10::Symbol::operator id_t", 9, "clang"),
        ("c10::registry", 19, "clang"),
    ]
    for name in ("c10::Pointer::operator T*", "c10::Symbol::operator id_t", "c10::registry"):
        neighbours = ask(conn, "called_by", name=name).neighbours
        assert [one.name for one in neighbours] == ["c10::user"], name
    # What is called for the value is exact, and who uses the member its name tells.
    kind = conn.execute("SELECT kind FROM functions WHERE name = 'c10::Options::dtype_'").fetchone()
    assert kind["kind"] in ("variable", "field")
    answer = ask(conn, "impact", name="c10::Options::dtype_")
    assert [one.name for one in answer.subjects] == ["c10::Options::dtype"]
    assert "c10::user" in {one.name for one in answer.dependents}
    conn.close()
