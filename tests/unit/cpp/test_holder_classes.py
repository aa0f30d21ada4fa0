"""Classes that macros make to hold another: what is called on them is called on what they hold."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.build import build
from indexer.link.cpp.holder_classes import holder_classes
from indexer.scan.tree import open_tree
from tests.unit.support.index_dump import differences, dump
from tests.unit.support.small_tree import indexed

_PIMPL = "torch/csrc/api/include/torch/nn/pimpl.h"
_MODULES = "torch/csrc/api/include/torch/nn/modules.h"
_TEST = "test/cpp/api/modules.cpp"
_FILES = {
    "aten/src/ATen/native/native_functions.yaml": "[]\n",
    "aten/src/ATen/native/tags.yaml": "[]\n",
    _PIMPL: """\
namespace torch {
namespace nn {
template <typename Contained>
class ModuleHolder {
 public:
  Contained* operator->() { return get(); }
  Contained* get() { return impl_.get(); }
  bool is_empty() const noexcept { return impl_ == nullptr; }
  template <typename... Args> auto operator()(Args&&... args) {
    return impl_->forward(::std::forward<Args>(args)...);
  }
 protected:
  std::shared_ptr<Contained> impl_;
};
template <typename T> class Plain { public: int size() { return 1; } };
}
}
#define MODULE_IMPL(Name, ImplType)                     \\
  class Name : public torch::nn::ModuleHolder<ImplType> { \\
   public:                                              \\
    using Impl UNUSED = ImplType;                       \\
  }
#define MODULE(Name) MODULE_IMPL(Name, Name##Impl)
#define LISTED(Name) class Name : public torch::nn::Plain<int> { int n; }
""",
    _MODULES: """\
#include <torch/nn/pimpl.h>
namespace torch {
namespace nn {
struct Module { void train(bool on) {} };
class PoolImpl : public Module {
 public:
  int forward(int x) { return x; }
  static int mask(int n) { return n; }
};
MODULE(Pool);
class NormImpl : public Module {
 public:
  int forward(int x) { return x; }
};
MODULE(Norm);
LISTED(Listed);
}
}
""",
    _TEST: """\
#include <torch/nn/modules.h>
using namespace torch::nn;
struct Net : Module {
  Norm norm{nullptr};
  int run(int x) { return norm->forward(x); }
};
void pooled() {
  Pool model(3);
  model->forward(1);
  model->train(true);
  model.is_empty();
  Pool::Impl::mask(4);
  auto other = Norm(2);
  other->forward(1);
  auto y = model(5);
}
void normed() { Norm norm(2); auto y = norm(6); }
""",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("holders")) as connection:
        yield connection


def test_a_member_of_what_is_held_is_called(conn: sqlite3.Connection) -> None:
    found = conn.execute(
        "SELECT caller, line, callee, kind FROM v_calls WHERE file = ? ORDER BY line, callee",
        (_TEST,),
    )
    space = "torch::nn::"
    assert [tuple(row) for row in found] == [
        ("Net::run", 5, f"{space}NormImpl::forward", "call"),
        ("pooled", 9, f"{space}PoolImpl::forward", "call"),
        ("pooled", 10, f"{space}Module::train", "call"),
        ("pooled", 11, f"{space}ModuleHolder::is_empty", "call"),
        ("pooled", 12, f"{space}PoolImpl::mask", "call"),
        ("pooled", 14, f"{space}NormImpl::forward", "call"),
        ("pooled", 15, f"{space}ModuleHolder::operator()", "call"),
        ("pooled", 15, f"{space}PoolImpl::forward", "call"),
        ("normed", 17, f"{space}ModuleHolder::operator()", "call"),
        ("normed", 17, f"{space}NormImpl::forward", "call"),
    ]


def test_only_what_derives_from_a_template_with_an_arrow_holds_another(
    conn: sqlite3.Connection,
) -> None:
    found = holder_classes(conn)
    assert [(h.name, h.base, h.held, h.aliases, h.path) for h in found] == [
        ("torch::nn::Pool", "torch::nn::ModuleHolder", "PoolImpl", (("Impl", "PoolImpl"),), _MODULES),
        ("torch::nn::Norm", "torch::nn::ModuleHolder", "NormImpl", (("Impl", "NormImpl"),), _MODULES),
    ]  # fmt: skip
    assert holder_classes(conn, [found[0].file_id]) == found
    assert holder_classes(conn, [found[0].file_id + 1]) == []


def test_an_update_sees_what_a_header_makes(tmp_path: Path) -> None:
    tree, target = tmp_path / "tree", tmp_path / "x.db"
    for path, text in _FILES.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text)
    made, other = "MODULE(Norm);", "MODULE(Other);"
    header = tree / _MODULES
    header.write_text(_FILES[_MODULES].replace(made, other))
    build(open_tree(tree), target, workers=0)
    for text in (_FILES[_MODULES], _FILES[_MODULES].replace(made, other)):
        header.write_text(text)
        assert build(open_tree(tree), target, workers=0).action == "updated"
        build(open_tree(tree), tmp_path / "whole.db", workers=0, full=True)
        assert differences(dump(target), dump(tmp_path / "whole.db")) == []
        with sqlite3.connect(target) as conn:
            callers = conn.execute(
                "SELECT caller FROM v_calls WHERE callee = 'torch::nn::NormImpl::forward' AND kind = 'call' ORDER BY line"
            ).fetchall()
        assert callers == ([("Net::run",), ("pooled",), ("normed",)] if made in text else [])


def test_an_update_sees_what_a_held_object_s_method_becomes(tmp_path: Path) -> None:
    tree, target = tmp_path / "tree", tmp_path / "x.db"
    for path, text in _FILES.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text)
    (tree / _TEST).write_text(
        "using namespace torch::nn;\nvoid normed() { Norm norm(2); auto y = norm(6); }\n"
    )
    build(open_tree(tree), target, workers=0)
    header = tree / _MODULES
    for text in (
        _FILES[_MODULES].replace("int forward(int x)", "long forward(long x)"),
        _FILES[_MODULES].replace("int forward(int x)", "int go(int x)"),
        _FILES[_MODULES],
    ):
        header.write_text(text)
        assert build(open_tree(tree), target, workers=0).action == "updated"
        build(open_tree(tree), tmp_path / "whole.db", workers=0, full=True)
        assert differences(dump(target), dump(tmp_path / "whole.db")) == []
        with sqlite3.connect(target) as conn:
            found = conn.execute("SELECT callee FROM v_calls WHERE caller = 'normed'").fetchall()
        assert (("torch::nn::NormImpl::forward",) in found) == ("forward" in text)
    # The caller's file alone, which does not name the method.
    (tree / _TEST).write_text(
        "using namespace torch::nn;\n\nvoid normed() { Norm n(2); auto y = n(7); }\n"
    )
    build(open_tree(tree), target, workers=0)
    build(open_tree(tree), tmp_path / "whole.db", workers=0, full=True)
    assert differences(dump(target), dump(tmp_path / "whole.db")) == []
