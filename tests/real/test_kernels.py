"""Kernels, definitions and calls of real PyTorch trees."""

from __future__ import annotations

import re

import pytest

from tests.real.conftest import Real

LOCATED = """
SELECT d.dispatch_key, count(*), sum(EXISTS (SELECT 1 FROM dispatch_kernels AS k WHERE k.dispatch_id = d.id))
FROM dispatch AS d
WHERE d.kernel IS NOT NULL AND d.generated_by IS NULL AND d.origin IN ('yaml', 'delegate', 'default')
GROUP BY d.dispatch_key
"""
PRIMARY = """
SELECT f.path, u.line FROM dispatch AS d
JOIN operators AS o ON o.id = d.operator_id
JOIN dispatch_kernels AS k ON k.dispatch_id = d.id AND k.is_primary
JOIN functions AS u ON u.id = k.function_id
JOIN source_files AS f ON f.id = u.file_id
WHERE o.name = ? AND d.dispatch_key = ? AND d.origin IN ('yaml', 'delegate', 'default')
"""


NOT_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|^[ \t]*#(?:[^\n\\]|\\.)*', re.DOTALL | re.MULTILINE
)


def test_share_of_kernels_that_are_located(real: Real) -> None:
    conn = real.conn
    shares = {key: located / written for key, written, located in conn.execute(LOCATED)}
    assert {
        "CPU",
        "CUDA",
        "MPS",
        "SparseCPU",
        "SparseCsrCUDA",
        "QuantizedCPU",
        "NestedTensorCPU",
        "MkldnnCPU",
    } <= set(shares)
    assert {key: share for key, share in shares.items() if share < 0.98} == {}


def test_a_kernel_stands_where_the_database_says(real: Real) -> None:
    """Each primary location's line holds the kernel's own name, or a macro's use that is given a part of it."""
    root, conn = real.root, real.conn
    wrong = []
    rows = conn.execute(
        "SELECT DISTINCT u.name, u.macro, f.path, u.line FROM dispatch_kernels AS k"
        " JOIN functions AS u ON u.id = k.function_id JOIN source_files AS f ON f.id = u.file_id"
    ).fetchall()
    lines: dict[str, list[str]] = {}
    for name, macro, path, line in rows:
        if path not in lines:
            lines[path] = (root / path).read_text(encoding="utf-8", errors="replace").split("\n")
        expected = macro or name.rpartition("::")[2]
        if not re.search(rf"\b{re.escape(expected)}\b", lines[path][line - 1]):
            wrong.append((name, path, line))
    assert len(rows) > 2500
    assert wrong == []


@pytest.mark.parametrize(
    ("operator", "key", "path", "pattern"),
    [
        ("aten::gelu", "CPU", "aten/src/ATen/native/Activation.cpp", r"TORCH_IMPL_FUNC\(gelu_out_cpu\)"),
        ("aten::gelu", "CUDA", "aten/src/ATen/native/cuda/Activation.cpp", r"TORCH_IMPL_FUNC\(gelu_out_cuda\)"),
        ("aten::gelu", "Meta", "aten/src/ATen/native/Activation.cpp", r"TORCH_META_FUNC\(gelu\)"),
        ("aten::sin.out", "SparseCPU", "aten/src/ATen/native/sparse/SparseUnaryOps.cpp",
         r"COALESCED_UNARY_UFUNC\(sin\)"),
        ("aten::sin.out", "SparseCsrCPU", "aten/src/ATen/native/sparse/SparseCsrTensorMath.cpp",
         r"CREATE_UNARY_UFUNC\(sin\)"),
        ("aten::ne.Tensor", "QuantizedCPU", "aten/src/ATen/native/quantized/cpu/TensorOperators.cpp",
         r"AT_FORALL_OPERATORS\(DEFINE_COMPARATOR\)"),
        ("aten::acos.out", "MPS", "aten/src/ATen/native/mps/operations/UnaryOps.mm", r"\(acos_out_mps, acos\)"),
        ("aten::add.Tensor", "SparseCUDA", "aten/src/ATen/native/sparse/SparseTensorMath.cpp", r"Tensor add_sparse\("),
        ("aten::native_layer_norm", "CUDA", "aten/src/ATen/native/cuda/layer_norm_kernel.cu", r"layer_norm_cuda\("),
        ("aten::cudnn_convolution", "CUDA", "aten/src/ATen/native/cudnn/ConvShared.cpp", r"cudnn_convolution\("),
    ],
)  # fmt: skip
def test_exact_places(real: Real, operator: str, key: str, path: str, pattern: str) -> None:
    root, conn = real.root, real.conn
    ((found, line),) = conn.execute(PRIMARY, (operator, key)).fetchall()
    assert found == path
    text = (root / path).read_text(encoding="utf-8").split("\n")
    assert re.search(pattern, text[line - 1])


def test_variants_under_if_are_listed(real: Real) -> None:
    conn = real.conn
    found = conn.execute(
        "SELECT count(*) FROM functions"
        " WHERE name = 'at::native::cudnn_is_acceptable' AND signature LIKE '%TensorBase%'"
    ).fetchone()[0]
    variants = conn.execute(
        "SELECT max(n) FROM (SELECT count(*) AS n FROM dispatch_kernels AS k"
        " JOIN functions AS u ON u.id = k.function_id"
        " WHERE u.name = 'at::native::mkldnn_gelu' GROUP BY k.dispatch_id)"
    ).fetchone()[0]
    assert found >= 1
    assert variants == 2


def test_kernels_are_cuda_functions_under_their_own_names(real: Real) -> None:
    conn = real.conn
    assert conn.execute("SELECT count(*) FROM functions WHERE kind = 'kernel'").fetchone()[0] > 500
    words = (
        "__launch_bounds__",
        "if",
        "for",
        "while",
        "switch",
        "TORCH_CHECK",
        "AT_DISPATCH_ALL_TYPES",
        "__attribute__",
    )
    for word in words:
        found = conn.execute(
            "SELECT count(*) FROM functions WHERE name = ? OR name GLOB ?", (word, f"*::{word}")
        ).fetchone()[0]
        assert found == 0, word


def test_every_global_function_in_cuda_files_is_a_kernel(real: Real) -> None:
    """Counted apart from the reader: `__global__` in text without comments, raw strings and directives."""
    root, conn = real.root, real.conn
    missing = []
    total = 0
    for path, file_id in conn.execute(
        "SELECT path, id FROM source_files WHERE kind = 'cuda' ORDER BY path"
    ).fetchall():
        text = (root / path).read_text(encoding="utf-8", errors="replace")
        text = NOT_CODE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)
        expected = len(re.findall(r"\b__global__\b(?=[^;{]*\{)", text))
        if not expected:
            continue
        found = conn.execute(
            "SELECT count(*) FROM functions WHERE file_id = ? AND (kind = 'kernel' OR signature LIKE '%__global__%')",
            (file_id,),
        ).fetchone()[0]
        total += expected
        if found < expected:
            missing.append((path, expected, found))
    assert total > 400
    assert missing == []


def test_calls(real: Real) -> None:
    conn = real.conn
    kinds = dict(
        conn.execute(
            "SELECT kind, count(*) FROM v_calls WHERE origin = 'syntax' GROUP BY kind"
        ).fetchall()
    )
    assert kinds["call"] > 100_000
    assert kinds["launch"] > 300
    # Anonymous and static functions of another source file are never called.
    hidden = conn.execute(
        "SELECT count(*) FROM calls AS c JOIN functions AS caller ON caller.id = c.caller_id"
        " JOIN functions AS callee ON callee.id = c.callee_id JOIN source_files AS f ON f.id = callee.file_id"
        " WHERE callee.is_anonymous AND callee.file_id <> caller.file_id"
        " AND (f.path LIKE '%.cpp' OR f.path LIKE '%.cu') AND callee.kind = 'function'"
    ).fetchone()[0]
    assert hidden == 0
    found = conn.execute(
        "SELECT callee FROM v_calls WHERE caller = 'at::native::softmax_cpu_out' OR caller = 'at::native::gelu_out_cpu'"
    ).fetchall()
    assert found


def test_coverage_names_the_entries_without_a_place_and_no_other(real: Real) -> None:
    at_run_time, elsewhere = {"2.6.0": (0, 1), "1.13.1": (62, 120)}[real.version]
    said = [
        row[0]
        for row in real.conn.execute(
            "SELECT detail FROM v_coverage WHERE layer = 'kernels' AND status = 'partial'"
        )
    ]
    assert sum("made at run time" in detail for detail in said) == at_run_time
    assert sum("no definition in the tree" in detail for detail in said) == elsewhere
    without = real.conn.execute(
        "SELECT count(*) FROM v_dispatch WHERE kernel_line IS NULL AND origin = 'python'"
        " AND kernel IS NOT 'torch.library.fallthrough_kernel'"
    ).fetchone()[0]
    assert len(said) == without == at_run_time + elsewhere
