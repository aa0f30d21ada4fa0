"""A small torch with operators, their rules and a tensor, for tests of what Python's names stand for."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from tests.unit.support.python_sources import YAML, index

OPERATORS = """
- func: relu(Tensor self) -> Tensor
  variants: function, method

- func: add.Tensor(Tensor self, Tensor other) -> Tensor
  variants: function, method

- func: add.Scalar(Tensor self, Scalar other) -> Tensor
  variants: function, method

- func: add.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)

- func: add_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
  variants: method

- func: top(Tensor self) -> (Tensor values, Tensor indices)
  variants: function, method

- func: gelu(Tensor self) -> Tensor
  python_module: nn

- func: relu_backward(Tensor self) -> Tensor

- func: nonzero(Tensor self) -> Tensor
  variants: function, method

- func: nonzero.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)

- func: nonzero_numpy(Tensor self) -> Tensor[]
  variants: function, method
"""
RULES = '_SKIP_PYTHON_BINDINGS = [".*_backward", "nonzero(_(out|numpy))?"]\n'
RULES += 'SKIP_PYTHON_BINDINGS_SIGNATURES = ["add.Scalar(Tensor self, Scalar other) -> Tensor"]\n'
METHODS = """
template<typename T>
static T dispatch_top(const Tensor & self) {
  return self.template relu<T>();
}

static Tensor dispatch_top(const Tensor & self, Device device) {
  return self.top(device);
}

static PyObject * THPVariable_relu_scalar(PyObject* self, PyObject* args) {
  return wrap(dispatch_top<c10::add<double>>(self_));
}

static PyObject * THPVariable_top(PyObject* self, PyObject* args) {
  return wrap(dispatch_top(self_, device));
}

static PyObject * THPVariable_tolist(PyObject* self, PyObject* args) {
  return torch::utils::tensor_to_list(self_);
}

static PyObject * THPVariable_nonzero(PyObject* self, PyObject* args) {
  if (as_tuple) return wrap(dispatch_nonzero_numpy(self_));
  return wrap(dispatch_nonzero(self_));
}

// {"not_this", THPVariable_nonzero, METH_NOARGS, nullptr},
PyMethodDef variable_methods[] = {
  {"__add__", castPyCFunctionWithKeywords(TypeError_to_NotImplemented_<THPVariable_add>), 0},
  {"__float__", THPVariable_relu_scalar, METH_NOARGS, nullptr},
  {"high", THPVariable_top, METH_NOARGS, nullptr},
  {"tolist", THPVariable_tolist, METH_NOARGS, nullptr},
  {"nonzero", castPyCFunctionWithKeywords(THPVariable_nonzero), 0},
};
"""
BASE = {
    YAML: OPERATORS,
    "tools/autograd/gen_python_functions.py": RULES,
    "tools/autograd/templates/python_variable_methods.cpp": METHODS,
    "torch/csrc/utils/tensor_list.cpp": """
PyObject* tensor_to_list(const Tensor& tensor) {
  Tensor data = tensor.relu().add(1);
}
""",
    "torch/__init__.py": "from torch._tensor import Tensor\n",
    "torch/_tensor.py": "from torch import _C\nclass Tensor(_C.TensorBase):\n    pass\n",
}


def index_torch(sources: Mapping[str, str]) -> sqlite3.Connection:
    """Read, write and link these files besides those of the small torch."""
    return index({**BASE, **sources})


def operators_of(conn: sqlite3.Connection, api: str) -> dict[str | None, str]:
    """By operator how an API reaches it."""
    rows = conn.execute("SELECT operator, via FROM v_python_api WHERE api = ?", (api,))
    return {row["operator"]: row["via"] for row in rows}


def bases_of(conn: sqlite3.Connection, name: str) -> str:
    """What a class derives from."""
    row = conn.execute("SELECT bases FROM v_classes WHERE name = ?", (name,)).fetchone()
    return str(row["bases"])
