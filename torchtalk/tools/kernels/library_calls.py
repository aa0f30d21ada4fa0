"""The functions of vendors' libraries that kernels end at: cuBLAS, cuDNN, MKL and others.

No source of theirs is in a tree, so that the graph ends before them. Their names are read from the tree's files, in
the bodies of what a kernel runs, where these are as the index read them; elsewhere nothing is told.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from torchtalk.affected.sources import Sources
from torchtalk.answers.base import Place
from torchtalk.answers.dispatch import Reached
from torchtalk.tools.kernels import queries
from torchtalk.tools.kernels.branches import Branches, all_of

_CALLS = 6
_MOST_FUNCTIONS = 400
_MOST_FILES = 24

# What a library's functions begin with, as its own documentation writes them.
_PREFIXES = {
    "cublasLt": "cuBLASLt", "cublas": "cuBLAS", "cudnn": "cuDNN", "cusolver": "cuSOLVER", "cusparse": "cuSPARSE",
    "cufft": "cuFFT", "nccl": "NCCL", "miopen": "MIOpen", "rocblas_": "rocBLAS", "hipblasLt": "hipBLASLt",
    "hipblas": "hipBLAS", "hipsolver": "hipSOLVER", "hipsparse": "hipSPARSE", "hipfft": "hipFFT", "magma_": "MAGMA",
    "cblas_": "BLAS", "mkl_gemm": "MKL", "mkl_sparse_": "MKL", "Dfti": "MKL", "xnn_": "XNNPACK", "nnp_": "NNPACK",
    "pytorch_qnnp_": "QNNPACK",
}  # fmt: skip
ON_GPU = frozenset(
    ("cuBLASLt", "cuBLAS", "cuDNN", "cuSOLVER", "cuSPARSE", "cuFFT", "NCCL", "MIOpen", "rocBLAS", "hipBLASLt",
     "hipBLAS", "hipSOLVER", "hipSPARSE", "hipFFT", "MAGMA")
)  # fmt: skip
"""Those of the libraries above that work on a GPU: a function that serves CPU and CUDA ends at others as well."""

_NAMESPACES = {"ideep": "oneDNN", "dnnl": "oneDNN", "fbgemm": "FBGEMM", "pocketfft": "PocketFFT"}
_FORTRAN = "BLAS and LAPACK"
# Routines of BLAS and LAPACK as Fortran exports them: a letter for the type, the routine, an underscore.
_ROUTINES = (
    "gemm|gemv|ger|dot|axpy|scal|syrk|herk|trsm|getrf|getri|getrs|gesv|gesvd|gesdd|potrf|potri|potrs|geqrf|orgqr|ungqr"
    "|ormqr|unmqr|geev|syevd|heevd|sytrf|hetrf|sytrs|hetrs|gels|gelsy|gelsd|gelss|trtrs|trsyl"
)
# Words of names that ask, describe or set up: the work is done by others.
_NO_WORK = frozenset(
    ("set", "get", "create", "destroy", "delete", "init", "finalize", "initialize", "deinitialize", "status", "error",
     "check", "malloc", "free", "estimate", "estimation", "plan", "many", "descriptor", "size", "version", "handle",
     "cast", "setup", "define", "reshape", "strerror", "supported", "comm", "group")
)  # fmt: skip
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+")
# Before a name: it is declared there, or an object of that name is made.
_DECLARED = re.compile(r"(?!return\b|else\b|case\b)\b[A-Za-z_]\w*[ \t&*>]+\Z|[>&*][ \t]*\Z")
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
            *(f"{name}::" for name in _NAMESPACES),
            *(f"{c}(?:{_ROUTINES})_" for c in "sdcz"),
        )
    )
)
_CALL = re.compile(
    rf"(?<![\w:.>])(?:(?P<prefix>{'|'.join(sorted(_PREFIXES, key=len, reverse=True))})(?P<rest>\w+)"
    rf"|(?P<space>{'|'.join(_NAMESPACES)})::(?P<name>(?:\w+::)*(?:compute|execute|c2c|c2r|r2c|[a-z]\w*[Gg]emm|fbgemm|[a-z]\w*Conv"
    # FBGEMM's kernels that are made for their arguments, and its quantization and sort.
    r"|Generate[A-Z]|(?:Deq|Q)uantize|Fused\w+To|FloatOrHalfTo|radix_sort_)\w*)"
    rf"|(?P<routine>[sdcz](?:{_ROUTINES})_))\s*(?=[(<])"
)


class LibraryCall(NamedTuple):
    """A call of a library's function: the line, counted from 1, the name as written, and whose it is."""

    line: int
    name: str
    library: str


_READ: dict[str, tuple[LibraryCall, ...]] = {}
"""By the hash of a file's content, so that a server looks through it once; two threads may do it both."""

_MOST_KEPT = 5_000


class LibraryCalls:
    """Tells what kernels call of libraries.

    Args:
        conn: an index.
        branches: of the tree's files.
    """

    def __init__(self, conn: sqlite3.Connection, branches: Branches) -> None:
        self._conn = conn
        self._branches = branches
        self._sources: Sources | None = None
        self._files: dict[str, list[LibraryCall]] = {}
        self._own: dict[str, bool] = {}

    def behind(self, functions: Sequence[int]) -> tuple[Reached, ...]:
        """The library functions that some kernels end at, the nearest first; a line for each place.

        Args:
            functions: ids of the kernels' definitions.
        """
        found: dict[tuple[str, str, int], Reached] = {}
        # Of each kernel as many as of the first: those of other keys must not end what this one is looked through for.
        looked: set[str] = set()
        for path, begin, end in self._through(functions):
            if path not in looked and len(looked) == _MOST_FILES:
                continue
            looked.add(path)
            for call in self._calls(path):
                at = call.name, path, call.line
                if not begin <= call.line <= end or at in found:
                    continue
                (way,) = self._branches.of(path, begin, (call.line,))
                found[at] = Reached(
                    "library", call.library, call.name, "", Place("", 0), Place(path, call.line),
                    condition=all_of(way),
                )  # fmt: skip
        return tuple(found.values())

    def _through(self, functions: Sequence[int]) -> Iterator[tuple[str, int, int]]:
        """Where what some functions run is written, themselves first: file, first and last line."""
        sql = queries("library_calls")
        seen = set(functions)
        rows = self._conn.execute(
            sql["functions"], {"functions": json.dumps(list(functions))}
        ).fetchall()
        for depth in range(_CALLS + 1):
            yield from ((row["path"], row["line"], row["end_line"]) for row in rows)
            if depth == _CALLS or not rows:
                return
            wanted = {"functions": json.dumps([row["id"] for row in rows])}
            following = {row["id"]: row for row in self._conn.execute(sql["called"], wanted)}
            rows = [row for n, row in following.items() if n not in seen][
                : _MOST_FUNCTIONS - len(seen)
            ]
            seen.update(row["id"] for row in rows)

    def _calls(self, path: str) -> list[LibraryCall]:
        if path not in self._files:
            self._files[path] = self._read(path)
        return self._files[path]

    def _read(self, path: str) -> list[LibraryCall]:
        row = self._conn.execute(queries("library_calls")["file"], {"path": path}).fetchone()
        self._sources = self._sources or Sources(self._conn)
        source = self._sources.read(row) if row is not None else None
        if source is None or not source.is_indexed:
            return []
        found = _READ.get(row["sha"])
        if found is None:
            found = calls_in(source.text)
            if len(_READ) < _MOST_KEPT:
                _READ[row["sha"]] = found
        # For a build without LAPACK the tree has functions of the same names, which only hand on.
        return [call for call in found if call.library == _FORTRAN or not self._is_own(call.name)]

    def _is_own(self, name: str) -> bool:
        """Whether the tree itself has a function of this name."""
        if name not in self._own:
            row = self._conn.execute(queries("library_calls")["own"], {"name": name}).fetchone()
            self._own[name] = row is not None
        return self._own[name]


def calls_in(text: str) -> tuple[LibraryCall, ...]:
    """What a text in C++ calls of libraries.

    Args:
        text: of a file.

    Returns:
        The calls in the order of their lines.
    """
    from indexer.extract.cpp.lexical import blanked

    if not _HINT.search(text):
        return ()
    text = blanked(text.encode()).decode("utf-8", "replace")
    found = []
    line, last = 1, 0
    for match in _CALL.finditer(text):
        words = _WORD.findall(match["rest"] or match["name"] or "")
        before = text[max(0, match.start() - _BEFORE) : match.start()]
        if not _NO_WORK.isdisjoint(word.lower() for word in words) or _DECLARED.search(before):
            continue
        if (match["rest"] or "")[:1] == "_" and "_" not in match["prefix"]:
            continue  # a variable of the tree's: cuDNN and its like write `cudnnRNNForward`
        if (match["rest"] or "").endswith("_"):
            continue  # a data member of the tree's that a constructor begins with: `ncclComms_(n)`
        line += text.count("\n", last, match.start())
        last = match.start()
        found.append(LibraryCall(line, match[0].rstrip(), _library(match)))
    return tuple(found)


def _library(match: re.Match[str]) -> str:
    if match["prefix"]:
        return _PREFIXES[match["prefix"]]
    return _NAMESPACES[match["space"]] if match["space"] else _FORTRAN
