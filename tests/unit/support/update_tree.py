"""A tree for updates: the fixture tree with C++ of every kind that link steps join across files."""

from __future__ import annotations

import shutil
from pathlib import Path

NATIVE = "aten/src/ATen/native"

FILES = {
    f"{NATIVE}/Caps.h": """\
#pragma once
#define FRESH_GETTER(name) inline int get_##name() { return trimmed(1); }
namespace at::native {
struct CapBase { virtual int level(int a) { return a; } int base_only() { return 1; } };
struct Cap : public CapBase { Cap(int a) {} int level(int a) override { return base_only(); } };
inline int trimmed(int a) { return a; }
inline int trimmed(int a, int b) { return trimmed(a); }
FRESH_GETTER(cap)
using cap_fn = void (*)(TensorIterator&, int);
DECLARE_DISPATCH(cap_fn, cap_stub);
}
""",
    f"{NATIVE}/Caps.cpp": """\
#include <ATen/native/Caps.h>
namespace at::native {
DEFINE_DISPATCH(cap_stub);
namespace { int hidden(int a) { return trimmed(a, 1); } }
using Short = Cap;
Tensor cap_cpu(const Tensor& self) {
  Short made(1);
  made.level(hidden(2));
  get_cap();
  auto out = at::softcap(self);
  cap_stub(kCPU, iter, 1);
  return out.relu();
}
TORCH_IMPL_FUNC(cap_out_cpu)(const Tensor& self) { cap_cpu(self); }
}
""",
    f"{NATIVE}/cpu/CapKernel.cpp": """\
namespace at::native { namespace {
void cap_kernel(TensorIterator& iter, int a) { trimmed(a); }
} REGISTER_DISPATCH(cap_stub, &cap_kernel); }
""",
    f"{NATIVE}/CapOps.h": """\
#define CAP_FUNCTOR(name) template <class T> struct name { T operator()(T t) const { return trimmed(t); } };
namespace at::native {
template <class T> struct CapOps { T project(T a) { return a; } T combine(T a, T b) { return trimmed(a, b); } };
template <class T> struct CapAdd { T operator()(T a) { return a; } };
CAP_FUNCTOR(CapMade)
template <class T, class Op> void run_caps(T a, Op op) { op(a); }
template <class T> struct CapApply { static void apply(int a) { T::forward(a); } };
struct CapOwn : CapApply<CapOwn> { static void forward(int a) {} static void backward(int a) {} };
template <class T> struct CapRadix { static T convert(T a) { return a; } };
template <> struct CapRadix<float> { static float convert(float a) { return trimmed(a); } };
template <class T> T cap_lapack(T a);
template <> float cap_lapack<float>(float a) { return trimmed(a); }
template <> double cap_lapack<double>(double a) { return a; }
}
""",
    f"{NATIVE}/CapOps.cpp": """\
#include <ATen/native/CapOps.h>
namespace at::native {
static CapAdd shared_add;
void cap_reduce(int a) { run_caps(a, CapOps<float>{}); run_caps(a, shared_add); }
void cap_each(int a) { run_caps<float, CapMade>(a); CapRadix<float>::convert(cap_lapack<float>(a)); }
void cap_apply(int a) { CapOwn::apply(a); }
}
""",
    f"{NATIVE}/cuda/Caps.cu": """\
namespace at::native {
template <typename T> __global__ void cap_gpu(T* out, int n) { }
void launch_cap(int n) { cap_gpu<float><<<1, 2>>>(nullptr, n); }
void cap_cuda_kernel(TensorIterator& iter, int a) { launch_cap(trimmed(a)); }
REGISTER_DISPATCH(cap_stub, &cap_cuda_kernel);
}
""",
    f"{NATIVE}/CapLibrary.cpp": """\
#include <torch/library.h>
#define CAP_IMPL(name) m.impl(#name, TORCH_FN(name##_cpu))
namespace at::native {
Tensor widen_cpu(const Tensor& x, int64_t n) { return cap_cpu(x); }
TORCH_LIBRARY(caps, m) {
  m.def("widen(Tensor x, int n=1) -> Tensor");
  m.def("narrow(Tensor x) -> Tensor", &cap_cpu);
}
TORCH_LIBRARY_IMPL(caps, CPU, m) { CAP_IMPL(widen); }
TORCH_LIBRARY_IMPL(aten, AutogradCPU, m) { m.impl("softcap", torch::CppFunction::makeFallthrough()); }
}
""",
    "torch/csrc/CapBinding.cpp": """\
static PyObject* THPCap_level(PyObject* self, PyObject* args) { return wrap(at::native::trimmed(1)); }
static PyMethodDef cap_methods[] = {{"_cap_level", THPCap_level, METH_NOARGS, nullptr}, {nullptr}};
void initCapBindings(PyObject* module) {
  auto m = py::handle(module).cast<py::module>();
  m.def("_cap_made", &at::native::get_cap);
  m.def("_cap_lambda", [](int a) { return getenv("TORCH_CAP_LEVEL"); });
}
""",
    f"{NATIVE}/test/caps_test.cpp": """\
TEST(CapsTest, Level) { at::softcap(x); at::native::trimmed(2); }
TEST(CapsTest, Made) { at::native::Cap made(1); made.level(3); }
""",
    f"{NATIVE}/mps/Caps.mm": """\
namespace at::native { void cap_mps(const Tensor& self) { getPipelineStateForFunc("cap_metal"); trimmed(1); } }
""",
    f"{NATIVE}/mps/kernels/Register.h": """\
#include <metal_stdlib>
template <typename T> kernel void dense(device T* out [[buffer(0)]]) {}
#define REGISTER_CAP(NAME, T) template [[host_name(#NAME "_dense_" #T)]] kernel void dense<T>(device T*)
""",
    f"{NATIVE}/mps/Shaders.mm": """\
namespace at::native {
void Shaders::exec_row(TensorIterator& iter, const std::string& name) {
  getPipelineStateForFunc(name + "_dense_" + typeOf(iter));
}
void cap_row_mps(TensorIterator& iter) { lib.exec_row(iter, "cap"); }
}
""",
    f"{NATIVE}/mps/Rows.mm": """\
#include <Metal/Metal.h>
namespace at::native { void cap_row_mps(TensorIterator& iter) { lib.exec_row(iter, "cap_row"); } }
""",
    f"{NATIVE}/mps/kernels/Caps.metal": """\
#include <ATen/native/mps/kernels/Register.h>
kernel void cap_metal(device float* out [[buffer(0)]], uint i [[thread_position_in_grid]]) { out[i] = 1; }
REGISTER_CAP(cap_row, float);
""",
    f"{NATIVE}/vulkan/glsl/cap_op.glsl": """\
#version 450 core
void main() { OP(${OPERATOR}); }
""",
    f"{NATIVE}/vulkan/glsl/caps.yaml": """\
cap_op:
  shader_variants:
    - NAME: cap_shader
      OPERATOR: X
""",
    f"{NATIVE}/vulkan/Caps.cpp": """\
namespace at::native::vulkan { void cap_vulkan(const Tensor& self) { run(VK_KERNEL(cap_shader)); trimmed(1); } }
""",
    "torch/_inductor/codegen/cap_wrapper.py": """\
_CAP_CODE = "using namespace at::native; cap_reduce(1);"


def write_cap(kind):
    return _CAP_CODE + f"at::native::cap_{kind}_kernel({kind}); aoti_torch_cap_{kind}();"
""",
    "torch/csrc/inductor/cap_shim.h": """\
inline int aoti_torch_cap_float() { return 1; }
inline int aoti_torch_cap_int() { return 2; }
""",
    "torch/_caps.py": """\
import torch
from torch.library import Library

lib = Library("caps", "IMPL")


def widen_meta(x, n=1):
    return torch.softcap(x)


lib.impl("widen", widen_meta, "Meta")


class Widen(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return torch.softcap(x)

    @staticmethod
    def backward(ctx, grad):
        return torch.softcap(grad)
""",
}


def make(folder: Path, fixture_tree: Path) -> Path:
    """Write the tree into a folder that is not there yet."""
    shutil.copytree(fixture_tree, folder)
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder
