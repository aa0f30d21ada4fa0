"""A type that C++ binds leads to the functions whose text names it: to read `ReduceOp.SUM` is no call."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed

_HEAD = "import torch\nfrom torch.testing._internal.common_utils import TestCase\n"
_FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
    "version.txt": "2.6.0\n",
    "torch/csrc/Module.cpp": """\
#include <torch/csrc/utils/pybind.h>
PyObject* initModule() {
  static struct PyModuleDef def = {PyModuleDef_HEAD_INIT, "torch._C", nullptr, -1, nullptr};
  PyObject* module = PyModule_Create(&def);
  auto m = py::handle(module).cast<py::module>();
  py::enum_<LoomKind>(m, "_LoomKind").value("HAND", LoomKind::Hand).value("POWER", LoomKind::Power);
  py::enum_<Shared>(m, "SharedName").value("ONE", Shared::One);
  py::enum_<weaving>(m, "weave_format").value("plain", weaving::plain);
  py::enum_<Gen>(m, "Generator").value("ONE", Gen::One);
  m.def("_spin_yarn", [](int x) { return x; });
  return module;
}
""",
    "torch/__init__.py": "from torch._C import weave_format\n",
    "torch/looms.py": """\
from typing import Generator
from torch._C import _LoomKind as LoomKind
__all__ = ["LoomKind"]
def spun() -> Generator: ...
def by_hand(kind):
    return kind == LoomKind.HAND
class Other:
    class SharedName: ...
""",
    "torch/silk.py": (
        'import torch\ndef own(): return torch.Generator()\ndef other():\n    """Makes a\n    Generator of silk."""\n'
    ),
    "torch/yarn.py": "class SharedName: ...\n",
    "torch/testing/_internal/common_utils.py": "import unittest\nclass TestCase(unittest.TestCase): ...\n",
    "test/test_looms.py": f"""\
{_HEAD}
from torch.looms import LoomKind
class TestLooms(TestCase):
    def test_kind(self):
        for kind in (LoomKind.HAND, LoomKind.POWER):
            self.assertTrue(torch.yarn.spin(kind))
    def test_spin(self):
        torch._C._spin_yarn(1)
    def test_text(self):
        self.assertTrue("LoomKind")  # LoomKind
    def test_format(self):
        self.assertTrue(torch.weave_format)
    def test_parameter(self):
        self.assertTrue(torch.yarn.spin(weave_format=1))
""",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("bound_types")) as connection:
        yield connection


@pytest.mark.parametrize(
    ("name", "users", "tests"),
    [
        (
            "torch.looms.LoomKind",
            {"test.test_looms.TestLooms.test_kind", "torch.looms.by_hand"},
            {"TestLooms.test_kind"},
        ),
        (
            "torch._C.weave_format",
            {"test.test_looms.TestLooms.test_format"},
            {"TestLooms.test_format"},
        ),
    ],
)
def test_who_names_a_type(
    conn: sqlite3.Connection, name: str, users: set[str], tests: set[str]
) -> None:
    """`affected torch.distributed.ReduceOp` said that nothing was called so."""
    answer = ask(conn, "affected", names=name)
    assert {one.name.split(" names ")[0] for one in answer.changed} == users
    assert {one.name for one in answer.tests if " names " in one.path[0]} == tests
    assert not answer.unseen


def test_a_bound_lambda_by_its_name(conn: sqlite3.Connection) -> None:
    """As torch._C._jit_pass_peephole, of which nothing was said to be called so."""
    answer = ask(conn, "affected", names="torch._C._spin_yarn")
    assert [one.name for one in answer.changed] == ["torch._C._spin_yarn"]
    assert [one.name for one in answer.tests] == ["TestLooms.test_spin"]


def test_what_a_file_imports_of_python_is_none_of_it(conn: sqlite3.Connection) -> None:
    """`Generator` is typing's in most files."""
    answer = ask(conn, "affected", names="torch._C.Generator")
    assert [one.name for one in answer.changed] == ["torch.silk.own names Generator"]


def test_of_a_name_of_several_things_no_text_tells(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "affected", names="torch._C.SharedName")
    assert not answer.changed
    (said,) = answer.unseen
    assert said.endswith("so is something else called: the texts do not tell who names it")


def test_other_tools_lead_there(conn: sqlite3.Connection) -> None:
    (note,) = (n for n in ask(conn, "called_by", name="torch._C._LoomKind").notes if "C++" in n)
    assert note == (
        "it is a type that C++ binds, and to name one of its values is no call: affected torch._C._LoomKind reads the"
        " texts for who does"
    )
    notes = ask(conn, "find_similar_tests", query="torch._C._LoomKind").notes
    assert any(
        n.endswith("affected torch._C._LoomKind reads the texts for who names this type")
        for n in notes
    )
