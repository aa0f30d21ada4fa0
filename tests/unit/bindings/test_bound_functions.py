"""Which C++ function a binding calls: one of several overloads, of a base, or of a namespace that the file uses."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import text
from tests.unit.support.small_tree import indexed

BOUND = "torch/csrc/bound.cpp"
FILES = {
    "version.txt": "2.6.0\n",
    "aten/src/ATen/native/native_functions.yaml": "- func: f(Tensor self) -> Tensor\n",
    "torch/csrc/record.h": (
        "namespace torch::cuda {\n"
        "inline void record(bool enabled, int64_t size) {}\n"
        "inline void record(std::optional<std::string> enabled, const std::string& where) {}\n"
        "struct Base {\n"
        "  int size() const { return 1; }\n"
        "  void add(const at::Tensor& x) {}\n"
        "  void add(const std::vector<at::Tensor>& xs, int n = 1) {}\n"
        "  Base operator|(Base other) const { return other; }\n"
        "};\n"
        "struct Runner : Base {\n"
        "};\n"
        "template <typename T> struct Stat { T get() { return 1; } };\n"
        "}\n"
        "namespace torch::far {\n"
        "inline void only_here() {}\n"
        "inline void twice() {}\n"
        "}\n"
        "namespace torch::near {\n"
        "inline void twice() {}\n"
        "}\n"
    ),
    BOUND: (
        "using namespace torch::cuda;\n"
        "namespace torch::impl {\n"
        "PyObject* init(PyObject* _unused) {\n"
        "  using namespace torch::far;\n"
        '  auto m = py::handle(module).cast<py::module>();\n'
        '  m.def("record_old", static_cast<void (*)(bool, int64_t)>(torch::cuda::record));\n'
        '  m.def("record", static_cast<void (*)(\n'
        "      std::optional<std::string>, const std::string&)>(&torch::cuda::record));\n"
        '  m.def("only_here", &only_here);\n'
        '  m.def("twice", &twice);\n'
        '  m.def("getStat", &Stat<double>::get);\n'
        '  py::class_<Runner>(m, "Runner")\n'
        "      .def(py::init<int>())\n"
        '      .def("size", &Runner::size)\n'
        '      .def("add", py::overload_cast<const std::vector<at::Tensor>&, int>(&Base::add))\n'
        '      .def("add_one", (void (Base::*)(const Tensor&)) & Runner::add)\n'
        '      .def("__or__", &Base::operator|);\n'
        "}\n"
        "}\n"
        "PYBIND11_MODULE(_C, module) { torch::impl::init(module); }\n"
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("module")) as connection:
        yield connection


def test_bound_functions(conn: sqlite3.Connection) -> None:
    found = {
        name: (cpp_name, line)
        for name, cpp_name, line in conn.execute(
            "SELECT b.name, b.cpp_name, u.line FROM bindings AS b LEFT JOIN functions AS u ON u.id = b.function_id"
            " WHERE form IN ('function', 'method')"
        )
    }
    assert found == {
        "record_old": ("torch::cuda::record", 2),
        "record": ("torch::cuda::record", 3),
        "only_here": ("torch::far::only_here", 15),
        "twice": ("twice", None),
        "getStat": ("torch::cuda::Stat::get", 12),
        "__init__": ("py::init<int>", None),
        "size": ("torch::cuda::Base::size", 5),
        "add": ("torch::cuda::Base::add", 7),
        "add_one": ("torch::cuda::Base::add", 6),
        "__or__": ("torch::cuda::Base::operator|", 8),
    }


def test_the_overload_is_called_by_its_binding(conn: sqlite3.Connection) -> None:
    lines = "\n".join(text(conn, "called_by", name="torch/csrc/record.h:3"))
    assert "1 by binding" in lines
    assert "record_old" not in lines
