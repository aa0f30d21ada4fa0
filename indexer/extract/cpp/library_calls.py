"""Calls of vendors' libraries: cuBLAS, cuDNN, MKL and others, of which no tree has the source.

They are known by their names, as the libraries' own documentation writes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from indexer.extract.cpp.unit import CppUnit
from indexer.facts.library_calls import FORTRAN, LibraryCall

# What a library's functions begin with, as its own documentation writes them.
_PREFIXES = {
    "cublasLt": "cuBLASLt", "cublas": "cuBLAS", "cudnn": "cuDNN", "cusolver": "cuSOLVER", "cusparse": "cuSPARSE",
    "cufft": "cuFFT", "nccl": "NCCL", "miopen": "MIOpen", "rocblas_": "rocBLAS", "hipblasLt": "hipBLASLt",
    "hipblas": "hipBLAS", "hipsolver": "hipSOLVER", "hipsparse": "hipSPARSE", "hipfft": "hipFFT", "magma_": "MAGMA",
    "cblas_": "BLAS", "mkl_gemm": "MKL", "mkl_sparse_": "MKL", "Dfti": "MKL", "xnn_": "XNNPACK", "nnp_": "NNPACK",
    "pytorch_qnnp_": "QNNPACK", "cudss": "cuDSS", "cusparseLt": "cuSPARSELt", "hipsparseLt": "hipSPARSELt",
    "ucc_collective_": "UCC",
}  # fmt: skip
_NAMESPACES = {"ideep": "oneDNN", "dnnl": "oneDNN", "fbgemm": "FBGEMM", "pocketfft": "PocketFFT"}
# Routines of BLAS and LAPACK as Fortran exports them: a letter for the type, the routine, an underscore.
_ROUTINES = (
    "gemm|gemv|ger|dot|axpy|scal|syrk|herk|trsm|getrf|getri|getrs|gesv|gesvd|gesdd|potrf|potri|potrs|geqrf|orgqr|ungqr"
    "|ormqr|unmqr|geev|syevd|heevd|sytrf|hetrf|sytrs|hetrs|gels|gelsy|gelsd|gelss|trtrs|trsyl"
)
# oneDNN's primitives, objects of which do the work where they are executed (dnnl.hpp): `dnnl::matmul(primitive_desc)`.
_PRIMITIVES = (
    "batch_normalization|binary|concat|convolution|deconvolution|eltwise|group_normalization|inner_product"
    "|layer_normalization|lrn|matmul|pooling|prelu|reduction|reorder|resampling|shuffle|softmax|sum"
    "|(?:vanilla_rnn|lstm|(?:lbr_)?(?:au)?gru)"
)
_COLLECTIVES = (
    "allgatherv?|allreduce|alltoallv?|barrier|broadcast|gatherv?|reduce|reduce_scatter|scatter"
)
# Words of names that ask, describe or set up: the work is done by others.
_NO_WORK = frozenset(
    b"set get create destroy delete init finalize initialize deinitialize status error check malloc free estimate"
    b" estimation plan many descriptor size version handle cast setup define reshape strerror supported comm"
    b" group sync info".split()
)
_WORD = re.compile(rb"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+")
# Before a name: it is declared there, or an object of that name is made.
_DECLARED = re.compile(rb"(?!return\b|else\b|case\b)\b[A-Za-z_]\w*[ \t&*>]+\Z|[>&*][ \t]*\Z")
_BEFORE = 60  # characters that are looked at for it


def _one_of(names: Iterable[str]) -> str:
    """An expression for any of some names: by their first letters, of which one look rules out most of a text."""
    by_first: dict[str, list[str]] = {}
    for name in names:
        by_first.setdefault(name[0], []).append(name[1:])
    return "|".join(f"{first}(?:{'|'.join(rest)})" for first, rest in by_first.items())


# Texts of which every name above has one.
_HINT = re.compile(
    _one_of(
        (
            *_PREFIXES,
            *(f"{name}::" for name in (*_NAMESPACES, "gloo")),
            *(f"{c}(?:{_ROUTINES})_" for c in "sdcz"),
        )
    ).encode()
)
_CALL = re.compile(
    (
        rf"(?<![\w:.>])(?:(?P<prefix>{'|'.join(sorted(_PREFIXES, key=len, reverse=True))})(?P<rest>\w+)"
        rf"|(?P<space>{'|'.join(_NAMESPACES)})::(?P<name>(?:\w+::)*"
        r"(?:compute|execute|c2c|c2r|r2c|[a-z]\w*[Gg]emm|fbgemm|[a-z]\w*Conv"
        # FBGEMM's kernels that are made for their arguments, and its quantization and sort.
        r"|Generate[A-Z]|(?:Deq|Q)uantize|Fused\w+To|FloatOrHalfTo|radix_sort_|gemm_)\w*)"
        rf"|(?P<gloo>gloo::(?:{_COLLECTIVES}))"
        rf"|(?P<onednn>dnnl::(?:{_PRIMITIVES})(?:_forward\w*|_backward\w*)?)"
        rf"|(?P<routine>[sdcz](?:{_ROUTINES})_))\s*(?=[(<])"
    ).encode()
)


# What is called by a name that says nothing without its header's: cuDNN's graphs (cudnn_frontend), and AOTriton's
# attention, whose namespace has its version in it.
_WITHIN = (
    (b"cudnn_frontend", re.compile(rb"\b\w+(?:->|\.)execute(?=\(\s*\w*handle)"), "cuDNN"),
    (b"aotriton", re.compile(rb"(?<![\w:.>])attn_(?:fwd|bwd)\w*(?=\s*\()"), "AOTriton"),
)


def library_calls(unit: CppUnit) -> Iterator[LibraryCall]:
    """What a file calls of libraries.

    Args:
        unit: the file.

    Returns:
        The calls in the order of their lines.
    """
    found = [*_by_name(unit), *_by_header(unit)]
    yield from sorted(found, key=lambda call: call.line)


def _by_header(unit: CppUnit) -> Iterator[LibraryCall]:
    for header, called, library in _WITHIN:
        if header not in unit.data:
            continue
        for match in called.finditer(unit.text):
            before = unit.text[max(0, match.start() - _BEFORE) : match.start()]
            if not _DECLARED.search(before):
                yield LibraryCall(unit.line(match.start()), match[0].decode(), library)


def _by_name(unit: CppUnit) -> Iterator[LibraryCall]:
    if not _HINT.search(unit.data):
        return
    text = unit.text
    for match in _CALL.finditer(text):
        words = _WORD.findall(match["rest"] or match["name"] or b"")
        before = text[max(0, match.start() - _BEFORE) : match.start()]
        if not _NO_WORK.isdisjoint(
            word.lower().rstrip(b"0123456789") for word in words
        ) or _DECLARED.search(before):
            continue
        if (match["rest"] or b"")[:1] == b"_" and b"_" not in match["prefix"]:
            continue  # a variable of the tree's: cuDNN and its like write `cudnnRNNForward`
        if (match["rest"] or b"").endswith(b"_"):
            continue  # a data member of the tree's that a constructor begins with: `ncclComms_(n)`
        yield LibraryCall(unit.line(match.start()), match[0].rstrip().decode(), _library(match))


def _library(match: re.Match[bytes]) -> str:
    if match["onednn"]:
        return _NAMESPACES["dnnl"]
    if match["gloo"]:
        return "Gloo"
    if match["prefix"]:
        return _PREFIXES[match["prefix"].decode()]
    return _NAMESPACES[match["space"].decode()] if match["space"] else FORTRAN
