"""trace goes on where a kernel calls a virtual method, and where what C++ binds runs an operator by its handle."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from indexer.build import build
from indexer.scan.tree import open_tree
from tests.unit.support.asking import ask, text
from tests.unit.support.index_dump import differences, dump
from tests.unit.support.small_tree import indexed
from torchtalk.db import connect

_HEADER = """#pragma once
namespace c10d {
class Backend {
 public:
  virtual void spreadall(Tensor& x) {
    fail();
  }
};
class Group {
 public:
  c10::intrusive_ptr<Backend> backend() { return backend_; }
  virtual void spreadall(Tensor& x) {
    static auto op = c10::Dispatcher::singleton()
                         .findSchemaOrThrow("c10d::spreadall_", "")
                         .typed<void(Tensor&)>();
    op.call(x);
  }
  // findSchemaOrThrow("c10d::spreadall_", "")
  void reset(Tensor& x) { x.zero_(); }
};
class Fast : public Backend {
 public:
  void spreadall(Tensor& x) override { ncclSpread(x); ncclGroupStart(); }
};
class Slow : public Backend {
 public:
  void spreadall(Tensor& x) override { wait(x); }
};
struct Packed { virtual void apply() = 0; };
struct One : public Packed { void apply() override { go(); } };
struct Other : public Packed { void apply() override { fbgemm::fbgemmSupportedCPU(); fbgemm::fbgemmPacked(); } };
}
"""
_OPS = """#include <torch/csrc/distributed/c10d/Group.hpp>
namespace c10d {
TORCH_LIBRARY(c10d, m) {
  m.def("spreadall_(Tensor x) -> ()");
  m.def("packed(Tensor x) -> ()");
}
void spread_cpu(Tensor& x, Group& group) {
  group.backend()->spreadall(x);
}
void packed_cpu(Tensor& x, Packed& packed) {
  packed.apply();
}
TORCH_LIBRARY_IMPL(c10d, CUDA, m) {
  m.impl("spreadall_", spread_cpu);
  m.impl("packed", packed_cpu);
}
}
"""
_INIT = """#include <pybind11/pybind11.h>
PyObject* c10d_init(PyObject* self, PyObject* args) {
  auto torch_C_m = py::handle(PyImport_ImportModule("torch._C")).cast<py::module>();
  auto m = torch_C_m.def_submodule("_distributed_c10d", "");
  py::class_<::c10d::Group>(m, "Group")
      .def("spreadall", &::c10d::Group::spreadall)
      .def("reset", &::c10d::Group::reset);
}
"""
_PYTHON = """from torch._C._distributed_c10d import Group

def spread_all(tensor, group: Group):
    group.spreadall(torch.view_as_real(tensor))

def reset(tensor, group: Group):
    group.reset(tensor)
"""
_FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: view_as_real(Tensor(a) self) -> Tensor(a)\n",
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: x\n",
    "torch/csrc/distributed/c10d/Group.hpp": _HEADER,
    "torch/csrc/distributed/c10d/Ops.cpp": _OPS,
    "torch/csrc/distributed/c10d/init.cpp": _INIT,
    "torch/__init__.py": "",
    "torch/distributed/__init__.py": "import torch\n" + _PYTHON,
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("overrides")) as connection:
        yield connection


def test_a_bound_function_runs_the_operator_whose_handle_it_gets(conn: sqlite3.Connection) -> None:
    rows = conn.execute(
        "SELECT api, operator FROM v_python_api WHERE api GLOB 'torch.distributed.*' ORDER BY 1, 2"
    ).fetchall()
    assert [tuple(row) for row in rows] == [
        ("torch.distributed.reset", None),
        ("torch.distributed.spread_all", "aten::view_as_real"),
        ("torch.distributed.spread_all", "c10d::spreadall_"),
    ]


def test_the_operator_that_is_called_like_the_function_comes_first(
    conn: sqlite3.Connection,
) -> None:
    answer = ask(conn, "trace", name="torch.distributed.spread_all")
    assert answer.finding.startswith(
        "torch.distributed.spread_all reaches c10d::spreadall_, aten::view_as_real: 2 overloads"
    )
    (line,) = (
        line
        for line in text(conn, "trace", name="torch.distributed.spread_all")
        if "Group.spreadall" in line
    )
    assert line.split("  ")[-2:] == [
        "torch._C._distributed_c10d.Group.spreadall → c10d::spreadall_", "torch/distributed/__init__.py:5",
    ]  # fmt: skip
    assert not [note for note in answer.notes if "besides operators" in note]


def test_what_overrides_a_virtual_method_that_a_kernel_calls_is_behind_it(
    conn: sqlite3.Connection,
) -> None:
    lines = [
        line.strip() for line in text(conn, "trace", name="c10d::spreadall_", focus="dispatch")
    ]
    at = lines.index(
        "calls c10d::Backend::spreadall, which is virtual, at torch/csrc/distributed/c10d/Ops.cpp:8: one of"
    )
    assert lines[at + 1 : at + 4] == [
        "c10d::Fast::spreadall  torch/csrc/distributed/c10d/Group.hpp:23",
        "c10d::Slow::spreadall  torch/csrc/distributed/c10d/Group.hpp:27",
        "calls NCCL: ncclSpread  at torch/csrc/distributed/c10d/Group.hpp:23",
    ]


def test_where_the_base_is_declared_alone_those_that_may_run_are_told(
    conn: sqlite3.Connection,
) -> None:
    lines = [line.strip() for line in text(conn, "trace", name="c10d::packed", focus="dispatch")]
    at = lines.index("calls a virtual method at torch/csrc/distributed/c10d/Ops.cpp:11: one of")
    assert lines[at + 1 : at + 4] == [
        "c10d::One::apply  torch/csrc/distributed/c10d/Group.hpp:30",
        "c10d::Other::apply  torch/csrc/distributed/c10d/Group.hpp:31",
        "calls FBGEMM: fbgemm::fbgemmPacked  at torch/csrc/distributed/c10d/Group.hpp:31",
    ]


def test_overrides_are_drawn(conn: sqlite3.Connection) -> None:
    drawn = "\n".join(text(conn, "trace", name="c10d::spreadall_", format="mermaid"))
    assert "c10d::Backend::spreadall" in drawn
    assert "c10d::Slow::spreadall" in drawn


@pytest.mark.slow
def test_an_edit_of_the_handle_moves_the_operator_of_the_bound_function(tmp_path: Path) -> None:
    """The edited file has neither Python nor bindings."""
    group = "torch/csrc/distributed/c10d/Group.hpp"
    with indexed(_FILES, tmp_path):
        pass
    tree, database = tmp_path / "tree", tmp_path / "small.db"
    text_before = (tree / group).read_text()
    (tree / group).write_text(
        text_before.replace('Throw("c10d::spreadall_"', 'Throw("c10d::packed"')
    )
    build(open_tree(tree), database, workers=0)
    build(open_tree(tree), tmp_path / "whole.db", workers=0, full=True)
    assert differences(dump(database), dump(tmp_path / "whole.db")) == []
    with closing(connect(database)) as conn:
        rows = conn.execute(
            "SELECT operator FROM v_python_api WHERE api = 'torch.distributed.spread_all' ORDER BY 1"
        ).fetchall()
    assert [operator for (operator,) in rows] == ["aten::view_as_real", "c10d::packed"]


def test_each_device_has_the_overrides_of_its_folders(tmp_path: Path) -> None:
    """quantized::conv2d has packed weights in quantized/cpu and quantized/cudnn (aten/src/ATen/native/quantized)."""
    folder = "aten/src/ATen/native/quantized/"
    files = {
        "aten/src/ATen/native/native_functions.yaml": (
            "- func: fold(Tensor self) -> Tensor\n  dispatch:\n    CPU: fold_cpu\n    CUDA: fold_cuda\n"
        ),
        f"{folder}Weight.h": "struct Weight { virtual void fold() = 0; };\n",
        f"{folder}cpu/Fold.cpp": (
            "struct CpuWeight : public Weight { void fold() override { fbgemm::fbgemmPacked(); } };\n"
            "namespace at::native {\n"
            "Tensor fold_cpu(const Tensor& x, Weight& w) { w.fold(); return x; }\n}\n"
        ),
        f"{folder}cudnn/Fold.cpp": (
            "struct CudnnWeight : public Weight { void fold() override { cudnnBackendExecute(); } };\n"
            "namespace at::native {\n"
            "Tensor fold_cuda(const Tensor& x, Weight& w) { w.fold(); return x; }\n}\n"
        ),
    }
    with indexed(files, tmp_path) as conn:
        lines = [line.strip() for line in text(conn, "trace", name="fold", focus="dispatch")]
    told = [line.partition("  ")[0] for line in lines if "Weight::" in line or "calls " in line]
    assert [t.partition(" at ")[0] for t in told] == [
        "calls a virtual method", "CpuWeight::fold", "calls FBGEMM: fbgemm::fbgemmPacked",
        "calls a virtual method", "CudnnWeight::fold", "calls cuDNN: cudnnBackendExecute",
    ]  # fmt: skip


def test_in_core_what_is_work_is_told_and_what_is_asked_is_not(tmp_path: Path) -> None:
    """at::Quantizer (aten/src/ATen/core/QuantizerBase.h): `quantize` is an operator's work, `qscheme` an answer."""
    files = {
        "aten/src/ATen/native/native_functions.yaml": (
            "- func: squeeze_in(Tensor self) -> Tensor\n  dispatch:\n    CPU: squeeze_in\n"
            "- func: asked(Tensor self) -> Tensor\n  dispatch:\n    CPU: asked\n"
        ),
        "aten/src/ATen/core/Squeezer.h": (
            "namespace at {\ninline void work(Tensor& x) { x.zero_(); }\nstruct Squeezer {\n"
            "  virtual void squeeze(Tensor& x) { work(x); }\n  virtual int scheme() { return 0; }\n};\n}\n"
        ),
        "aten/src/ATen/quantized/Squeezer.h": (
            "#include <ATen/core/Squeezer.h>\nnamespace at {\n"
            "struct Tight : public Squeezer {\n"
            "  void squeeze(Tensor& x) override { work(x); }\n  int scheme() override { return 1; }\n};\n"
            "struct Loose : public Squeezer {\n"
            "  void squeeze(Tensor& x) override { work(x); }\n  int scheme() override { work(x_); return 2; }\n};\n}\n"
        ),
        "aten/src/ATen/native/Squeeze.cpp": (
            "#include <ATen/quantized/Squeezer.h>\nnamespace at::native {\n"
            "Tensor squeeze_in(Tensor& x, Squeezer& by) {\n  by.squeeze(x);\n  return x;\n}\n"
            "Tensor asked(Tensor& x, Squeezer& by) {\n  by.scheme();\n  return x;\n}\n}\n"
        ),
    }
    with indexed(files, tmp_path) as conn:
        said = "\n".join(text(conn, "trace", name="squeeze_in", focus="dispatch"))
        assert "calls at::Squeezer::squeeze, which is virtual" in said
        assert "at::Loose::squeeze  aten/src/ATen/quantized/Squeezer.h:8" in said
        assert "at::Tight::squeeze  aten/src/ATen/quantized/Squeezer.h:4" in said
        assert "virtual" not in "\n".join(text(conn, "trace", name="asked", focus="dispatch"))
