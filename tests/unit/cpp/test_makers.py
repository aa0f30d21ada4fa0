"""Objects that are made where no text has their class's name with a bracket behind it."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexer.build import build
from indexer.scan.tree import open_tree
from tests.unit.support.index_dump import differences, dump
from tests.unit.support.small_tree import indexed

# `alloc` hands all it is given to `make_shared`, and `again` to `alloc`; `copied` gives it something of its own, and
# `second` constructs another of its arguments.
_ALLOC = "return std::make_shared<T>(std::forward<Args>(args)...);"
_FILES = {
    "aten/src/ATen/native/native_functions.yaml": "[]\n",
    "aten/src/ATen/native/tags.yaml": "[]\n",
    "version.txt": "2.6.0\n",
    "c10/core/Alloc.h": f"""namespace n {{
struct Node {{ Node(int a) {{}} Node(int a, int b) {{}} }};
struct Block {{ Block(int a) {{}} }};
namespace inner {{ struct Block {{ Block(int a, int b) {{}} }}; }}
template <class T, typename... Args> std::shared_ptr<T> alloc(Args&&... args) {{
  {_ALLOC}
}}
template <typename T, class... Args> auto fresh(Args&&... args) {{ return new T(std::forward<Args>(args)...); }}
template <class T> T* copied(const T& from) {{ return new T(from, 1); }}
template <class Of, class T, class... Args> auto second(Args&&... args) {{ {_ALLOC} }}
}}
""",
    "c10/core/Plan.h": """namespace n {
struct Code { Code(int graph, int name) {} Code(int graph) {} };
struct Plan {
  Plan(int graph, int name) : code(graph, name), shared(graph, name), copied(graph), node{name, 1}, count(1) {}
  Plan(int graph) : Plan(graph, 2), code_of(1, 2) {}
  Code code;
  std::vector<Code> shared;
  Code copied;
  Node node;
  int count;
};
}
""",
    "c10/core/Again.h": """namespace n {
template <class T, class... Args> auto again(Args&&... args) { return n::alloc<T>(std::forward<Args>(args)...); }
}
""",
    "c10/core/Use.cpp": """namespace n {
using namespace n::inner;
void one() { auto x = alloc<Node>(1); }
void two() { take(n::again<Node>(1, f(2, 3))); }
void three() { fresh<n::Node>(1); }
void four() { alloc<Block>(1, 2); }
template <class U> void open(U u) { alloc<U>(1); }
void other() { copied<Node>(x); second<Node, int>(1); alloc<int>(1); held.alloc<Node>; }
}
""",
}
_MADE = """
SELECT c.caller, c.callee, f.line FROM v_calls AS c JOIN functions AS f ON f.id = c.callee_id
WHERE c.kind = 'constructor' ORDER BY c.caller, c.callee
"""


def test_what_templates_and_initializers_of_members_construct(tmp_path: Path) -> None:
    with indexed(_FILES, tmp_path) as conn:
        found = [tuple(row) for row in conn.execute(_MADE)]
    # Of the two classes called Block it is not the one that takes one argument.
    assert found == [
        # Members that are made of several arguments; one may be copied.
        ("n::Plan::Plan", "n::Code::Code", 2), ("n::Plan::Plan", "n::Node::Node", 2), ("n::Plan::Plan", "n::Plan::Plan", 4),
        ("n::one", "n::Node::Node", 2), ("n::three", "n::Node::Node", 2), ("n::two", "n::Node::Node", 2),
    ]  # fmt: skip


@pytest.mark.parametrize("path", ["c10/core/Alloc.h", "c10/core/Again.h"])
def test_an_update_that_makes_one_of_no_maker(tmp_path: Path, path: str) -> None:
    whole, part = tmp_path / "whole.db", tmp_path / "small.db"
    with indexed(_FILES, tmp_path):
        file = tmp_path / "tree" / path
        for text in (file.read_text().replace("std::forward<Args>", "own"), _FILES[path]):
            file.write_text(text)
            build(open_tree(tmp_path / "tree"), part, workers=0)
            build(open_tree(tmp_path / "tree"), whole, workers=0, full=True)
            assert differences(dump(part), dump(whole)) == []
