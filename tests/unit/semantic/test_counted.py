"""A function that a macro names by `__COUNTER__` is one, whatever number clang and the text come to."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from tests.unit.support.semantic_tree import FILES, differences_from_whole, index, make_tree

_BLOCKS = """#define GLUE_(a, b) a##b
#define GLUE(a, b) GLUE_(a, b)
#define BLOCK(of) static void GLUE(block_##of##_, __COUNTER__)(int m)
namespace c10 {
int one(int x) { return x; }
int two(int x) { return x; }
BLOCK(first) {
  one(m);
}
BLOCK(second) {
  two(m);
}
BLOCK(third) { one(m); two(m); }
}
"""


def _blocks(target: Path) -> dict[str, tuple[str, int]]:
    """Of each block its origin and how many callees it has."""
    conn = sqlite3.connect(target)
    rows = conn.execute(
        "SELECT u.name, u.origin, count(DISTINCT c.callee_id) FROM functions AS u"
        " LEFT JOIN calls AS c ON c.caller_id = u.id WHERE u.name LIKE 'c10::block%' GROUP BY u.id"
    ).fetchall()
    conn.close()
    found = {name: (origin, callees) for name, origin, callees in rows}
    assert len(found) == len(rows)
    return found


def test_a_block_with_a_counted_name_is_one_function(tmp_path: Path) -> None:
    folder = tmp_path.resolve()
    tree = make_tree(folder / "tree", {**FILES, "c10/core/blocks.cpp": _BLOCKS})
    target, cache = folder / "x.db", folder / "cache"
    index(tree, target, cache)
    assert _blocks(target) == {
        "c10::block_first_0": ("clang", 1),
        "c10::block_second_0": ("clang", 1),
        "c10::block_third_0": ("clang", 2),
    }
    more = _BLOCKS.replace("BLOCK(first)", "BLOCK(fourth) { two(m); }\nBLOCK(first)")
    (tree / "c10/core/blocks.cpp").write_text(more)
    assert index(tree, target, cache).action == "updated"
    assert set(_blocks(target).values()) == {("clang", 1), ("clang", 2)}
    assert len(_blocks(target)) == 4
    assert differences_from_whole(tree, target, cache) == []
