"""C++ that is bound to a name in Python which nothing is known to use: methods that are called on values."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import affected_by
from tests.unit.support.small_tree import indexed

_INIT = "torch/csrc/group/init.cpp"
_FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
    _INIT: """\
struct Group {
  int count_members() { return 1; }
  int size() { return 2; }
  int list_members() { return 5; }
  int find_member() { return 6; }
};
struct Lone {
  int size() { return 3; }
};
PyObject* initModule() {
  static struct PyModuleDef torchmodule = {PyModuleDef_HEAD_INIT, "torch._C", nullptr, -1, nullptr};
  module = PyModule_Create(&torchmodule);
  auto py_module = py::reinterpret_borrow<py::module>(module);
  py::class_<Group>(py_module, "_Group")
      .def("count_members", &Group::count_members)
      .def("list_members", [](Group& group) { return group.list_members(); })
      .def("find_member", &Group::find_member)
      .def("size", &Group::size);
  py::class_<Lone>(py_module, "_Lone").def("size", &Lone::size);
  return module;
}
""",
    "torch/__init__.py": "",
    "torch/holding.py": (
        "import torch\n\nclass Held(torch._C._Group):\n    pass\n\n"
        "def first(group: torch._C._Group):\n    return group.find_member()\n"
    ),
    "test/test_group.py": (
        "import torch\nfrom torch.holding import Held\n\n"
        "def test_counted(given=None):\n    given[0].count_members()\n\n"
        "def test_held():\n    len(Held())\n\n"
        "def test_listed(given=None):\n    given[0].list_members()\n\n"
        "def test_found(given=None):\n    given[0].find_member()\n"
    ),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("module")) as conn:
        yield conn


def test_by_its_name_and_by_the_classes_that_have_it(conn: sqlite3.Connection) -> None:
    answer = affected_by(conn, _FILES, _INIT, "return 1;", "return 4;", around=0)
    assert {one.name: one.path for one in answer.tests} == {
        "test_counted": (
            "Group::count_members",
            "torch._C._Group.count_members is bound to it",
            "has count_members in its body",
        ),
        "test_held": (
            "Group::count_members",
            "torch._C._Group.count_members is bound to it",
            "torch.holding.Held inherits it",
            "uses it",
        ),
    }


@pytest.mark.parametrize(("old", "tests"), [("return 2;", ["test_held"]), ("return 3;", [])])
def test_a_short_name_tells_nothing(conn: sqlite3.Connection, old: str, tests: list[str]) -> None:
    answer = affected_by(conn, _FILES, _INIT, old, "return 4;", around=0)
    reached = answer.tests[: answer.selected - answer.by_name]
    assert [one.name for one in reached] == tests


def test_what_a_lambda_of_an_unused_name_calls(conn: sqlite3.Connection) -> None:
    answer = affected_by(conn, _FILES, _INIT, "return 5;", "return 4;", around=0)
    assert {one.name: one.path for one in answer.tests}["test_listed"] == (
        "Group::list_members",
        "torch._C._Group.list_members is bound to a lambda that calls it",
        "has list_members in its body",
    )


def test_a_method_that_is_known_to_be_used_elsewhere(conn: sqlite3.Connection) -> None:
    answer = affected_by(conn, _FILES, _INIT, "return 6;", "return 4;", around=0)
    assert {one.name: one.path for one in answer.tests}["test_found"] == (
        "Group::find_member",
        "torch._C._Group.find_member is bound to it",
        "has find_member in its body",
    )
