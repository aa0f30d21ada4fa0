"""Types that C++ makes by hand: their attributes, methods and members, and the modules that they are added to."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from indexer.build import build
from indexer.scan.tree import open_tree
from tests.unit.bindings.test_bindings import linked
from tests.unit.support.index_dump import differences, dump


def test_types(index: sqlite3.Connection) -> None:
    found = linked(
        index,
        a="static struct PyGetSetDef T_properties[] = {\n"
        '  {"dtype", (getter)T_dtype, nullptr, nullptr, nullptr},\n'
        '  {"grad", (getter)T_grad, (setter)T_set_grad, nullptr, nullptr},\n'
        '  {"name", T_name, NULL, NULL, NULL},\n'
        "  {nullptr}};\n"
        "static PyMethodDef T_methods[] = {\n"
        '  {"clone", T_clone, METH_NOARGS, nullptr},\n'
        '  {"__reduce__", reinterpret_cast<PyCFunction>(T_reduce), METH_NOARGS, nullptr}, {nullptr}};\n'
        "static PyMemberDef T_members[] = {\n"
        '  {"cdata", T_ULONGLONG, offsetof(T, cdata), READONLY, nullptr}, {nullptr}};\n'
        "PyTypeObject TType = {\n"
        '  PyVarObject_HEAD_INIT(nullptr, 0) "torch._C.T", /* tp_name */\n'
        "  T_methods, T_members, T_properties};\n"
        "bool T_init(PyObject* module) {\n"
        '  PyModule_AddObject(module, "T", (PyObject*)&TType);\n'
        '  PyModule_AddObject(module, "_TAlias", (PyObject*)&TType);\n'
        "}\n",
        b='PyModuleDef def = {PyModuleDef_HEAD_INIT, "torch._C", nullptr};\n'
        "PyObject* init() { PyObject* module = PyModule_Create(&def); T_init(module); return module; }\n",
    )
    assert found == [
        ("torch._C.T.dtype", "T_dtype", "getset"),
        ("torch._C._TAlias.dtype", "T_dtype", "getset"),
        ("torch._C.T.grad", "T_grad", "getset"),
        ("torch._C.T.grad", "T_set_grad", "setter"),
        ("torch._C._TAlias.grad", "T_grad", "getset"),
        ("torch._C._TAlias.grad", "T_set_grad", "setter"),
        ("torch._C.T.name", "T_name", "getset"),
        ("torch._C._TAlias.name", "T_name", "getset"),
        ("torch._C.T.clone", "T_clone", "method_table"),
        ("torch._C._TAlias.clone", "T_clone", "method_table"),
        ("torch._C.T.__reduce__", "T_reduce", "method_table"),
        ("torch._C._TAlias.__reduce__", "T_reduce", "method_table"),
        ("torch._C.T.cdata", "offsetof(T, cdata)", "member"),
        ("torch._C._TAlias.cdata", "offsetof(T, cdata)", "member"),
        ("torch._C.T", "TType", "type"),
        ("torch._C._TAlias", "TType", "type"),
    ]


def test_types_that_are_members_of_classes_are_not_one(index: sqlite3.Connection) -> None:
    found = linked(
        index,
        a='static PyGetSetDef A_list[] = {{"a", A_get, nullptr, nullptr, nullptr}, {nullptr}};\n'
        'PyTypeObject A::Type = {PyVarObject_HEAD_INIT(nullptr, 0) "_C.A", A_list};\n'
        'static PyGetSetDef B_list[] = {{"b", B_get, nullptr, nullptr, nullptr}, {nullptr}};\n'
        'PyTypeObject B::Type = {PyVarObject_HEAD_INIT(nullptr, 0) "_C.B", B_list};\n',
    )
    assert found == [("_C.A.a", "A_get", "getset"), ("_C.B.b", "B_get", "getset")]


_BASE = "torch/csrc/Base.h"
_COMPLETED = {
    "version.txt": "1.13.1\n",
    "aten/src/ATen/native/native_functions.yaml": "- func: one(Tensor self) -> Tensor\n",
    "torch/__init__.py": "",
    _BASE: '#define BASE_NAME "Base"\n',
    "torch/csrc/Base.cpp": """\
static PyObject* T_len(PyObject* self, PyObject* unused) { return self; }
static PyMethodDef T_methods[] = {{"len", T_len, METH_NOARGS, nullptr}, {nullptr}};
PyTypeObject TType = {
  PyVarObject_HEAD_INIT(nullptr, 0) "torch._C." BASE_NAME, /* tp_name */
  T_methods};
static PyMethodDef U_methods[] = {{"len", U_len, METH_NOARGS, nullptr}, {nullptr}};
PyTypeObject UType = {PyVarObject_HEAD_INIT(nullptr, 0) "torch._C." UNKNOWN, U_methods};
""",
}


def test_a_type_whose_name_a_macro_completes(tmp_path: Path) -> None:
    tree, target, whole = tmp_path / "tree", tmp_path / "x.db", tmp_path / "whole.db"
    for name, text in _COMPLETED.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
    build(open_tree(tree), target, workers=0)
    # Of one that nobody defines no name is known, rather than one without its end.
    assert _bound(target) == ["torch._C.Base.len", None]
    (tree / _BASE).write_text(_COMPLETED[_BASE].replace("Base", "Root"))
    assert build(open_tree(tree), target, workers=0).action == "updated"
    build(open_tree(tree), whole, workers=0, full=True)
    assert differences(dump(target), dump(whole)) == []
    assert _bound(target) == ["torch._C.Root.len", None]


def _bound(database: Path) -> list[str | None]:
    with closing(sqlite3.connect(database)) as conn:
        rows = conn.execute("SELECT python_name FROM bindings WHERE name = 'len' ORDER BY line")
        return [name for (name,) in rows]


def test_a_type_that_is_added_under_its_own_name(index: sqlite3.Connection) -> None:
    found = linked(
        index,
        a='PyTypeObject NodeType = {PyVarObject_HEAD_INIT(nullptr, 0) "torch._C._Node", 0};\n'
        "bool Node_init(PyObject* module) { return PyModule_AddType(module, &NodeType) >= 0; }\n"
        'PyModuleDef def = {PyModuleDef_HEAD_INIT, "torch._C", nullptr};\n'
        "PyObject* init() { PyObject* module = PyModule_Create(&def); Node_init(module); return module; }\n",
    )
    assert found == [("torch._C._Node", "NodeType", "type")]


def test_what_python_runs_of_a_type_stands_in_its_slots(index: sqlite3.Connection) -> None:
    """By position, by a designator, by an assignment, and in the tables of mappings and sequences."""
    before = "nullptr, " * 20
    found = linked(
        index,
        a="static PyMappingMethods T_as_mapping = {nullptr, T_get, (objobjargproc)T_set};\n"
        "static PySequenceMethods S_as_sequence = {.sq_length = S_size};\n"
        "PyTypeObject TType = {\n"
        '  PyVarObject_HEAD_INIT(nullptr, 0) "torch._C.T", /* tp_name */\n'
        "  sizeof(T), 0, T_dealloc, 0, nullptr, nullptr, nullptr, T_repr, nullptr, nullptr, &T_as_mapping,\n"
        f"  {before}nullptr, nullptr, (initproc)T_init, nullptr, T_new}};\n"
        'PyTypeObject SType = {PyVarObject_HEAD_INIT(nullptr, 0) .tp_name = "torch._C.S", .tp_richcompare = S_compare};\n'
        'static PyTypeObject GType = {PyVarObject_HEAD_INIT(nullptr, 0) "torch._C.G"};\n'
        "void ready(PyTypeObject& type) {\n"
        "  GType.tp_new = G_new;\n"
        "  SType.tp_as_sequence = &S_as_sequence;\n"
        "  type.tp_init = any_init;\n"
        "  if (GType.tp_init == any_init) {}\n"
        "}\n",
    )
    assert {row for row in found if row[2] == "slot"} == {
        ("torch._C.T.__getitem__", "T_get", "slot"),
        ("torch._C.T.__setitem__", "T_set", "slot"),
        ("torch._C.T.__delitem__", "T_set", "slot"),
        ("torch._C.S.__len__", "S_size", "slot"),
        ("torch._C.T.__repr__", "T_repr", "slot"),
        ("torch._C.T.__init__", "T_init", "slot"),
        ("torch._C.T.__new__", "T_new", "slot"),
        *(
            (f"torch._C.S.__{name}__", "S_compare", "slot")
            for name in ("lt", "le", "eq", "ne", "gt", "ge")
        ),
        ("torch._C.G.__new__", "G_new", "slot"),
    }


def test_what_stands_behind_a_branch_has_no_position(index: sqlite3.Connection) -> None:
    found = linked(
        index,
        a='PyTypeObject TType = {PyVarObject_HEAD_INIT(nullptr, 0) "torch._C.T", 0, 0, 0, 0, 0, 0, 0,\n'
        "#if PY_VERSION_HEX > 1\n"
        "  nullptr,\n"
        "#endif\n"
        "  T_repr};\n",
    )
    assert found == []
