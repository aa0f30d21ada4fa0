"""What cuda_kernels shows of operators that have kernels for CUDA and for MPS."""

from __future__ import annotations

from pathlib import Path

from tests.unit.support.small_tree import indexed
from torchtalk.tools import all_tools

TOOL = all_tools()["cuda_kernels"]


def test_kernels_of_cuda_come_before_nearer_ones_of_metal(tmp_path: Path) -> None:
    native = "aten/src/ATen/native"
    files = {
        f"{native}/native_functions.yaml": "- func: most(Tensor self) -> Tensor\n  dispatch:\n"
        "    CUDA: most_cuda\n    MPS: most_mps\n",
        f"{native}/mps/Most.mm": "namespace at::native {\nTensor most_mps(const Tensor& self) {\n"
        '  lib.getPipelineStateForFunc("most_row");\n}\n}\n',
        f"{native}/mps/Most.metal": "kernel void most_row(device float* p [[buffer(0)]]) {}\n",
        f"{native}/cuda/Most.cu": "namespace at::native {\n__global__ void most_rows(float* p) {}\n"
        "static void run(float* p) { most_rows<<<1, 32>>>(p); }\n"
        "Tensor most_cuda(const Tensor& self) { run(p); return self; }\n}\n",
    }
    with indexed(files, tmp_path) as conn:
        sites = TOOL.run(conn, name="most", limit=5, offset=0).sites
    assert [site.platform for site in sites] == ["cuda", "metal"]


SERVED = {
    "aten/src/ATen/native/native_functions.yaml": """\
- func: pool(Tensor self) -> Tensor
  dispatch:
    CompositeImplicitAutograd: pool
    MPS: pool_mps
- func: take_rows(Tensor self) -> Tensor
  dispatch:
    CUDA: take_rows_cuda
- func: turn(Tensor(a) self) -> Tensor(a)
- func: pick(Tensor self) -> Tensor
  dispatch:
    CUDA: pick_cuda
- func: flat(Tensor self) -> Tensor
""",
    "aten/src/ATen/native/Pool.cpp": """\
namespace at::native {
Tensor pool(const Tensor& self) { return at::take_rows(at::turn(self)); }
Tensor turn(const Tensor& self) { return at::pick(self); }
Tensor flat(const Tensor& self) { return at::turn(self); }
}
""",
    "aten/src/ATen/native/mps/Pool.mm": "namespace at::native {\nTensor pool_mps(const Tensor& self) { return self; }\n}\n",
    "aten/src/ATen/native/cuda/Pool.cu": """\
namespace at::native {
__global__ void rows_kernel(float* p) {}
__global__ void pick_kernel(float* p) {}
Tensor take_rows_cuda(const Tensor& self) { rows_kernel<<<1, 2>>>(p); return self; }
Tensor pick_cuda(const Tensor& self) { pick_kernel<<<1, 2>>>(p); return self; }
}
""",
}


def test_beside_a_kernel_for_mps_cuda_runs_what_the_composite_calls(tmp_path: Path) -> None:
    with indexed(SERVED, tmp_path) as conn:
        pool, flat = (TOOL.ask(conn, name=name) for name in ("pool", "flat"))
    # What may be a view, as `reshape`, is no work on the way, but where there is nothing else.
    assert pool.operators == ("aten::pool", "aten::take_rows")
    assert [site.kernel for site in pool.sites] == ["at::native::rows_kernel"]
    assert flat.operators == ("aten::flat", "aten::pick")


def test_a_kernel_leads_to_the_launch_that_names_it_in_part(tmp_path: Path) -> None:
    native = "aten/src/ATen/native"
    files = {
        f"{native}/native_functions.yaml": "- func: most(Tensor self) -> Tensor\n",
        f"{native}/mps/Rows.mm": "namespace at::native {\nvoid rows_mps(const Tensor& self) {\n"
        '  lib.getPipelineStateForFunc("rows_of_" + typeOf(self));\n}\n}\n',
        f"{native}/mps/Rows.metal": "kernel void rows_of_float(device float* p [[buffer(0)]]) {}\n"
        "kernel void columns_of_float(device float* p [[buffer(0)]]) {}\n",
    }
    with indexed(files, tmp_path) as conn:
        found, other = (
            TOOL.run(conn, name=name, limit=5, offset=0)
            for name in ("rows_of_float", "columns_of_float")
        )
    assert [(site.kernel, site.why) for site in found.sites] == [
        ("rows_of_*", "one of the kernels that it may launch")
    ]
    assert [one.name for one in other.unlaunched] == ["columns_of_float"] and not other.sites
