"""The embedded tree with C++ in it: a structured kernel, a stub, a CUDA kernel, overloads, boilerplate."""

from __future__ import annotations

import shutil
from pathlib import Path

from indexer.build import build
from indexer.scan.tree import open_tree

FILES = {
    "aten/src/ATen/TensorMeta.h": """\
#define TORCH_META_FUNC(name) void structured_##name::meta
#define TORCH_IMPL_FUNC(name) void structured_##name::impl
""",
    "aten/src/ATen/native/SoftCap.h": """\
#pragma once
namespace at::native {
using softcap_fn = void (*)(const Tensor&, const Tensor&, int64_t);
DECLARE_DISPATCH(softcap_fn, softcap_stub)
using scale_add_fn = void (*)(TensorIteratorBase&, const Scalar&);
DECLARE_DISPATCH(scale_add_fn, scale_add_stub)
}
""",
    "aten/src/ATen/native/SoftCap.cpp": """\
#include <ATen/native/SoftCap.h>
#include <c10/util/Exception.h>
#include <vector>

namespace at::meta {
TORCH_META_FUNC(_softcap)(const Tensor& self, int64_t dim, bool half_to_float) {
  set_output(self);
}
}

namespace at::native {
DEFINE_DISPATCH(softcap_stub);
DEFINE_DISPATCH(scale_add_stub);

static void check_dim(const Tensor& self, int64_t dim) {
  c10::detail::checkFail("dim");
}

static void check_dim(const Tensor& self, double dim) {}

TORCH_IMPL_FUNC(softcap_cpu_out)
(const Tensor& self, int64_t dim, bool half_to_float, const Tensor& output) {
  check_dim(self, dim);
  softcap_stub(kCPU, output, self, dim);
}

Tensor softcap(const Tensor& self, int64_t dim, std::optional<ScalarType> dtype) {
  std::vector<int64_t> sizes;
  sizes.size();
  auto input = anything();
  input.clip_to_(1.0);
  return at::_softcap(self, dim, false);
}

Tensor linalg_trim(const Tensor& self, IntArrayRef size, double tol) {
  Tensor banded = self.band(1);
  return at::softcap(banded, 0);
}

Tensor band(const Tensor& self, int64_t offset) {
  return self;
}
}
""",
    "aten/src/ATen/native/cpu/SoftCapKernel.cpp": """\
#include <ATen/native/SoftCap.h>
namespace at::native {
namespace {
void cap_row(const float* row) {}

void softcap_kernel_impl(const Tensor& output, const Tensor& self, int64_t dim) {
  cap_row(nullptr);
}
}
REGISTER_DISPATCH(softcap_stub, &softcap_kernel_impl)
}
""",
    "aten/src/ATen/native/cuda/SoftCap.cu": """\
namespace at::native {
template <typename T>
__global__ void softcap_forward(T* out, const T* in) {}

TORCH_IMPL_FUNC(softcap_cuda_out)
(const Tensor& self, int64_t dim, bool half_to_float, const Tensor& output) {
  softcap_forward<<<1, 32>>>(output.data(), self.data());
}
}
""",
    "aten/src/ATen/native/ufunc/scale_add.h": """\
namespace at::native::ufunc {
template <typename T>
T scale_add(T self, T other, T alpha) { return self + other * alpha; }
}
""",
    "c10/util/Exception.h": """\
namespace c10::detail {
inline void checkFail(const char* message) {}
}
""",
    "torch/csrc/autograd/FunctionsManual.cpp": """\
namespace torch::autograd::generated::details {
Tensor scale_backward(const Tensor& grad, const Scalar& alpha) { return grad; }
}
""",
    "aten/src/ATen/Registry.cpp": """\
namespace at {
struct Left { void start(int n) {} };
struct Right { void start(int n) {} };
void begin_all() {
  auto one = anything();
  one.start(1);
}
void begin_more() { begin_all(); }
struct Ender { void operator()(int n) { begin_more(); } };
}
""",
}


def make_tree(fixture: Path, folder: Path) -> Path:
    """A copy of the embedded tree with the files."""
    tree = folder / "tree"
    shutil.copytree(fixture, tree)
    for path, text in FILES.items():
        target = tree / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    return tree


def make_index(fixture: Path, folder: Path) -> Path:
    """An index of it."""
    database = folder / "graph.db"
    build(open_tree(make_tree(fixture, folder)), database, workers=0)
    return database


def line_of(path: str, text: str) -> int:
    """The first line of a file that has a text in it."""
    lines = FILES[path].splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)
