"""trace goes on where a virtual method hands its work to an operator, and not where a class of no file is asked."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.support.asking import text
from tests.unit.support.small_tree import indexed

_FOLDER = "torch/csrc/distributed/c10d"
# ProcessGroup and its trampoline for Python (torch/csrc/distributed/c10d/ProcessGroup.hpp, PyProcessGroup.hpp).
_GROUP = """#pragma once
namespace c10d {
class Group {
 public:
  virtual Work spreadall(std::vector<Tensor>& x, const Options& options) {
    static auto op = c10::Dispatcher::singleton()
                         .findSchemaOrThrow("c10d::spreadall_", "")
                         .typed<Work(TensorList)>();
    return op.call(x);
  }
  virtual bool asked(int x) { return x > 0; }
};
class PyGroup : public Group {
 public:
  Work spreadall(std::vector<Tensor>& x, const Options& options) override { return dispatch(x); }
  bool asked(int x) override { return dispatch(x); }
};
}
"""
_FUNCTIONAL = """#include <torch/csrc/distributed/c10d/Group.hpp>
namespace {
std::vector<Tensor> spread_coalesced(std::vector<Tensor> inputs, c10d::Group* group) {
  Options options;
  group->spreadall(inputs, options);
  return inputs;
}
Tensor spread(const Tensor& input, c10d::Group* group) {
  std::vector<Tensor> outputs{at::empty(input.sizes())};
  return spread_coalesced(outputs, group)[0];
}
bool picks(c10d::Group* group) { return group->asked(1); }
Tensor chosen(const Tensor& input, c10d::Group* group) { return picks(group) ? input : at::empty(1); }
}
namespace c10d {
void spread_cpu(std::vector<Tensor>& x) { ncclSpread(x); }
TORCH_LIBRARY(c10d, m) {
  m.def("spreadall_(Tensor[] tensors) -> __torch__.torch.classes.c10d.Work");
}
TORCH_LIBRARY_IMPL(c10d, CUDA, m) { m.impl("spreadall_", spread_cpu); }
}
TORCH_LIBRARY(_functional, m) {
  m.def("spread_coalesced(Tensor[] inputs) -> Tensor[]",
        torch::dispatch(c10::DispatchKey::CompositeExplicitAutograd, ::spread_coalesced));
  m.def("spread(Tensor input) -> Tensor",
        torch::dispatch(c10::DispatchKey::CompositeExplicitAutograd, ::spread));
  m.def("chosen(Tensor input) -> Tensor",
        torch::dispatch(c10::DispatchKey::CompositeExplicitAutograd, ::chosen));
}
"""
_FILES = {
    "aten/src/ATen/native/native_functions.yaml": (
        "- func: empty(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None,"
        " bool? pin_memory=None) -> Tensor\n  dispatch:\n    CPU: empty_cpu\n"
    ),
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: x\n",
    f"{_FOLDER}/Group.hpp": _GROUP,
    f"{_FOLDER}/Functional.cpp": _FUNCTIONAL,
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("bases")) as connection:
        yield connection


@pytest.mark.parametrize("name", ["spread_coalesced", "spread"])
def test_the_operator_of_a_base_is_what_runs(conn: sqlite3.Connection, name: str) -> None:
    """Also where the kernel leaves it to another of its file, and makes a tensor for it."""
    lines = [
        line.strip() for line in text(conn, "trace", name=f"_functional::{name}", focus="dispatch")
    ]
    at = lines.index(
        f"calls c10d::Group::spreadall, which is virtual, at {_FOLDER}/Functional.cpp:5: one of"
    )
    assert lines[at + 1 : at + 6] == [
        f"c10d::Group::spreadall  {_FOLDER}/Group.hpp:5",
        f"c10d::PyGroup::spreadall  {_FOLDER}/Group.hpp:15",
        f"calls c10d::spreadall_  at {_FOLDER}/Group.hpp:7 in c10d::Group::spreadall",
        f"CUDA -> c10d::spread_cpu  {_FOLDER}/Functional.cpp:16  [impl]"
        f"  (registered {_FOLDER}/Functional.cpp:20)",
        f"calls NCCL: ncclSpread  at {_FOLDER}/Functional.cpp:16",
    ]


def test_what_a_helper_asks_is_not_its_work(conn: sqlite3.Connection) -> None:
    """As _select_batch_norm_backend asks CUDA's hooks (aten/src/ATen/native/Normalization.cpp)."""
    lines = text(conn, "trace", name="_functional::chosen", focus="dispatch")
    assert not [line for line in lines if "virtual" in line]


def test_a_class_of_no_file_of_the_tree_says_nothing(tmp_path: Path) -> None:
    """`e.what()` in a warning is std::exception::what, which errors of the tree override."""
    header = "aten/src/ATen/native/exception.h"
    files = {
        "aten/src/ATen/native/native_functions.yaml": (
            "- func: warned(Tensor self) -> Tensor\n  dispatch:\n    CPU: warned_cpu\n"
        ),
        "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: x\n",
        header: "namespace std { struct exception { virtual const char* what() { return 0; } }; }\n",
        "aten/src/ATen/native/Warned.cpp": (
            "struct Error : public std::exception { const char* what() override { return text(); } };\n"
            "struct Late : public Error { const char* what() override { return text(); } };\n"
            "namespace at::native {\n"
            "Tensor warned_cpu(const Tensor& x, std::exception& e) { warn(e.what()); return x; }\n}\n"
        ),
    }
    with indexed(files, tmp_path) as conn:
        shown = text(conn, "trace", name="warned", focus="dispatch")
        assert [line for line in shown if "which is virtual" in line]
    writable = sqlite3.connect(tmp_path / "small.db")
    writable.execute("UPDATE source_files SET kind = 'external' WHERE path = ?", (header,))
    writable.commit()
    writable.row_factory = sqlite3.Row
    shown = text(writable, "trace", name="warned", focus="dispatch")
    writable.close()
    assert not [line for line in shown if "virtual" in line or "what" in line]
