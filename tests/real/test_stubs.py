"""DispatchStubs of whole trees, held against a grep of their own."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from tests.real.conftest import Real
from tests.real.cpp_grep import occurrences

FORM = r"\b(?:ALSO_)?REGISTER_(?:\w+_)?DISPATCH(?=\s*\()"
HEADER = "aten/src/ATen/native/DispatchStub.h"
COUNTS = {
    # version: registrations, of them no kernel, stubs, callers
    "2.6.0": (933, 32, 468, 609),
    "1.13.1": (854, 78, 415, 549),
}


def test_counts(real: Real) -> None:
    one = real.conn.execute(
        "SELECT (SELECT count(*) FROM v_stubs), (SELECT count(*) FROM v_stubs WHERE kernel = 'nullptr'),"
        " (SELECT count(DISTINCT name) FROM stub_declarations), (SELECT count(*) FROM stub_callers)"
    ).fetchone()
    assert tuple(one) == COUNTS[real.version]


def test_every_registration_of_the_tree_is_accounted_for(real: Real) -> None:
    written: Counter[tuple[str, int, str]] = Counter()
    in_macros: set[str] = set()
    for path, line, form, in_define in occurrences(real.root, FORM, "_DISPATCH"):
        if path == HEADER:
            continue
        if in_define:
            in_macros.add(path)
        else:
            written[(path, line, form)] += 1
    rows = real.conn.execute(
        "SELECT f.path, r.line, r.form FROM stub_registrations AS r"
        " JOIN source_files AS f ON f.id = r.file_id WHERE r.macro IS NULL AND r.form <> 'ufunc_inner_loop'"
    )
    assert Counter(tuple(row) for row in rows) == written
    assert len(written) > 700
    expanded = real.conn.execute(
        "SELECT DISTINCT f.path FROM stub_registrations AS r"
        " JOIN source_files AS f ON f.id = r.file_id WHERE r.macro IS NOT NULL"
    )
    assert {row[0] for row in expanded} == in_macros


def test_the_generated_kernels_of_ufuncs_have_their_inner_loops(real: Real) -> None:
    rows = real.conn.execute(
        "SELECT stub, backend, kernel, kernel_file FROM v_stubs WHERE kernel LIKE '%::ufunc::%'"
    ).fetchall()
    file = "aten/src/ATen/native/ufunc/add.h"
    assert [tuple(row) for row in rows] == [
        ("at::native::add_stub", device, "at::native::ufunc::add", file)
        for device in ("CPU", "CUDA")
    ]


def test_every_stub_and_kernel_is_known(real: Real) -> None:
    assert (
        real.conn.execute(
            "SELECT count(*) FROM v_stubs WHERE stub NOT IN (SELECT name FROM stub_declarations)"
        ).fetchone()[0]
        == 0
    )
    assert (
        real.conn.execute(
            "SELECT count(*) FROM v_stubs WHERE kernel <> 'nullptr' AND kernel_line IS NULL"
        ).fetchone()[0]
        == 0
    )
    made_by_macros = 0
    for kernel, file, line in real.conn.execute(
        "SELECT DISTINCT kernel, kernel_file, kernel_line FROM v_stubs WHERE kernel <> 'nullptr'"
    ).fetchall():
        text = real.line(file, line)
        last = kernel.rsplit("::", 1)[-1]
        if last not in text:
            # A macro that makes the kernel names the operator: IMPLEMENT_…(acos) for acos_kernel.
            use = re.fullmatch(r"[A-Z0-9_]+\((\w+)[,)].*", text.strip())
            assert use and last.startswith(f"{use[1]}_"), (kernel, file, line, text)
            made_by_macros += 1
    assert made_by_macros == 35


@pytest.mark.parametrize(
    ("stub", "backend", "kernel", "kernel_place", "registered_place"),
    [
        (
            "at::native::GeluKernel", "CPU", "at::native::GeluKernelImpl",
            "aten/src/ATen/native/cpu/Activation.cpp:323", "aten/src/ATen/native/cpu/Activation.cpp:1367",
        ),
        (
            "at::native::exp_stub", "CUDA", "at::native::exp_kernel_cuda",
            "aten/src/ATen/native/cuda/UnaryOpsKernel.cu:38",
            "aten/src/ATen/native/cuda/UnaryOpsKernel.cu:279",
        ),
        (
            "at::native::exp_stub", "CPU", "at::native::exp_kernel",
            "aten/src/ATen/native/cpu/UnaryOpsKernel.cpp:880",
            "aten/src/ATen/native/cpu/UnaryOpsKernel.cpp:880",
        ),
        (
            "at::native::cpublas::gemm_stub", "CPU", "at::native::cpublas::cpublas_gemm_impl",
            None, "aten/src/ATen/native/cpu/BlasKernel.cpp:532",
        ),
        (
            "at::native::index_stub", "MPS", "at::native::mps::index_kernel_mps",
            None, "aten/src/ATen/native/mps/operations/Indexing.mm:1000",
        ),
        (
            "at::native::rnn_tanh_cudnn_stub", "CUDA", "at::native::rnn_tanh_cudnn",
            None, None,
        ),
        (
            "at::native::_segment_reduce_lengths_backward_stub", "AVX512",
            "at::native::_segment_reduce_cpu_lengths_backward_kernel",
            None, "aten/src/ATen/native/SegmentReduce.cpp:539",
        ),
    ],
)  # fmt: skip
def test_known_registrations(
    new: Real,
    stub: str,
    backend: str,
    kernel: str,
    kernel_place: str | None,
    registered_place: str | None,
) -> None:
    rows = new.conn.execute(
        "SELECT kernel, kernel_file || ':' || kernel_line, registered_file || ':' || registered_line"
        " FROM v_stubs WHERE stub = ? AND backend = ? AND kernel <> 'nullptr'",
        (stub, backend),
    ).fetchall()
    assert len(rows) == 1
    assert rows[0][0] == kernel
    assert kernel_place in (None, rows[0][1])
    assert registered_place in (None, rows[0][2])


def test_known_callers(new: Real) -> None:
    rows = new.conn.execute(
        "SELECT c.stub, c.function, c.how, c.line FROM stub_callers AS c JOIN source_files AS f ON f.id = c.file_id"
        " WHERE c.stub IN ('at::native::GeluKernel', 'at::native::acos_stub', 'at::native::argmin_stub')"
        " ORDER BY c.stub, c.line"
    ).fetchall()
    assert [tuple(row) for row in rows] == [
        ("at::native::GeluKernel", "at::native::gelu_out_cpu", "call", 407),
        ("at::native::GeluKernel", "at::native::gelu_out_cpu", "call", 410),
        ("at::native::acos_stub", "at::native::acos_out", "macro", 321),
        ("at::native::argmin_stub", "at::native::argmin_out", "argument", 1774),
    ]


def test_every_caller_is_a_function(real: Real) -> None:
    assert (
        real.conn.execute("SELECT count(*) FROM stub_callers WHERE function_id IS NULL").fetchone()[
            0
        ]
        == 0
    )
