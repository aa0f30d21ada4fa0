"""C++ that imports a module of Python is a caller of what it takes from it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.edges import edges_not_in_view
from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed

CPP = """#include <torch/csrc/python_headers.h>

namespace torch::jit {

// py::module::import("torch._names").attr("in_a_comment")(obj);
static std::string nameOf(py::handle obj) {
  return py::cast<std::string>(
      py::module::import("torch._names").attr("_qualified")(obj, 1));
}

bool isOne(py::handle obj) {
  return obj.ptr() == py::module::import("torch.pack").attr("fork").ptr();
}

py::object variable(py::handle obj) {
  auto names = py::module_::import("torch._names");
  if (isOne(obj)) {
    return names.attr("_qualified")(obj);
  }
  return names.attr("Kind");
}

void pieces() {
  THPObjectPtr mod(PyImport_ImportModule("torch._names"));
  THPObjectPtr list(PyObject_CallMethod(mod.get(), "stack", ""));
  THPObjectPtr kind(PyObject_GetAttrString(mod, "Kind"));
}

constexpr auto kModule = "torch._names";

void constant() {
  py::object names = py::module::import(kModule);
  stack_ = getFunction(names, "stack");
}

void another(py::object names) {
  names.attr("stack")();
}

void unknown(py::handle obj) {
  py::module::import("torch._names").attr("not_there")(obj);
  py::module::import("torch._names").attr(name.c_str())(obj);
  py::module::import("torch.nowhere").attr("stack")();
}

} // namespace torch::jit
"""
METHODS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
OBJECTS = (
    "#include <torch/csrc/python_headers.h>\n\nnamespace torch {\n\n"
    "struct NodeImpl : public Node {\n"
    + "".join(f'  bool {name}() {{ return get().attr("{name}")().is(); }}\n' for name in METHODS)
    + """
  Node tell(const char* name) {
    return get().attr(name)();
  }
  Node ten() { return tell(__func__); }
  Node eleven() { return log(__func__); }
};

} // namespace torch
"""
)


def _class(name: str, methods: tuple[str, ...]) -> str:
    return f"class {name}:\n" + "".join(f"    def {each}(self): ...\n" for each in methods)


FILES = {
    "aten/src/ATen/native/native_functions.yaml": "[]\n",
    "torch/__init__.py": "",
    "torch/_names.py": (
        "class Kind:\n    pass\n\n\ndef _qualified(obj):\n    return obj\n\n\ndef stack():\n    return []\n"
    ),
    "torch/pack/__init__.py": "from torch.pack._async import fork as fork\n",
    "torch/pack/_async.py": "def fork(f):\n    return f\n",
    "torch/csrc/names.cpp": CPP,
    "torch/csrc/node.h": OBJECTS,
    "torch/nodes.py": _class("Node", (*METHODS, "ten", "eleven"))
    + _class("Few", METHODS[:8])
    + _class("Large", (*METHODS[:4], "ten", *(f"own_{at}" for at in range(20)))),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, Path(tmp_path_factory.mktemp("called"))) as connection:
        yield connection


def test_what_cpp_calls_and_takes_of_python(conn: sqlite3.Connection) -> None:
    rows = conn.execute(
        "SELECT source, target, kind, line FROM v_edges WHERE origin = 'syntax' AND target LIKE 'torch.%'"
        " AND kind <> 'candidate'"
    )
    assert {tuple(row) for row in rows} == {
        ("torch::jit::nameOf", "torch._names._qualified", "python", 8),
        ("torch::jit::isOne", "torch.pack._async.fork", "reference", 12),
        ("torch::jit::variable", "torch._names._qualified", "python", 18),
        ("torch::jit::variable", "torch._names.Kind", "reference", 20),
        ("torch::jit::pieces", "torch._names.stack", "python", 25),
        ("torch::jit::pieces", "torch._names.Kind", "reference", 26),
        ("torch::jit::constant", "torch._names.stack", "reference", 33),
    }
    assert not edges_not_in_view(conn)


def test_who_calls_it_is_told(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "called_by", name="torch._names._qualified")
    assert "torch::jit::nameOf" in repr(answer)
    assert answer.finding == "torch._names._qualified is used by 2, all by Python call"


def test_whose_methods_cpp_calls_on_objects(conn: sqlite3.Connection) -> None:
    """They are those of the class that has most of what a class of C++ asks for."""
    rows = conn.execute(
        "SELECT source, target FROM v_edges WHERE kind = 'candidate' AND target LIKE 'torch.nodes.%'"
    )
    assert {tuple(row) for row in rows} == {
        (f"torch::NodeImpl::{name}", f"torch.nodes.Node.{name}") for name in (*METHODS, "ten")
    }
    answer = ask(conn, "called_by", name="torch.nodes.Node.ten")
    assert "torch::NodeImpl::ten" in repr(answer)
