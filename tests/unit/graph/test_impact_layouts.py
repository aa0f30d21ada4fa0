"""What `impact` says of dependents that kernels of few tensors make dependents."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.graph_tree import YAML
from tests.unit.support.small_tree import indexed
from torchtalk.graph.layouts import is_few

FILES = {
    YAML: """\
- func: warp(Tensor self) -> Tensor
  dispatch:
    CPU, CUDA: warp_dense
    SparseCPU, SparseCsrCUDA: warp_sparse
- func: weft(Tensor self) -> Tensor
  dispatch:
    CPU: weft_dense
- func: loom(Tensor self) -> Tensor
""",
    "aten/src/ATen/native/Warp.cpp": """\
namespace at::native {
int flat_indices(int n) { return n; }
int only_sparse(int n) { return flat_indices(n); }
Tensor warp_dense(const Tensor& self) { return self; }
Tensor warp_sparse(const Tensor& self) { only_sparse(1); return self; }
Tensor weft_dense(const Tensor& self) { flat_indices(2); return self; }
Tensor loom(const Tensor& self) { return at::warp(self); }
}
""",
}


@pytest.mark.parametrize(
    ("key", "few"),
    [
        ("CPU", False),
        ("CUDA", False),
        ("HIP", False),
        ("Meta", False),
        ("AutogradCPU", False),
        ("CompositeImplicitAutograd", False),
        ("FuncTorchBatched", False),
        ("Conjugate", False),
        ("SparseCPU", True),
        ("SparseCsrMeta", True),
        ("QuantizedCUDA", True),
        ("MkldnnCPU", True),
        ("NestedTensorCPU", True),
        ("BatchedNestedTensor", True),
        ("CompositeImplicitAutogradNestedTensor", True),
        ("Vulkan", True),
        ("MPS", True),
        ("AutocastXPU", True),
        ("PrivateUse1", True),
    ],
)
def test_keys_of_few_tensors(key: str, few: bool) -> None:
    assert is_few(key) == few


def test_what_dense_tensors_run_is_told_apart(tmp_path: Path) -> None:
    with indexed(FILES, tmp_path) as conn:
        some = ask(conn, "impact", name="at::native::flat_indices")
        none = ask(conn, "impact", name="at::native::only_sparse")
        dense = ask(conn, "impact", name="at::native::weft_dense")
    assert "reaches 3 operators" in some.finding
    assert "; without kernels of SparseCPU, SparseCsrCUDA 1 operator" in some.finding
    assert some.operators == ("aten::weft", "aten::warp", "aten::loom")
    assert none.finding.endswith(", all of it through kernels of SparseCPU, SparseCsrCUDA")
    assert none.operators == ("aten::warp", "aten::loom")
    assert "Sparse" not in dense.finding
