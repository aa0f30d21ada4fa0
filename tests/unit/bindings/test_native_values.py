"""Values and types that C++ gives torch: read from its sources, and from the stubs of an installed package."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.extract.python import native_values
from tests.unit.support.small_tree import indexed
from torchtalk.tools import all_tools

TEMPLATE = "tools/autograd/templates/python_return_types.cpp"
FILES = {
    "aten/src/ATen/native/native_functions.yaml": """\
- func: top(Tensor self) -> (Tensor values, Tensor indices)
- func: top.out(Tensor self, *, Tensor(a!) values, Tensor(b!) indices) -> (Tensor(a!) values, Tensor(b!) indices)
- func: pair(Tensor self) -> (Tensor, Tensor)
- func: one(Tensor self) -> Tensor values
- func: low_backward(Tensor self) -> (Tensor a, Tensor b)
""",
    "tools/autograd/gen_python_functions.py": '_SKIP_PYTHON_BINDINGS = [".*_backward"]\n',
    TEMPLATE: """\
namespace torch::autograd {
void initReturnTypes(PyObject* module) {
  static struct PyModuleDef def = {PyModuleDef_HEAD_INIT, "torch._C._return_types", nullptr, -1, {}};
  PyObject* return_types_module = PyModule_Create(&def);
  if (PyModule_AddObject(module, "_return_types", return_types_module) != 0) { throw python_error(); }
}
}
""",
    "torch/csrc/Module.cpp": """\
PyObject* initModule() {
  static struct PyModuleDef torchmodule = {PyModuleDef_HEAD_INIT, "torch._C", nullptr, -1, nullptr};
  module = PyModule_Create(&torchmodule);
  torch::autograd::initReturnTypes(module);
  return module;
}
""",
    "c10/core/ScalarType.cpp": """\
std::pair<std::string, std::string> getDtypeNames(c10::ScalarType scalarType) {
  switch (scalarType) {
    case c10::ScalarType::Byte:
      // no "byte" because byte is signed in numpy
      return std::make_pair("uint8", "");
    case c10::ScalarType::Double:
      return std::make_pair("float64", "double");
  }
}
""",
    "torch/csrc/utils/tensor_types.cpp": """\
    case at::Backend::CPU:
      return "torch";
    case at::Backend::SparseCUDA:
      return "torch.cuda.sparse";
  auto backends = {Backend::CPU, Backend::SparseCUDA};
  auto scalar_types = {
      ScalarType::Byte,
      ScalarType::Bool};
      // there is no sparse bool type.
""",
    "torch/csrc/tensor/python_tensor.cpp": "static void set_default_storage_type() {\n"
    '  if (PyObject_SetAttrString(torch_module.get(), "Storage", storage) != 0) {\n',
    "torch/__init__.py": "from torch._C import *\n",
    "torch/return_types.py": "import torch\n",
    "torch/return_types.pyi": "class low(tuple):\n    n_fields: int = 2\n",
    "torch/_C/__init__.pyi": "class Generator:\n    device: int\n    def seed(self): ...\ncomplex7: dtype = ...\n",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("values")) as connection:
        yield connection


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("torch.uint8", "c10/core/ScalarType.cpp:5"),
        ("torch.float64", "c10/core/ScalarType.cpp:7"),
        ("torch.double", "c10/core/ScalarType.cpp:7"),
        ("torch.ByteTensor", "torch/csrc/utils/tensor_types.cpp:7"),
        ("torch.BoolTensor", "torch/csrc/utils/tensor_types.cpp:8"),
        ("torch.cuda.sparse.ByteTensor", "torch/csrc/utils/tensor_types.cpp:7"),
        ("torch.return_types.top", f"{TEMPLATE}:5"),
        ("torch.return_types.top_out", f"{TEMPLATE}:5"),
        ("torch.return_types.low", "torch/return_types.pyi:1"),
        ("torch.Generator", "torch/_C/__init__.pyi:1"),
        ("torch._C.Generator.device", "torch/_C/__init__.pyi:2"),
        ("torch.Storage", "torch/csrc/tensor/python_tensor.cpp:2"),
        ("torch.complex7", "torch/_C/__init__.pyi:4"),
    ],
)
def test_what_cpp_gives_torch_is_known_where_it_stands(
    conn: sqlite3.Connection, name: str, place: str
) -> None:
    answer = all_tools()["trace"].ask(conn, name=name)
    assert "is bound in C++" in answer.finding or "C++ without an operator" in answer.finding
    assert [line.rpartition("  ")[2] for line in answer.elsewhere] == [place]


@pytest.mark.parametrize(
    "name",
    [
        "torch.cuda.sparse.BoolTensor", "torch.return_types.pair", "torch.return_types.one",
        "torch.return_types.low_backward",
    ],
)  # fmt: skip
def test_what_it_does_not_give_is_not(conn: sqlite3.Connection, name: str) -> None:
    assert (
        all_tools()["trace"]
        .ask(conn, name=name)
        .finding.startswith("nothing in this index is called")
    )


def test_none_of_them_is_said_to_call_anything(conn: sqlite3.Connection) -> None:
    apis = {api for (api,) in conn.execute("SELECT api FROM v_python_api")}
    assert {api for api in apis if "return_types" in api or "Generator" in api} == set()


def test_layouts_formats_and_schemes() -> None:
    texts = {
        "torch/csrc/utils/tensor_layouts.cpp": "#define REGISTER_LAYOUT(layout, LAYOUT)\n"
        '  if (PyModule_AddObject(torch_module, "strided", s) != 0) {\n  REGISTER_LAYOUT(jagged, Jagged)\n',
        "torch/csrc/utils/tensor_memoryformats.cpp": 'add_memory_format(at::MemoryFormat::X, "channels");',
        "c10/core/QScheme.h": 'case kPerTensorAffine:\n  return "per_tensor_affine";',
    }
    found = [
        (fact.name, fact.line)
        for path, text in texts.items()
        for fact in native_values.extract(path, text.encode())
    ]
    assert found == [
        ("strided", 2),
        ("jagged", 3),
        ("channels", 1),
        ("per_tensor_affine", 2),
    ]
    assert list(native_values.extract(str(Path("a.cpp")), b"")) == []
