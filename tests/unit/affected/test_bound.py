"""Lines that bind C++ to Python, and options that tests set in their bodies."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.support.asking import affected_by_line
from tests.unit.support.small_tree import indexed
from torchtalk.tools import all_tools

_INIT = "torch/csrc/group/init.cpp"
_CONFIG = "torch/_inductor/config.py"
FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
    "version.txt": "2.6.0\n",
    _INIT: """\
static PyObject* THPGroup_flush(PyObject* self, PyObject* noargs) { return nullptr; }
static PyMethodDef GroupMethods[] = {
  {"_flush", THPGroup_flush, METH_NOARGS, nullptr},
  {nullptr, nullptr, 0, nullptr}};
static std::vector<PyMethodDef> methods;
PyObject* initModule() {
  THPUtils_addPyMethodDefs(methods, GroupMethods);
  static struct PyModuleDef torchmodule = {PyModuleDef_HEAD_INIT, "torch._C", nullptr, -1, methods.data()};
  module = PyModule_Create(&torchmodule);
  auto py_module = py::reinterpret_borrow<py::module>(module);
  py_module.def(
      "_assign_buckets",
      [](int size) { return size; },
      py::arg("size"));
  py_module.def("_other", [](int size) { return size; });
  py::class_<Group>(py_module, "_Group")
      .def(
          "rebuild_buckets",
          [](Group& self) { return 1; })
      .def("other_things", &Group::other)
      .def(py::pickle(
          [](const Group& self) { return self.state(); }));
  const auto& generator = at::defaultGenerator();
  py_module.attr("_timeout") =
      py::cast(kTimeout);
  py_module.def("_last", [](int size) {
    return last(size);
  });
  torch::init_more(
      module);
  return module;
}
""",
    "torch/__init__.py": "",
    _CONFIG: (
        "first_padding = True\nsecond_padding = True\nimport sys\n"
        "from torch.utils._config_module import install_config_module\n"
        "install_config_module(sys.modules[__name__])\n"
    ),
    "test/test_group.py": """\
import torch
from torch._inductor import config
from torch.testing._internal.common_utils import TestCase


class TestGroup(TestCase):
    def test_assign(self):
        torch._C._assign_buckets(1)

    def test_other(self):
        torch._C._other(1)

    def test_flush(self):
        torch._C._flush()

    def test_last(self):
        torch._C._last(1)

    def test_rebuild(self):
        self.make().rebuild_buckets()

    def test_rebuild_nothing(self):
        self.make().rebuild_buckets_again()

    def test_sets(self):
        with config.patch({"first_padding": False}):
            pass

    def test_sets_by_name(self):
        config.first_padding = False

    def test_asks(self):
        self.assertTrue(config.first_padding == self.num_first_padding)
""",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("bound")) as connection:
        yield connection


def _ask(conn: sqlite3.Connection, path: str, text: str) -> tuple[list[str], list[str]]:
    answer = affected_by_line(conn, FILES, path, text)
    reached = answer.tests[: answer.selected - answer.by_name]
    return [one.name for one in answer.changed], [one.name.split(".")[1] for one in reached]


@pytest.mark.parametrize(
    ("text", "changed", "tests"),
    [
        ('"_assign_buckets"', "torch._C._assign_buckets", ["test_assign"]),
        ("[](int size) { return size; },", "torch._C._assign_buckets", ["test_assign"]),
        ('"_other"', "torch._C._other", ["test_other"]),
        ('{"_flush"', "torch._C._flush", ["test_flush"]),
        ("[](Group& self)", "torch._C._Group.rebuild_buckets", ["test_rebuild"]),
        ("module = PyModule_Create", "initModule", []),
        ('"_timeout"', "torch._C._timeout", []),
        ("py::cast(kTimeout)", "torch._C._timeout", []),
        # What binds nothing is the function's own, behind the last binding and between two.
        ("return last(size)", "torch._C._last", ["test_last"]),
        ("const auto& generator", "initModule", []),
        ("torch::init_more", "initModule", []),
        ("      module);", "initModule", []),
        # A part of a class's definition that has no name is the class's.
        ("[](const Group& self)", "torch._C._Group", []),
    ],
)
def test_what_is_bound(conn: sqlite3.Connection, text: str, changed: str, tests: list[str]) -> None:
    assert _ask(conn, _INIT, text) == ([changed], tests)


def test_what_is_new_between_two(conn: sqlite3.Connection) -> None:
    diff = f'--- a/{_INIT}\n+++ b/{_INIT}\n@@ -14,0 +15 @@\n+  py_module.def("_new", [] {{ }});\n'
    assert [one.name for one in all_tools()["affected"].ask(conn, diff=diff).changed] == [
        "initModule"
    ]


def test_tests_that_set_an_option_in_their_bodies(conn: sqlite3.Connection) -> None:
    changed, tests = _ask(conn, _CONFIG, "first_padding")
    assert changed == ["torch._inductor.config.first_padding"]
    assert tests == ["test_sets", "test_sets_by_name"]
    assert _ask(conn, _CONFIG, "second_padding")[1] == []


def test_the_tree_has_the_change_already(tmp_path: Path) -> None:
    """`git diff` of a checkout, whose lines are those of another text than the index read."""
    with indexed(FILES, tmp_path) as connection:
        file = next(tmp_path.rglob("init.cpp"))
        lines = FILES[_INIT].split("\n")
        at = lines.index("  torch::init_more(")
        changed = [
            *lines[:5],
            "// one",
            "// more",
            *lines[5:at],
            "  torch::init_most(",
            *lines[at + 1 :],
        ]
        file.write_text("\n".join(changed), encoding="utf-8")
        diff = (
            f"--- a/{_INIT}\n+++ b/{_INIT}\n@@ -5,0 +6,2 @@\n+// one\n+// more\n"
            f"@@ -{at + 1} +{at + 3} @@\n-{lines[at]}\n+  torch::init_most(\n"
        )
        answer = all_tools()["affected"].ask(connection, diff=diff)
    assert [one.name for one in answer.changed] == ["initModule"]


def test_without_the_text_a_lambda_ends_where_the_index_has_its_end(tmp_path: Path) -> None:
    with indexed(FILES, tmp_path) as connection:
        for file in list(tmp_path.rglob("init.cpp")):
            file.unlink()
        assert _ask(connection, _INIT, "return last(size)")[0] == ["torch._C._last"]
        assert _ask(connection, _INIT, "torch::init_more")[0] == ["initModule"]
