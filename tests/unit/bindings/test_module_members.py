"""What helpers of a file put into a module under the names that they are given."""

from __future__ import annotations

import sqlite3

from tests.unit.bindings.test_bindings import linked


def test_a_lambda_adds_to_the_module_around_it(index: sqlite3.Connection) -> None:
    """As `set_module_attr` of torch/csrc/Module.cpp: types, values, and what its name is only a part of."""
    found = linked(
        index,
        a='PyModuleDef def = {PyModuleDef_HEAD_INIT, "torch._C", nullptr};\n'
        "PyObject* init() {\n"
        "  PyObject* module = PyModule_Create(&def);\n"
        "  auto set_attr = [&](const char* name, PyObject* v, bool incref = true) {\n"
        "    int ret = PyModule_AddObject(module, name, v);\n"
        "    return ret == 0;\n"
        "  };\n"
        '  ASSERT_TRUE(set_attr("has_blas", at::hasBLAS() ? Py_True : Py_False));\n'
        "  ASSERT_TRUE(set_attr(\n"
        '      "Quiet",\n'
        "      (PyObject*)QuietType(),\n"
        "      /* incref= */ false));\n"
        '  ASSERT_TRUE(set_attr("Loud", (PyObject*)&LoudType));\n'
        '  ASSERT_TRUE(set_attr("_" STRINGIZE(ABI), Py_None));\n'
        "  return module;\n"
        "}\n"
        'void other() { set_attr("elsewhere", Py_None); }\n',
        b="static PyMethodDef Loud_methods[] = {\n"
        '  {"shout", Loud_shout, METH_NOARGS, nullptr}, {nullptr}};\n'
        'PyTypeObject LoudType = {PyVarObject_HEAD_INIT(nullptr, 0) "loud", Loud_methods};\n',
    )
    assert [row for row in found if row[0] and row[0].startswith("torch._C")] == [
        ("torch._C.has_blas", "at::hasBLAS() ? Py_True : Py_False", "member"),
        ("torch._C.Quiet", "QuietType", "type"),
        ("torch._C.Loud", "LoudType", "type"),
        ("torch._C.Loud.shout", "Loud_shout", "method_table"),
    ]
    assert not [row for row in found if "elsewhere" in (row[0] or "")]


def test_a_function_that_is_given_the_module_the_type_and_its_name(
    index: sqlite3.Connection,
) -> None:
    """As `addClass` of torch/csrc/autograd/functions/init.cpp, with the attributes that it is given."""
    found = linked(
        index,
        a="template <typename C, typename T>\n"
        "static void addClass(PyObject* module, PyTypeObject& type, const char* name,\n"
        "    PyGetSetDef* properties = nullptr) {\n"
        "  PyModule_AddObject(module, name, (PyObject*)&type);\n"
        "}\n"
        "static struct PyGetSetDef leaf_properties[] = {\n"
        '  {"variable", leaf_variable, nullptr, nullptr, nullptr}, {nullptr}};\n'
        "void init() {\n"
        '  THPObjectPtr module(PyModule_New("torch._C._functions"));\n'
        "  static PyTypeObject LeafClass;\n"
        '  addClass<Leaf, NoCtor>(module, LeafClass, "Leaf", leaf_properties);\n'
        "  static PyTypeObject SendClass;\n"
        "  addClass<torch::distributed::Send, NoCtor>(\n"
        '      module, SendClass, "Send");\n'
        "}\n",
    )
    assert found == [
        ("torch._C._functions.Leaf.variable", "leaf_variable", "getset"),
        ("torch._C._functions.Leaf", "LeafClass", "type"),
        ("torch._C._functions.Send", "SendClass", "type"),
    ]


def test_a_helper_that_makes_what_it_adds(index: sqlite3.Connection) -> None:
    """As `add_memory_format` of torch/csrc/utils/tensor_memoryformats.cpp; objects that are no modules are none."""
    found = linked(
        index,
        a="void init() {\n"
        '  auto torch_module = THPObjectPtr(PyImport_ImportModule("torch"));\n'
        "  auto add_format = [&](at::Format format, const char* name) {\n"
        "    PyObject* made = Format_New(format);\n"
        "    if (PyModule_AddObject(torch_module, name, made) != 0) { throw python_error(); }\n"
        "  };\n"
        '  add_format(at::Format::Strided, "strided_format");\n'
        "  auto set_on = [&](const char* name, PyObject* v) {\n"
        "    PyObject_SetAttrString(instance, name, v);\n"
        "  };\n"
        '  set_on("attribute", Py_None);\n'
        "}\n",
    )
    assert found == [("torch.strided_format", "made", "member")]
