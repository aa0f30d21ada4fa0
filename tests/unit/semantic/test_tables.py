"""What a table of function pointers holds is the text's to tell, also where clang read the code."""

from __future__ import annotations

from pathlib import Path

from tests.unit.support.semantic_tree import (
    FILES,
    differences_from_whole,
    edges,
    edited,
    index,
    make_tree,
)

_TABLE = """namespace c10 {
struct Table { int (*run)(int); int size; };
int one(int x) { return x; }
int two(int x) { return x; }
Table table = {one, 1};
int use(int x) {
  one(x);
  return table.run(x);
}
void change() { table.run = two; }
}
"""


def test_calls_through_a_table(tmp_path: Path) -> None:
    folder = tmp_path.resolve()
    tree = make_tree(folder / "tree", {**FILES, "c10/core/table.cpp": _TABLE})
    target, cache = folder / "x.db", folder / "cache"
    index(tree, target, cache)
    through = {("c10::use", "c10::one", "virtual"), ("c10::use", "c10::two", "virtual")}
    assert through <= edges(target, "syntax")
    assert ("c10::use", "c10::one", "call") in edges(target)
    assert ("c10::use", "c10::one", "call") not in edges(target, "syntax")
    edited(tree / "c10/core/table.cpp", "table.run = two", "table.size = 2")
    assert index(tree, target, cache).action == "updated"
    assert {edge for edge in edges(target, "syntax") if edge[2] == "virtual"} == {
        ("c10::use", "c10::one", "virtual")
    }
    assert differences_from_whole(tree, target, cache) == []
