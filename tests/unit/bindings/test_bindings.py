"""What C++ binds to Python: pybind11, method tables, types, modules, and the paths they end at."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer import link
from indexer.extract.cpp.bindings import bindings
from indexer.extract.cpp.unit import CppUnit
from indexer.facts.bindings import Binding
from indexer.workers import WorkerPool
from indexer.write.bindings import write_bindings
from tests.unit.support.cpp_text import TOKENS
from tests.unit.support.tries import tries


def read(text: str, path: str = "a.cpp") -> list[Binding]:
    facts = bindings(CppUnit(path, text.encode()))
    return [fact for fact in facts if isinstance(fact, Binding)]


def linked(index: sqlite3.Connection, **texts: str) -> list[tuple[str, str | None, str]]:
    """What the view shows of several files, given by name."""
    for number, (name, text) in enumerate(sorted(texts.items()), 1):
        path = f"{name}.cpp"
        index.execute("INSERT INTO source_files VALUES (?, ?, 'cpp', 0, '')", (number, path))
        write_bindings(index, number, bindings(CppUnit(path, text.encode())))
    for _, run in link.steps([40, 44, 46]):
        run(index, WorkerPool(0))
    rows = index.execute(
        "SELECT python_name, cpp_name, kind FROM v_bindings ORDER BY file, line, python_name, kind"
    )
    return [tuple(row) for row in rows]


def pybind(names: dict[str, str | None]) -> list[tuple[str, str | None, str]]:
    """The rows of names that pybind11 binds: what is bound, by its name in Python."""
    return [(python_name, cpp_name, "pybind") for python_name, cpp_name in names.items()]


def test_functions_of_a_module(index: sqlite3.Connection) -> None:
    found = linked(
        index,
        a="PYBIND11_MODULE(ext, m) {\n"
        '  m.def("one", &n::one);\n'
        '  m.def("two", [](int a) { return a; }, py::arg("a"))\n'
        '   .def("three", py::overload_cast<int>(&three), "doc");\n'
        '  m.def("four", torch::wrap_pybind_function(four));\n'
        '  auto sub = m.def_submodule("sub", "doc");\n'
        '  sub.def("five", &five);\n'
        '  m.attr("SIX") = 6;\n'
        "}\n",
    )
    assert found == pybind({
        "ext.one": "n::one", "ext.two": "PYBIND11_MODULE(ext, m)::lambda", "ext.three": "three", "ext.four": "four",
        "ext.sub": None, "ext.sub.five": "five", "ext.SIX": "6",
    })  # fmt: skip


def test_classes() -> None:
    found = read(
        "namespace n {\n"
        "void init(py::module& m) {\n"
        '  py::class_<Node, std::shared_ptr<Node>>(m, "Node")\n'
        "      .def(py::init<int>())\n"
        '      .def("kind", &Node::kind)\n'
        '      .def_static("make", [](int x) { return f("a.b"); })\n'
        '      .def_property_readonly("size", &Node::size)\n'
        '      .def_readwrite("x", &Node::x)\n'
        "      .def(py::self == py::self)\n"
        '      .def("last", &Node::last);\n'
        '  auto e = py::enum_<E>(m, "E", "doc").value("A", E::A).value("B", E::B).export_values();\n'
        '  py::class_<T> t(m, "T");\n'
        '  t.def("f", &T::f);\n'
        '  std::optional<int> v; v.value("no");\n'
        "}\n"
        "}\n"
    )
    node, enum, t = "arg:n::init#0|Node", "arg:n::init#0|E", "arg:n::init#0|T"
    assert [(b.name, b.owner, b.cpp_name, b.form, b.line) for b in found] == [
        ("Node", "arg:n::init#0", "Node", "class", 3),
        ("__init__", node, "py::init<int>", "method", 4),
        ("kind", node, "Node::kind", "method", 5),
        ("make", node, "n::init::lambda", "static_method", 6),
        ("size", node, "Node::size", "property", 7),
        ("x", node, "Node::x", "field", 8),
        ("__eq__", node, "py::self == py::self", "method", 9),
        ("last", node, "Node::last", "method", 10),
        ("E", "arg:n::init#0", "E", "enum", 11),
        ("A", enum, "E::A", "value", 11),
        ("B", enum, "E::B", "value", 11),
        ("T", "arg:n::init#0", "T", "class", 12),
        ("f", t, "T::f", "method", 13),
    ]


def test_a_class_with_a_holder_is_one_binding() -> None:
    found = read(
        "void THPGraph_init(PyObject* module) {\n"
        "  auto torch_C_m = py::handle(module).cast<py::module>();\n"
        '  shared_ptr_class_<::at::Graph>(torch_C_m, "_Graph").def("reset", &::at::Graph::reset);\n'
        '  intrusive_ptr_class_<Options>(torch_C_m, "Options", R"(doc)");\n'
        "}\n"
    )
    assert [(b.name, b.form) for b in found] == [
        ("_Graph", "class"), ("reset", "method"), ("Options", "class"),
    ]  # fmt: skip


def test_a_binding_whose_owner_is_not_known_has_no_name_in_python(
    index: sqlite3.Connection,
) -> None:
    table = 'static PyMethodDef methods[] = {\n  {"flatten", flatten, METH_NOARGS, nullptr},\n  {nullptr}\n};\n'
    assert linked(index, a=table) == [(None, "flatten", "method_table")]


def test_macros_in_a_chain() -> None:
    found = read(
        "void init(py::module m) {\n"
        '  py::class_<Node>(m, "Node")\n'
        "#define GET(name)             \\\n"
        "  def(#name, [](Node& n) {    \\\n"
        "    return n.name();          \\\n"
        "  })\n"
        "      .GET(first)\n"
        "#define SIZE(name) .def_readonly(#name, &Node::name)\n"
        "      SIZE(width)\n"
        '      .def("after", &Node::after);\n'
        "}\n"
    )
    assert [(b.name, b.owner, b.cpp_name, b.form, b.line) for b in found[1:]] == [
        ("first", "arg:init#0|Node", "init::lambda", "method", 7),
        ("width", "arg:init#0|Node", "Node::width", "field", 9),
        ("after", "arg:init#0|Node", "Node::after", "method", 10),
    ]


def test_modules_are_followed_through_calls(index: sqlite3.Connection) -> None:
    found = linked(
        index,
        a='struct PyModuleDef torchmodule = {PyModuleDef_HEAD_INIT, "torch._C", nullptr, -1, methods.data()};\n'
        "static PyMethodDef table[] = {\n"
        '  {"from_table", castPyCFunctionWithKeywords(from_table), METH_O, nullptr},\n'
        "  {nullptr}};\n"
        "static std::vector<PyMethodDef> methods;\n"
        "PyObject* initModule() {\n"
        "  THPUtils_addPyMethodDefs(methods, table);\n"
        "  THPUtils_addPyMethodDefs(methods, other::functions());\n"
        "  PyObject* module = PyModule_Create(&torchmodule);\n"
        "  other::init(module);\n"
        "  return module;\n"
        "}\n",
        b="namespace other {\n"
        "static PyMethodDef methods[] = {\n"
        '    {"_other", (PyCFunction)(void (*)(void))other_function, METH_NOARGS, "doc"},\n'
        "    {nullptr, nullptr, 0, nullptr}};\n"
        "PyMethodDef* functions() { return methods; }\n"
        'void deeper(py::module& mod) { mod.def("deep", &deep); }\n'
        "void init(PyObject* module) {\n"
        "  auto m = py::handle(module).cast<py::module>();\n"
        '  auto sub = m.def_submodule("_sub");\n'
        "  deeper(sub);\n"
        '  auto other = py::module::import("torch.elsewhere");\n'
        '  other.def("else_", &else_);\n'
        "}\n"
        "}\n",
    )
    assert found == [
        ("torch._C.from_table", "from_table", "method_table"),
        ("torch._C._other", "other_function", "method_table"),
        ("torch._C._sub.deep", "deep", "pybind"),
        ("torch._C._sub", None, "pybind"),
        ("torch.elsewhere.else_", "else_", "pybind"),
    ]


@pytest.mark.parametrize("opening", ["{{", "{ {\n", "{PyMethodDef"])
def test_tables_that_are_std_arrays(opening: str) -> None:
    entry = '{"other", (PyCFunction)(void (*)(void))THPModule_other, METH_FASTCALL, nullptr}'
    closing = "}" if opening.endswith("Def") else "}}"
    found = read(
        f"static std::array<PyMethodDef, 2> methods = {opening} {entry},\n"
        f"  {'PyMethodDef' if opening.endswith('Def') else ''}{{nullptr, nullptr, 0, nullptr}}{closing};\n"
    )
    assert [(b.name, b.cpp_name, b.form) for b in found] == [
        ("other", "THPModule_other", "method_table")
    ]


def test_a_template_of_generated_methods(index: sqlite3.Connection) -> None:
    index.executescript(
        "INSERT INTO source_files VALUES (9, 'native_functions.yaml', 'yaml', 0, '');"
        "INSERT INTO python_binding_rules VALUES ('skip_name', '^left_out$', 9, 1);"
        "INSERT INTO operators (name, namespace, base, overload, kind, variants, origin, file_id, line) VALUES"
        " ('aten::add.Tensor', 'aten', 'add', 'Tensor', 'functional', 'function, method', 'yaml', 9, 1),"
        " ('aten::cat', 'aten', 'cat', '', 'functional', 'function', 'yaml', 9, 2),"
        " ('aten::left_out', 'aten', 'left_out', '', 'functional', 'method', 'yaml', 9, 3);"
    )
    found = linked(
        index,
        python_variable_methods="namespace torch::autograd {\n"
        "PyMethodDef variable_methods[] = {\n"
        '  {"__add__", castPyCFunctionWithKeywords(TypeError_to_NotImplemented_<THPVariable_add>), F, NULL},\n'
        "  ${py_method_defs}\n"
        "  {NULL}\n"
        "};\n"
        "}\n",
        variable='PyTypeObject TensorType = {"torch._C.TensorBase", nullptr};\n'
        "bool init(PyObject* module) {\n"
        "  static std::vector<PyMethodDef> methods;\n"
        "  THPUtils_addPyMethodDefs(methods, torch::autograd::variable_methods);\n"
        "  TensorType.tp_methods = methods.data();\n"
        "}\n",
    )
    assert found == [
        ("torch._C.TensorBase.__add__", "TypeError_to_NotImplemented_", "method_table"),
        ("torch._C.TensorBase.add", "torch::autograd::THPVariable_add", "generated"),
    ]


def test_operators_are_not_bindings() -> None:
    assert not read(
        "#include <torch/extension.h>\n"
        "TORCH_LIBRARY(ns, m) {\n"
        '  m.def("f(Tensor a) -> Tensor", &f);\n'
        "}\n"
    )


def test_script_classes() -> None:
    found = read(
        'static auto r = torch::class_<C>("ns", "C").def(torch::init<>()).def("f", &C::f);\n'
        'TORCH_LIBRARY(lib, m) { m.class_<D>("D").def("g", &D::g); }\n'
    )
    assert [(b.name, b.owner, b.cpp_name) for b in found] == [
        ("C", "py:torch.classes.ns", "C"),
        ("__init__", "py:torch.classes.ns.C", "torch::init<>"),
        ("f", "py:torch.classes.ns.C", "C::f"),
        ("D", "py:torch.classes.lib", "D"),
        ("g", "py:torch.classes.lib.D", "D::g"),
    ]


@settings(max_examples=tries(150), deadline=None)
@given(st.binary(max_size=300) | st.lists(st.sampled_from(TOKENS), max_size=60).map(b" ".join))
def test_never_raises(data: bytes) -> None:
    list(bindings(CppUnit("a.cpp", b"py:: PyMethodDef " + data)))
    list(bindings(CppUnit("a.cpp", b"void f(py::module& m) { m.def(" + data)))
    list(bindings(CppUnit("a.cpp", b"static PyMethodDef t[] = {" + data)))


def test_a_class_that_is_handed_on_as_it_is_made(index: sqlite3.Connection) -> None:
    found = linked(
        index,
        a="namespace torch::python {\n"
        "template <typename M>\n"
        "py::class_<M> add_bindings(py::class_<M> module) {\n"
        '  return module.def("train", &train).def_property_readonly("training", &training);\n'
        "}\n"
        "}\n",
        b="namespace torch::python {\n"
        "void init(PyObject* self) {\n"
        '  auto torch = py::module::import("torch._C");\n'
        '  auto m = torch.def_submodule("cpp");\n'
        '  add_bindings(py::class_<Module>(m, "Module")).def("clone", &clone);\n'
        "}\n"
        "}\n",
    )
    assert [name for name, _, _ in found] == [
        "torch._C.cpp.Module.train", "torch._C.cpp.Module.training",
        "torch._C.cpp", "torch._C.cpp.Module", "torch._C.cpp.Module.clone",
    ]  # fmt: skip


def test_a_class_whose_name_the_caller_gives(index: sqlite3.Connection) -> None:
    found = linked(
        index,
        a="namespace jit {\n"
        "template <typename T> struct Slots {\n"
        "  static void bind(const py::module& m, const char* name) {\n"
        "    py::class_<Slots<T>>(m, name)\n"
        '        .def("items", &Slots<T>::items);\n'
        "  }\n"
        "};\n"
        "template <typename T> void bind_dict(py::module module, const char* dict_name) {\n"
        '  py::class_<Dict<T>>(module, dict_name).def("keys", &Dict<T>::keys);\n'
        "}\n"
        "PYBIND11_MODULE(_ext, m) {\n"
        '  Slots<detail::Left>::bind(m, "LeftDict");\n'
        '  Slots<detail::Right>::bind(m, "RightDict");\n'
        '  bind_dict<Tensor>(m, "TensorDict");\n'
        '  py::bind_vector<std::vector<int>>(m, "Ints");\n'
        "}\n"
        "}\n",
    )
    assert found == pybind({
        "_ext.LeftDict.items": "Slots<T>::items", "_ext.RightDict.items": "Slots<T>::items",
        "_ext.TensorDict.keys": "Dict<T>::keys",
        "_ext.LeftDict": "detail::Left", "_ext.RightDict": "detail::Right", "_ext.TensorDict": "Tensor",
        "_ext.Ints": "std::vector<int>",
    })  # fmt: skip


def test_a_module_is_where_it_is_added_whatever_its_definition_calls_it(
    index: sqlite3.Connection,
) -> None:
    found = linked(
        index,
        a='static PyModuleDef module_ = {PyModuleDef_HEAD_INIT, "torch._C._outer", nullptr};\n'
        "namespace dynamo {\n"
        "using deep::inner_init;\n"
        "PyObject* init() {\n"
        "  PyObject* outer = PyModule_Create(&module_);\n"
        "  PyObject* inner = inner_init();\n"
        '  PyModule_AddObject(outer, "inner", inner);\n'
        "  return outer;\n"
        "}\n"
        "}\n",
        b="namespace dynamo::deep {\n"
        'static PyMethodDef methods_[] = {{"clear", clear, METH_NOARGS, nullptr}, {nullptr}};\n'
        "static PyModuleDef module_ = {\n"
        '    PyModuleDef_HEAD_INIT, "torch._C._outer.other_name", "doc", -1, methods_};\n'
        "PyObject* inner_init() {\n"
        "  PyObject* mod = PyModule_Create(&module_);\n"
        "  return mod;\n"
        "}\n"
        "}\n",
    )
    assert ("torch._C._outer.inner.clear", "dynamo::deep::clear", "method_table") in found or (
        "torch._C._outer.inner.clear", "clear", "method_table",
    ) in found  # fmt: skip
    assert not [name for name, *_ in found if name and "other_name" in name]
