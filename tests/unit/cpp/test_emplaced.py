"""What containers construct of what they are given: `bounds.emplace_back(start, end)`."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexer.build import build
from indexer.scan.tree import open_tree
from tests.unit.cpp.test_overloads import called
from tests.unit.support.index_dump import differences, dump
from tests.unit.support.small_tree import indexed

_BOUND = """namespace n {
struct Bound { Bound(int start, int end) {} Bound(int start, int end, bool open) {} };
using Bounds = std::vector<Bound>;
}
"""
_PLAN = """namespace n {
struct Plan {
  void member() { bounds_.emplace_back(1, 2); shared_.emplace_back(1, 2); }
  void copied(Bound b) { bounds_.emplace_back(b); }
  void open() { std::vector<Bound> open; open.emplace_back(1, 2, true); }
  void alias(Bounds& all) { all.emplace_back(1, 2); }
  void held() { first_.emplace(1, 2); named_.emplace(1, 2); }
  void pairs() { std::vector<std::pair<Bound, Bound>> pairs; pairs.emplace_back(1, 2); }
  template <class Bound> void any() { std::vector<Bound> any; any.emplace_back(1, 2); }
  std::vector<Bound> bounds_;
  std::vector<std::shared_ptr<Bound>> shared_;
  std::optional<Bound> first_;
  std::map<int, Bound> named_;
};
}
"""


@pytest.mark.parametrize(
    ("caller", "found"),
    [
        ("member", ["bound.h:constructor"]),
        # It may be copied.
        ("copied", []),
        ("open", ["bound.h:constructor"]),
        ("alias", ["bound.h:constructor"]),
        ("held", ["bound.h:constructor"]),
        # What a pair is made of makes none of what it holds by itself, and a template's parameter may be anything.
        ("pairs", []),
        ("any", []),
    ],
)
def test_containers_construct_their_elements(
    monkeypatch: pytest.MonkeyPatch, caller: str, found: list[str]
) -> None:
    rows = called(monkeypatch, {"bound.h": _BOUND, "plan.h": _PLAN}, f"n::Plan::{caller}")
    assert [f"{path}:{kind}" for _, path, _, kind in rows] == found


def test_an_update_that_adds_a_constructor_of_an_element(tmp_path: Path) -> None:
    files = {
        "aten/src/ATen/native/native_functions.yaml": "[]\n",
        "aten/src/ATen/native/tags.yaml": "[]\n",
        "version.txt": "2.6.0\n",
        "c10/core/Bound.h": _BOUND,
        "c10/core/Plan.h": _PLAN,
        # Does not name the class at all.
        "c10/core/Use.cpp": "namespace n { void Plan::late() { bounds_.emplace_back(1, 2, 3, 4); } }\n",
    }
    whole, part = tmp_path / "whole.db", tmp_path / "small.db"
    with indexed(files, tmp_path):
        file = tmp_path / "tree/c10/core/Bound.h"
        more = _BOUND.replace("};", "Bound(int a, int b, int c, int d) {} };")
        for text in (more, _BOUND):
            file.write_text(text)
            build(open_tree(tmp_path / "tree"), part, workers=0)
            build(open_tree(tmp_path / "tree"), whole, workers=0, full=True)
            assert differences(dump(part), dump(whole)) == []


def test_a_smart_pointer_s_own_methods(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """namespace c10 { template <class T> struct intrusive_ptr { T* get() { return p; }
  void reset() {} T* p; }; }
struct Node { void reset() {}
  int kind() { return 1; } };
"""
    use = """void use(c10::intrusive_ptr<Node> a, const std::shared_ptr<Node>& b, std::optional<Node> c) {
  a.reset();
  a->reset(); a.get();
  b.reset(); c.reset();
  b->kind(); c->kind();
}
"""
    rows = called(monkeypatch, {"n.h": text, "z.cpp": use})
    # What the standard library's have is none of the tree's, though what they lead to has one of the name.
    assert [row[:3] for row in rows] == [
        (2, "n.h", 2), (3, "n.h", 1), (3, "n.h", 3), (5, "n.h", 4),
    ]  # fmt: skip
