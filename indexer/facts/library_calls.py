"""Facts about calls of vendors' libraries."""

from __future__ import annotations

from typing import NamedTuple

FORTRAN = "BLAS and LAPACK"
"""Whose routines are called as Fortran exports them: `dgemm_`."""

GRAPH = "MPSGraph"
"""Apple's graphs of operations (MetalPerformanceShadersGraph)."""

SHADERS = "Metal Performance Shaders"
"""Apple's kernels that are objects of classes: `MPSMatrixDecompositionLU`."""

ON_METAL = frozenset((GRAPH, SHADERS))
"""Those that work on Apple's GPUs."""

ON_GPU = frozenset(
    ("cuBLASLt", "cuBLAS", "cuDNN", "cuSOLVER", "cuSPARSE", "cuFFT", "NCCL", "MIOpen", "rocBLAS", "hipBLASLt",
     "hipBLAS", "hipSOLVER", "hipSPARSE", "hipFFT", "MAGMA", "cuDSS", "cuSPARSELt", "hipSPARSELt", "AOTriton")
)  # fmt: skip
"""Those that work on a GPU of NVIDIA's or AMD's: a function that serves CPU and CUDA ends at others as well."""

ON_CPU = frozenset(("FBGEMM", "MKL", "NNPACK", "PocketFFT", "QNNPACK", "XNNPACK"))
"""Those that work on a CPU alone. BLAS and LAPACK do so, too, and may be called for what a GPU hands back."""


class LibraryCall(NamedTuple):
    """A call of a library's function.

    Args:
        line: 1-based.
        name: as written: `cublasSgemm`, `dnnl::matmul::execute`, `graph->execute`.
        library: whose it is: `cuBLAS`.
    """

    line: int
    name: str
    library: str
