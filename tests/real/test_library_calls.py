"""Calls of vendors' libraries in whole trees, held against a grep of their own."""

from __future__ import annotations

import re

import pytest

from tests.real.conftest import Real
from tests.real.cpp_grep import occurrences

# version: calls, of them in the view (names that the tree has functions of are not), functions that end at one
COUNTS = {"2.6.0": (1733, 1588, 1860), "1.13.1": (1854, 1705, 1994)}


def test_they_are_counted(real: Real) -> None:
    counts = tuple(
        real.conn.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        for table in ("library_calls", "v_library_calls", "library_functions")
    )
    assert counts == COUNTS[real.version]


def test_each_stands_where_it_is_said_to(real: Real) -> None:
    """What a macro pastes together where it is used, `vm##mkltype##mklop` of vml.h, stands nowhere else in the file."""
    rows = real.conn.execute(
        "SELECT file, line, name FROM v_library_calls WHERE library <> 'MPSGraph'"
    ).fetchall()
    elsewhere = [tuple(row) for row in rows if row[2] not in real.line(row[0], row[1])]
    assert len(elsewhere) < 50
    assert not [
        row
        for row in elsewhere
        if re.search(rf"(?m)^[^/\n]*\b{row[2]}\b", (real.root / row[0]).read_text())
    ]


def test_each_operation_of_mpsgraph_stands_where_it_is_said_to(real: Real) -> None:
    """A macro's use names the first part, of which it makes a selector: `sin` of `sinWithTensor`."""
    rows = real.conn.execute(
        "SELECT file, line, name FROM v_library_calls WHERE library = 'MPSGraph'"
    ).fetchall()
    pasted = [tuple(row) for row in rows if row[2] not in real.line(row[0], row[1])]
    assert len(pasted) < 60
    assert not [
        row for row in pasted if re.sub(r"With\w+$", "", row[2]) not in real.line(row[0], row[1])
    ]


def test_what_a_grep_finds_of_mpsgraph_is_there(real: Real) -> None:
    """Besides what makes a graph's inputs, and what has a graph done."""
    known = {tuple(row) for row in real.conn.execute("SELECT file, line FROM v_library_calls")}
    found = [
        (path, line)
        for path, line, _, in_define in occurrences(
            real.root,
            r"\[\s*(?:mpsGraph|graph)\s+((?!constant|placeholder|cast|identity|variable|encodeTo|runAsync)\w+)\s*:",
            "MPSGraph",
        )
        if not in_define
    ]
    assert len(found) == {"2.6.0": 779, "1.13.1": 484}[real.version]
    assert not set(found) - known


@pytest.mark.parametrize(
    ("name", "sign"),
    [("cublas[SDCZ]gemm", "cublasSgemm"), ("cufftXtExec", "cufftXtExec"), ("cudnnRNN(?:For|Back)ward\\w*", "cudnnRNN")],
)  # fmt: skip
def test_what_a_grep_finds_is_there(real: Real, name: str, sign: str) -> None:
    """Besides declarations, which have a type before the name."""
    found = occurrences(real.root, rf"(?<![\w:.>])({name})\(", sign)
    known = {tuple(row) for row in real.conn.execute("SELECT file, line FROM v_library_calls")}
    missing = [
        (path, line)
        for path, line, _, in_define in found
        if not in_define and (path, line) not in known
    ]
    assert not [place for place in missing if not re.match(r"\s*\w+Status_t ", real.line(*place))]


def test_whose_they_are(new: Real) -> None:
    rows = new.conn.execute(
        "SELECT name, function, file, line FROM v_library_calls WHERE name IN ('cublasSgeqrfBatched', 'cufftXtExec', 'ncclAllReduce')"
        " ORDER BY file, line"
    ).fetchall()
    assert [tuple(row) for row in rows] == [
        ("cublasSgeqrfBatched", "at::cuda::blas::geqrfBatched", "aten/src/ATen/cuda/CUDABlas.cpp", 2082),
        ("cufftXtExec", "at::native::exec_cufft_plan", "aten/src/ATen/native/cuda/SpectralOps.cpp", 41),
        ("ncclAllReduce", "torch::cuda::nccl::all_reduce", "torch/csrc/cuda/nccl.cpp", 725),
        ("ncclAllReduce", "c10d::ProcessGroupNCCL::allreduce_impl", "torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp", 3819),
        ("ncclAllReduce", "c10d::ProcessGroupNCCL::allreduce_coalesced", "torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp", 3921),
    ]  # fmt: skip
