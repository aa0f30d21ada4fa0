"""Operators whose CUDA kernels are generated from `ufunc_inner_loop`, and stand in no file of the tree."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

from indexer.build import build
from indexer.scan.tree import open_tree
from tests.unit.support.asking import ask
from torchtalk.db import connect

LOOPS = """\
namespace at::native {
template <class F> __global__ void elementwise_kernel(int n, F f) { f(n); }
template <class F> void gpu_kernel(TensorIteratorBase& iter, const F& f) {
  elementwise_kernel<<<1, 2>>>(iter.numel(), f);
}
}
"""


def test_a_generated_ufunc_launches_by_gpu_kernel(fixture_tree: Path, tmp_path: Path) -> None:
    """`compute_ufunc_cuda_dtype_body` of torchgen/dest/ufunc.py writes `gpu_kernel(iter, …)`."""
    tree = tmp_path / "tree"
    shutil.copytree(fixture_tree, tree)
    (tree / "aten/src/ATen/native/cuda/Loops.cuh").write_text(LOOPS)
    build(open_tree(tree), tmp_path / "x.db", workers=0)
    with closing(connect(tmp_path / "x.db")) as conn:
        launched = ask(conn, "cuda_kernels", name="aten::scale_add")
        of_stub = ask(conn, "cuda_kernels", name="scale_add_stub")
        reached = ask(conn, "impact", name="elementwise_kernel")
    assert [site.kernel for site in launched.sites] == ["at::native::elementwise_kernel"]
    assert {"aten::scale_add", "aten::scale_add_"} <= set(reached.operators)
    assert [site.kernel for site in of_stub.sites] == ["at::native::elementwise_kernel"]
