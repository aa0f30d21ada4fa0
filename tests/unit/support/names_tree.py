"""A small tree whose names are of every kind that people ask for."""

from __future__ import annotations

NATIVE = "aten/src/ATen/native"
YAML = f"{NATIVE}/native_functions.yaml"
WEAVE = f"{NATIVE}/Weave.cpp"
IMPL = "c10/core/LoomImpl.h"
TWIST = "c10/util/Twist.h"
METHODS = "tools/autograd/templates/python_variable_methods.cpp"

FILES = {
    YAML: """\
- func: mm(Tensor self, Tensor mat2) -> Tensor
  variants: function, method
  dispatch:
    CPU: mm_cpu

- func: mm.out(Tensor self, Tensor mat2, *, Tensor(a!) out) -> Tensor(a!)
  dispatch:
    CPU: mm_out_cpu

- func: weave.Tensor(Tensor self, Tensor other) -> Tensor
  variants: function, method
  dispatch:
    CPU: weave_cpu

- func: weave.Scalar(Tensor self, Scalar other) -> Tensor
  variants: function, method

- func: weave.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
  dispatch:
    CPU: weave_out_cpu

- func: data(Tensor(a) self) -> Tensor(a)
  variants: method
""",
    f"{NATIVE}/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "version.txt": "2.6.0\n",
    "tools/autograd/gen_python_functions.py": '_SKIP_PYTHON_BINDINGS = ["data"]\nSKIP_PYTHON_BINDINGS_SIGNATURES = []\n',
    WEAVE: """\
namespace at::native {
namespace {
template <typename T>
void stretch(T x) {}
}
Tensor mm_cpu(const Tensor& self, const Tensor& mat2) { return self; }
Tensor& mm_out_cpu(const Tensor& self, const Tensor& mat2, Tensor& out) { return out; }
Tensor weave_cpu(const Tensor& self, const Tensor& other) { stretch<float>(1); return self; }
Tensor& weave_out_cpu(const Tensor& self, const Tensor& other, Tensor& out) { c10::LoomImpl().warp(1); return out; }
}
""",
    IMPL: """\
namespace c10 {
struct LoomBase {
  void rest() {}
};
struct LoomImpl : public LoomBase {
  LoomImpl() {}
  void warp(int n) { weft(); }
  void weft() {}
  struct Inner { void thread() {} };
};
struct LoomImplOther {
  void weft() {}
};
inline void outside(LoomImpl x) { x.weft(); x.weft(); }
struct Strand {
  operator bool() const { return true; }
  operator std::vector<int>() const { return {}; }
};
}
""",
    TWIST: """\
#define TWIST_CHECK(x) check(x)
namespace c10 {
inline void twist(double n) {}
inline void twist(int n, int m) {}
}
namespace at { using namespace c10; }
namespace loom { using c10::twist; }
namespace knit = c10;
""",
    f"{NATIVE}/quantized/Weave.mm": (
        "TORCH_LIBRARY(quantized, m) {\n"
        '  m.def("weave_out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)");\n'
        '  m.def("data(Tensor self) -> Tensor");\n}\n'
    ),
    METHODS: """\
namespace torch::autograd {
static PyObject * THPVariable_numel(PyObject* self, PyObject* args) { return nullptr; }
PyMethodDef variable_methods[] = {
  {"numel", THPVariable_numel, METH_NOARGS, NULL},
  ${py_method_defs}
  {NULL}
};
}
""",
    "torch/csrc/autograd/python_variable.cpp": """\
PyObject * THPVariable_get_data(PyObject* self, void*) { return nullptr; }
static PyObject * THPModule_threads(PyObject* module, PyObject*) { return nullptr; }
static PyGetSetDef THPVariable_properties[] = {
  {"data", THPVariable_get_data, nullptr, nullptr, nullptr},
  {nullptr}
};
static PyMethodDef TorchMethods[] = {
  {"get_threads", THPModule_threads, METH_NOARGS, nullptr},
  {nullptr}
};
PyTypeObject TensorType = {"torch._C.TensorBase", nullptr, .tp_getset = THPVariable_properties};
static struct PyModuleDef torchmodule = {PyModuleDef_HEAD_INIT, "torch._C", nullptr, -1, TorchMethods};
PyObject* init() {
  static std::vector<PyMethodDef> methods;
  THPUtils_addPyMethodDefs(methods, torch::autograd::variable_methods);
  TensorType.tp_methods = methods.data();
  return PyModule_Create(&torchmodule);
}
""",
    "torch/__init__.py": """\
from torch._C import *
from torch._tensor import Tensor
from torch.functional import *
from torch import functional as functional
from torch._loops import around
__all__ = ["Tensor", "functional"]
""",
    "torch/_tensor.py": "from torch import _C\nclass Tensor(_C.TensorBase):\n    pass\n",
    "torch/functional.py": """\
import torch
from torch._narrow import narrowest
__all__ = ["narrowest", "shapes"]

def shapes(*given):
    return helper(given)

def helper(given):
    return torch.mm(given, given)
""",
    "torch/_narrow.py": '__all__ = ["narrowest"]\ndef narrowest(x):\n    return x.mm(x)\n',
    "torch/_loops/__init__.py": "from torch._loops.around import around\n",
    "torch/_loops/around.py": "def around(x):\n    return x\n",
    "torch/_loops/circle.py": "from torch._loops.circle import round_\n",
}
