"""Attributes that run something where they are read or set: PyTorch's switches below torch.backends are so."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.render import to_text
from torchtalk.tools import all_tools

MODULE = "torch/csrc/Module.cpp"
FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: relu(Tensor self) -> Tensor\n",
    MODULE: """\
static PyObject* getFast(PyObject* self, PyObject* noargs) { return nullptr; }
static PyObject* setFast(PyObject* self, PyObject* value) { return nullptr; }
static PyMethodDef TorchMethods[] = {
  {"_get_fast", getFast, METH_NOARGS, nullptr},
  {"_set_fast", setFast, METH_O, nullptr},
  {nullptr, nullptr, 0, nullptr}};
static std::vector<PyMethodDef> methods;
PyObject* initModule() {
  THPUtils_addPyMethodDefs(methods, TorchMethods);
  static struct PyModuleDef torchmodule = {PyModuleDef_HEAD_INIT, "torch._C", nullptr, -1, methods.data()};
  return PyModule_Create(&torchmodule);
}
""",
    "torch/__init__.py": "",
    "torch/_C/__init__.pyi": "",
    "torch/props.py": """\
class Prop:
    def __init__(self, getter, setter):
        self.getter = getter
    def __get__(self, obj, objtype):
        return self.getter()
    def __set__(self, obj, val):
        pass
class Plain:
    def __init__(self, getter): ...
class Module:
    def __getattr__(self, name): ...
""",
    "torch/engine.py": """\
import sys
import torch
from torch.props import Prop, Plain, Module
class EngineModule(Module):
    fast = Prop(torch._C._get_fast, torch._C._set_fast)
    plain = Plain(torch._C._get_fast)
    own = Prop()
    def where(self): return torch._C._get_fast()
sys.modules[__name__] = EngineModule(sys.modules[__name__], __name__)
""",
    "torch/steady.py": """\
import sys, types
import torch
class _Steady(types.ModuleType):
    @property
    def fill(self): return torch._C._get_fast()
    @fill.setter
    def fill(self, mode): torch._C._set_fast(mode)
sys.modules[__name__].__class__ = _Steady
""",
    "torch/knobs.py": """\
import torch
class Knobs:
    def __getattr__(self, name):
        if name == "fast":
            return torch._C._get_fast()
        elif name in ("quick", "swift"):
            return self.both()
        raise AttributeError(name)
    def __setattr__(self, name, value):
        if name == "fast":
            return torch._C._set_fast(value)
        raise AttributeError(name)
    def both(self): ...
knob = Knobs()
""",
}  # fmt: skip
_SAYS = "is an attribute that runs something where it is read or set: ask calls, called_by or impact for it"


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("module")) as connection:
        yield connection


def _lines(conn: sqlite3.Connection, name: str) -> list[str]:
    return to_text(all_tools()["trace"].ask(conn, name=name)).split("\n")


@pytest.mark.parametrize("name", ["torch.engine.fast", "torch.engine.EngineModule.fast"])
def test_a_descriptor_of_the_class_that_a_module_is_an_object_of(
    conn: sqlite3.Connection, name: str
) -> None:
    """As `torch.backends.cudnn.benchmark`."""
    assert _lines(conn, name) == [
        f"{name} {_SAYS}",
        "  fast of torch.engine.EngineModule is a torch.props.Prop  torch/engine.py:5",
        f"  runs torch._C._get_fast  {MODULE}:4",
        f"  runs torch._C._set_fast  {MODULE}:5",
    ]


def test_a_descriptor_that_is_handed_nothing_runs_its_own_methods(conn: sqlite3.Connection) -> None:
    """As `torch.backends.quantized.engine`."""
    assert _lines(conn, "torch.engine.own")[2:] == [
        "  runs torch.props.Prop.__get__  torch/props.py:4",
        "  runs torch.props.Prop.__set__  torch/props.py:6",
    ]


def test_what_is_no_descriptor_runs_nothing(conn: sqlite3.Connection) -> None:
    for name in ("torch.engine.plain", "torch.engine.missing", "torch.knobs.Knobs.missing"):
        assert _lines(conn, name)[0] == f"nothing in this index is called {name!r}"


def test_a_name_that_is_answered_by_its_text(conn: sqlite3.Connection) -> None:
    """As `torch.backends.cuda.matmul.allow_tf32`."""
    assert _lines(conn, "torch.knobs.knob.fast") == [
        f"torch.knobs.knob.fast {_SAYS}",
        "  fast is answered by methods of torch.knobs.Knobs  torch/knobs.py:4",
        f"  runs torch._C._get_fast  {MODULE}:4",
        f"  runs torch._C._set_fast  {MODULE}:5",
    ]
    assert _lines(conn, "torch.knobs.knob.swift")[2:] == [
        "  runs torch.knobs.Knobs.both  torch/knobs.py:13"
    ]


def test_methods_and_properties_of_a_module_that_is_an_object(conn: sqlite3.Connection) -> None:
    """As `torch.utils.deterministic.fill_uninitialized_memory`."""
    fill = _lines(conn, "torch.steady.fill")
    assert fill[0].startswith("torch.steady._Steady.fill is a method of a Python class")
    assert "note: torch.steady is an object of torch.steady._Steady  torch/steady.py:8" in fill
    assert _lines(conn, "torch.engine.where")[0].startswith("torch.engine.EngineModule.where is")


def test_an_object_whose_class_may_answer_says_so(conn: sqlite3.Connection) -> None:
    """As `torch.backends.cuda.cufft_plan_cache.size`, which is another object's."""
    lines = _lines(conn, "torch.knobs.knob.other")
    assert lines[0].startswith("torch.knobs.Knobs.__getattr__ is a method of a Python class")
    assert (
        "note: torch.knobs.knob is an object of torch.knobs.Knobs  torch/knobs.py:14,"
        " which has no other: __getattr__ answers, or refuses" in lines
    )


def test_the_graph_is_asked_for_what_it_runs(conn: sqlite3.Connection) -> None:
    used = to_text(all_tools()["called_by"].ask(conn, name="torch.knobs.knob.fast"))
    for user in ("Knobs.__getattr__", "Knobs.__setattr__", "_Steady.fill"):
        assert user in used
    note = "torch.engine.fast runs torch._C._get_fast, torch._C._set_fast where it is read or set"
    assert note in to_text(all_tools()["impact"].ask(conn, name="torch.engine.fast"))
    told = to_text(all_tools()["compile_path"].ask(conn, name="torch.engine.fast"))
    assert "torch.engine.fast is a Python attribute, no operator" in told
