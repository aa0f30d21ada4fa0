"""Which libraries GPU kernels end at, and which operators they leave the work to."""

from __future__ import annotations

from pathlib import Path

from tests.unit.support.small_tree import indexed
from torchtalk.render import to_text
from torchtalk.tools import all_tools

TOOL = all_tools()["cuda_kernels"]
TRACE = all_tools()["trace"]

LIBRARY = """
- func: product(Tensor self) -> Tensor
  dispatch:
    CUDA: product_cuda

- func: product_renorm_(Tensor self) -> Tensor
  dispatch:
    CUDA: a_renorm_cuda

- func: whole(Tensor self) -> Tensor
  dispatch:
    CUDA: whole_cuda

- func: product_forward(Tensor self) -> Tensor

- func: _product_forward(Tensor self) -> Tensor
  dispatch:
    CUDA: product_forward_cuda
"""


PRODUCTS = """#include <ATen/ATen.h>
namespace at::native {
__global__ void a_unfold(float* p) {}
Tensor product_cuda(const Tensor& self) {
  a_unfold<<<1, 32>>>(p);
  cublasSgemm(handle, p);
  xnn_invoke_runtime(runtime);
  return self;
}
__global__ void renorm(float* p) {}
Tensor a_renorm_cuda(const Tensor& self) { renorm<<<1, 32>>>(p); return self; }
Tensor whole_cuda(const Tensor& self) {
  at::product_renorm_(self);
  return at::_product_forward(self);
}
__global__ void z_forward(float* p) {}
Tensor product_forward(const Tensor& self) {
  at::product_renorm_(self);
  return at::_product_forward(self);
}
Tensor product_forward_cuda(const Tensor& self) { z_forward<<<1, 32>>>(p); return self; }
} // namespace at::native
"""


def test_libraries_and_what_a_kernel_leaves_to_other_operators(tmp_path: Path) -> None:
    native = "aten/src/ATen/native"
    files = {
        f"{native}/native_functions.yaml": LIBRARY,
        f"{native}/cuda/Product.cu": PRODUCTS,
    }
    with indexed(files, tmp_path) as conn:
        # XNNPACK runs on no GPU; cuBLAS does the work beside the launch.
        found = TOOL.ask(conn, name="product")
        assert (
            found.finding == "1 launch site for 'product'; calls of cuBLAS; followed: aten::product"
        )
        (use,) = found.libraries
        assert (use.library, use.functions, use.behind) == (
            "cuBLAS", ("cublasSgemm",), ("aten::product",),
        )  # fmt: skip
        line = f"calls cuBLAS: cublasSgemm  at {native}/cuda/Product.cu:6"
        assert f"{line}  [behind aten::product]" in to_text(found)
        assert line in to_text(TRACE.run(conn, name="product", focus="dispatch"))
        assert not TOOL.ask(conn, name="product", offset=1).libraries
        # One that launches nothing leads to those that it calls.
        kernels = [site.kernel for site in TOOL.ask(conn, name="whole").sites]
        assert kernels == ["at::native::renorm", "at::native::z_forward"]
        # What is called like what is asked for comes before what runs beside it.
        kernels = [site.kernel for site in TOOL.ask(conn, name="aten::product_forward").sites]
        assert kernels == ["at::native::z_forward", "at::native::renorm"]
