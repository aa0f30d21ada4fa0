"""Launches through what the tree wraps a library in: one name, and the place where the wrapper stands."""

from __future__ import annotations

from pathlib import Path

from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed

_WRAPPER = """namespace at::cuda::cub {
template <typename T> void unique(T* in, T* out, int n) {
  ::cub::DeviceSelect::Unique(in, out, n);
  ::cuda::cub::unique(in);
}
template <typename T> void unique_twice(T* in) { cub::unique(in, in, 2); }
}
"""
_USES = """namespace at::native {
void by_less(int* x) { cuda::cub::unique(x, x, 1); }
void in_full(int* x) { at::cuda::cub::unique(x, x, 1); }
namespace internal {
void deeper(int* x) { cuda::cub::unique(x, x, 1); }
}
}
namespace elsewhere {
void of_nobody(int* x) { cuda::cub::unique(x, x, 1); }
}
"""
_YAML = "aten/src/ATen/native/native_functions.yaml"
_WRAPPED = "aten/src/ATen/cuda/cub.cuh"
_USED = "aten/src/ATen/native/cuda/Unique.cu"


def test_a_wrapper_is_found_from_the_scopes_around_its_use(tmp_path: Path) -> None:
    """aten/src/ATen/native/cuda/UniqueCub.cu writes `cuda::cub::unique` in at::native."""
    files = {_YAML: "- func: relu(Tensor self) -> Tensor\n", _WRAPPED: _WRAPPER, _USED: _USES}
    with indexed(files, tmp_path) as conn:
        rows = conn.execute(
            "SELECT launcher, kernel, kernel_file, kernel_line FROM v_launches ORDER BY file, line"
        ).fetchall()
        farther = ask(conn, "cuda_kernels", name="at::cuda::cub::unique_twice")
    found = "at::cuda::cub::unique", _WRAPPED, 2
    assert [tuple(row) for row in rows] == [
        ("at::cuda::cub::unique", "::cub::DeviceSelect::Unique", None, None),
        ("at::cuda::cub::unique", "::cuda::cub::unique", None, None),  # at file scope is none
        ("at::cuda::cub::unique_twice", *found),
        ("at::native::by_less", *found),
        ("at::native::in_full", *found),
        ("at::native::internal::deeper", *found),
        ("elsewhere::of_nobody", "cuda::cub::unique", None, None),
    ]
    # A wrapper is no helper that launches for everybody: what it launches is shown.
    assert "::cub::DeviceSelect::Unique" in {site.kernel for site in farther.sites}
