"""Calls of vendors' libraries: cuBLAS, cuDNN, MKL and others, of which no tree has the source.

They are known by their names, as the libraries' own documentation writes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from indexer.extract.cpp.expansion import expanded_uses
from indexer.extract.cpp.graph_messages import graph_messages
from indexer.extract.cpp.lexical import blanked
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
# MKL's functions of vectors (mkl_vml_functions.h), in its own spelling: `vsLn`, with a mode `vmdLn`.
_OF_VECTORS = (
    "Abs|Acosh?|Acospi|Add|Arg|Asinh?|Asinpi|Atan2?|Atan2pi|Atanh|Atanpi|CIS|Cbrt|CdfNorm|CdfNormInv|Ceil|Conj|CopySign"
    "|Cosd?|Cosh|Cospi|Div|Erfc?|ErfInv|ErfcInv|Erfcx|Exp|Exp10|Exp2|ExpInt1|Expm1|Fdim|Floor|Fmax|Fmin|Fmod|Frac|Hypot"
    "|Inv|InvCbrt|InvSqrt|LGamma|LinearFrac|Ln|Log10|Log1p|Log2|Logb|MaxMag|MinMag|Modf|Mul|MulByConj|NearbyInt|NextAfter"
    "|Pow|Pow2o3|Pow3o2|Powr|Powx|Remainder|Rint|Round|Sin|SinCos|Sind|Sinh|Sinpi|Sqr|Sqrt|Sub|TGamma|Tan|Tand|Tanh|Tanpi"
    "|Trunc"
)
# The same, its random numbers (mkl_vsl_functions.h) and what copies matrices otherwise laid out (mkl_trans.h).
_OF_MKL = (
    rf"vm?[sdcz](?:{_OF_VECTORS})I?",
    r"v[sdi]Rng[A-Z]\w*",
    r"mkl_[sdcz][io]mat(?:copy|add)\w*",
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
    """An expression for what begins with any of some names: by their first letters, which rule out most of a text.

    What is before a name is looked at behind its first letter, for the same reason.
    """
    by_first: dict[str, list[str]] = {}
    for name in names:
        by_first.setdefault(name[0], []).append(name[1:])
    return "|".join(
        rf"{first}(?<!\w{first})(?:{'|'.join(rest)})" for first, rest in by_first.items()
    )


# Where a name above may begin.
_HINT = re.compile(
    _one_of(
        (
            *_PREFIXES,
            *(f"{name}::" for name in (*_NAMESPACES, "gloo")),
            *(f"{c}(?:{_ROUTINES})_" for c in "sdcz"),
            *_OF_MKL,
        )
    ).encode()
)
_CALL = re.compile(
    (
        rf"(?<![\w:.>])(?:(?P<prefix>{'|'.join(sorted(_PREFIXES, key=len, reverse=True))})(?P<rest>\w+)"
        rf"|(?P<space>{'|'.join(_NAMESPACES)})::(?P<name>(?:\w+::)*"
        r"(?:compute|execute|c2c|c2r|r2c|[a-z]\w*[Gg]emm|fbgemm|[a-z]\w*Conv"
        # FBGEMM's kernels that are made for their arguments, its quantization and sort, and what else it does to arrays
        # (FbgemmConvert.h, QuantUtils.h, Utils.h).
        r"|Generate[A-Z]|(?:Deq|Q)uantize|Fused\w+To|FloatOrHalfTo|radix_sort_|gemm_"
        r"|(?:transpose|(?:Bf|F)loat(?:16)?To(?:Bf|F)loat(?:16)?|RoundToFloat16)_|FindMinMax)\w*)"
        rf"|(?P<gloo>gloo::(?:{_COLLECTIVES}))"
        rf"|(?P<onednn>dnnl::(?:{_PRIMITIVES})(?:_forward\w*|_backward\w*)?)"
        rf"|(?P<mkl>{'|'.join(_OF_MKL)})"
        rf"|(?P<routine>[sdcz](?:{_ROUTINES})_))\s*(?=[(<])"
    ).encode()
)


# The beginning of such a name, to which a macro pastes the rest: `vm##mkltype##mklop` (aten/src/ATen/cpu/vml.h).
_PASTED = re.compile(rf"\b(?:vm?|{'|'.join(_PREFIXES)})\w*\s*##".encode())
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
        The calls in the order of their lines; of a macro that pastes their names together, in the lines of its uses.
    """
    found = [*_by_name(unit), *_by_header(unit), *_pasted(unit), *graph_messages(unit)]
    yield from sorted(found, key=lambda call: call.line)


def _by_header(unit: CppUnit) -> Iterator[LibraryCall]:
    for header, called, library in _WITHIN:
        if header not in unit.data:
            continue
        for match in called.finditer(unit.text):
            before = unit.text[max(0, match.start() - _BEFORE) : match.start()]
            if not _DECLARED.search(before):
                yield LibraryCall(unit.line(match.start()), match[0].decode(), library)


def _pasted(unit: CppUnit) -> Iterator[LibraryCall]:
    """What uses of the file's own macros call by names that stand nowhere in it."""
    if b"##" not in unit.data or not _PASTED.search(unit.text):
        return
    for use in expanded_uses(unit.path, unit.data, _PASTED):
        line = unit.line(use.offset)
        for name, library in dict.fromkeys(
            (match[0].rstrip().decode(), _library(match)) for match in _called(blanked(use.text))
        ):
            if name.encode() not in unit.text:
                yield LibraryCall(line, name, library)


def _by_name(unit: CppUnit) -> Iterator[LibraryCall]:
    for match in _called(unit.text):
        yield LibraryCall(unit.line(match.start()), match[0].rstrip().decode(), _library(match))


def _called(text: bytes) -> Iterator[re.Match[bytes]]:
    """The names in a text, comments and literals blanked, that are called for what they do."""
    for hint in _HINT.finditer(text):
        match = _CALL.match(text, hint.start())
        if match is None:
            continue
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
        yield match


def _library(match: re.Match[bytes]) -> str:
    if match["onednn"]:
        return _NAMESPACES["dnnl"]
    if match["gloo"]:
        return "Gloo"
    if match["mkl"]:
        return "MKL"
    if match["prefix"]:
        return _PREFIXES[match["prefix"].decode()]
    return _NAMESPACES[match["space"].decode()] if match["space"] else FORTRAN
