"""What a lambda that is bound to a Python name calls: the text has it in the function that binds it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.support.asking import ask, text
from tests.unit.support.small_tree import indexed

_PASSES = """\
#include <torch/csrc/passes.h>
namespace torch::jit {
void fold(int graph) {}
void unfold(int graph) {}
void plain(int graph) {}
void initMore() {}
void initPasses(PyObject* module) {
  auto m = py::handle(module).cast<py::module>();
  m.def("_pass_fold", [](int graph) {
     fold(graph);
     return graph;
   })
   .def("_pass_plain", &plain)
   .def("_pass_idle", [](int graph) { return graph; })
   .def("_pass_unfold", wrap_pybind_function([](int graph) {
     unfold(graph);
   }));
  initMore();
  m.def("_pass_made", [](int graph) {
     return std::make_shared<Loom>(graph);
   });
}
struct Loom { Loom(int graph) {} };
} // namespace torch::jit
"""
_MODULE = """\
namespace torch { namespace jit { void initPasses(PyObject* module); } }
PyObject* initModule() {
  static struct PyModuleDef def = {PyModuleDef_HEAD_INIT, "torch._C", nullptr, -1, {}};
  PyObject* module = PyModule_Create(&def);
  torch::jit::initPasses(module);
  return module;
}
"""
_PYTHON = """\
import torch
from torch import _C


def optimize(graph):
    _C._pass_fold(graph)
    _C._pass_plain(graph)
    return torch._C._pass_unfold(graph)
"""


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    files = {
        "aten/src/ATen/native/native_functions.yaml": "- func: nop(Tensor self) -> Tensor\n",
        "aten/src/ATen/native/tags.yaml": "[]\n",
        "torch/__init__.py": "from torch import _C\n",
        "torch/passes.py": _PYTHON,
        "torch/csrc/passes.cpp": _PASSES,
        "torch/csrc/Module.cpp": _MODULE,
    }
    with indexed(files, tmp_path_factory.mktemp("lambdas")) as connection:
        yield connection


def test_the_name_leads_to_what_its_lambda_calls(conn: sqlite3.Connection) -> None:
    found = conn.execute(
        "SELECT source, target, kind, line FROM v_edges"
        " WHERE source LIKE 'torch._C.%' AND target LIKE 'torch::jit::%' ORDER BY line"
    )
    # initMore stands behind the last lambda.
    assert [tuple(row) for row in found] == [
        ("torch._C._pass_fold", "torch::jit::fold", "call", 10),
        ("torch._C._pass_plain", "torch::jit::plain", "bind", 13),
        ("torch._C._pass_unfold", "torch::jit::unfold", "call", 16),
        ("torch._C._pass_made", "torch::jit::Loom::Loom", "call", 20),
    ]


def test_a_change_reaches_python_through_a_lambda(conn: sqlite3.Connection) -> None:
    python = "torch.passes.optimize"
    assert any(python in line for line in text(conn, "impact", name="torch::jit::fold"))
    assert not any(python in line for line in text(conn, "impact", name="torch::jit::initMore"))
    called = text(conn, "calls", name="torch._C._pass_fold")
    assert any("torch::jit::fold" in line for line in called)


def test_a_name_that_nobody_uses_is_known(conn: sqlite3.Connection) -> None:
    first = text(conn, "called_by", name="torch._C._pass_idle")[0]
    assert first == "torch._C._pass_idle: nothing is known that it is used by"
    assert text(conn, "calls", name="torch._C._pass_plain")[0].startswith(
        "torch._C._pass_plain uses 1"
    )


def test_who_has_no_test_is_followed_by_affected(conn: sqlite3.Connection) -> None:
    lines = text(conn, "find_similar_tests", query="torch::jit::unfold")
    assert lines[0] == "no test was found for 'torch::jit::unfold'"
    assert any("affected follows its callers" in line for line in lines)


_KERNELS = """\
#include <torch/library.h>
namespace at::native {
DECLARE_DISPATCH(void(*)(const Tensor&), rows_stub);
DEFINE_DISPATCH(rows_stub);
static void rows_kernel(const Tensor& x) {}
REGISTER_DISPATCH(rows_stub, &rows_kernel);
Tensor normalize(const Tensor& x) { rows_stub(x.device().type(), x); return x; }
Tensor scaled(const Tensor& x) { return x; }
Tensor other(const Tensor& x) { return x; }
TORCH_LIBRARY(lib, m) {
  m.def("norm(Tensor x) -> Tensor");
  m.def("other(Tensor x) -> Tensor");
  m.def("twice", [](const Tensor& x) { return scaled(scaled(x)); });
}
TORCH_LIBRARY_IMPL(lib, CPU, m) {
  m.impl("norm", [](const Tensor& x) {
    return normalize(
        scaled(x));
  });
  m.impl("other", &other);
}
void initRows(PyObject* module) {
  auto m = py::handle(module).cast<py::module>();
  m.def("_rows_unused", [](const Tensor& x) { return scaled(x); });
}
} // namespace at::native
"""


_LIBRARY = """\
namespace torch {
class Library {
 public:
  template <typename Func>
  Library& impl(SelectiveStr<false> name, Func&& f) & { return *this; }
  template <typename Func>
  Library& impl(SelectiveStr<true> name, Func&& f) & { return *this; }
};
}
#define TORCH_LIBRARY(ns, m)                       \\
  static void TORCH_LIBRARY_init_##ns(torch::Library&); \\
  void TORCH_LIBRARY_init_##ns(torch::Library& m)
#define TORCH_LIBRARY_IMPL(ns, k, m)                       \\
  static void TORCH_LIBRARY_IMPL_init_##ns##_##k(torch::Library&); \\
  void TORCH_LIBRARY_IMPL_init_##ns##_##k(torch::Library& m)
"""


def test_a_lambda_that_is_a_kernel_leads_on(tmp_path: Path) -> None:
    files = {
        "aten/src/ATen/native/native_functions.yaml": "- func: nop(Tensor self) -> Tensor\n",
        "aten/src/ATen/native/tags.yaml": "[]\n",
        "aten/src/ATen/native/rows.cpp": _KERNELS,
        "torch/library.h": _LIBRARY,
        "torch/__init__.py": "",
        "test/test_norm.py": (
            "import torch\nfrom torch.testing._internal.common_utils import TestCase\n"
            "class TestRows(TestCase):\n    def test_norm(self):\n        torch.ops.lib.norm(1)\n"
        ),
        "torch/csrc/Module.cpp": _MODULE.replace("torch { namespace jit", "at { namespace native")
        .replace("torch::jit::initPasses", "at::native::initRows")
        .replace("initPasses", "initRows"),
    }
    with indexed(files, tmp_path) as conn:
        found = conn.execute(
            "SELECT source, target, line FROM v_edges WHERE kind IN ('call', 'candidate') AND source NOT LIKE 'at::%'"
            " AND (target LIKE 'at::native::%' OR target LIKE 'torch::%') AND line > 5 ORDER BY 1, line, 2"
        )
        assert [tuple(row) for row in found] == [
            ("lib::norm", "at::native::normalize", 17),
            ("lib::norm", "at::native::scaled", 18),
            ("lib::twice", "at::native::scaled", 13),
            ("torch._C._rows_unused", "at::native::scaled", 24),
        ]
        table = "\n".join(text(conn, "trace", name="lib::norm", focus="dispatch"))
        assert "CPU -> a lambda  [impl]" in table
        path = "aten/src/ATen/native/rows.cpp"
        assert f"calls at::native::normalize  {path}:7  at {path}:17" in table
        assert "stub at::native::rows_stub [CPU] -> at::native::rows_kernel" in table
        drawn = text(conn, "trace", name="lib::norm", format="mermaid")
        arrows = [line.strip() for line in drawn if "-->|CPU|" in line]
        assert len(arrows) == 3  # to both that the lambda calls, and from the stub
        found = text(conn, "called_by", name="at::native::scaled")
        assert any("torch._C._rows_unused" in line for line in found)
        found = text(conn, "calls", name="torch._C._rows_unused")
        assert any("at::native::scaled" in line for line in found)
        answer = ask(conn, "affected", names="at::native::normalize")
        assert [test.name for test in answer.tests] == ["TestRows.test_norm"]
        assert answer.tests[0].path[1] == "lib::norm calls it in its kernel for CPU"
