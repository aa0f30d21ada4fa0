"""Single facts of registrations in whole trees; test_dispatcher.py compares all of them with the dispatcher."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest

from tests.real.conftest import Real, real_tree

DATA = Path(__file__).parent.parent / "data"


@pytest.fixture(scope="module")
def tree(real_folder: Path) -> Real:
    return real_tree("2.6.0", real_folder)


@pytest.mark.parametrize(
    ("version", "counts"),
    [
        ("2.6.0", {"impl": 1423, "macro": 1643, "python": 2147}),
        ("1.13.1", {"impl": 1245, "macro": 1263, "python": 691}),
    ],
)
def test_origins(real_folder: Path, version: str, counts: dict[str, int]) -> None:
    rows = real_tree(version, real_folder).conn.execute(
        "SELECT d.origin FROM dispatch AS d JOIN dispatch_registrations AS l ON l.dispatch_id = d.id"
    )
    assert Counter(origin for (origin,) in rows) == counts


def test_every_shortfall_says_why(tree: Real) -> None:
    rows = tree.conn.execute(
        "SELECT file, detail FROM coverage WHERE layer = 'registrations' AND status <> 'ok'"
    ).fetchall()
    # hardshrink_ was never made an operator; the others' are defined by a test's library.
    assert Counter(file for file, _ in rows) == {
        "aten/src/ATen/native/vulkan/ops/Clamp.cpp": 1,
        "torch/testing/_internal/torchbind_impls.py": 7,
    }
    assert all("which nothing defines" in detail for _, detail in rows)


@pytest.mark.parametrize(
    ("operator", "key", "kernel", "file", "line"),
    [
        ("aten::mm", "AutocastCUDA", "at::autocast::WrapFunction_::call", "autocast_mode.cpp", 174),
        ("aten::bmm", "Named", "c10::fallthrough_kernel", "NamedRegistrations.cpp", None),
        ("aten::bmm", "FuncTorchBatched", "at::functorch::bmm_batch_rule", "BatchRulesLinearAlgebra.cpp", 747),
        ("aten::view", "Conjugate", "c10::fallthrough_kernel", "ConjugateFallback.cpp", None),
        ("c10d::barrier", "PrivateUse1", "c10d::ops::barrierPrivateUse1", "Ops.cpp", None),
        ("quantized::conv2d.new", "QuantizedCPU", "at::native::QConvInt8::run", "qconv.cpp", None),
        ("prims::sin", "Meta", "torch._prims._prim_elementwise_meta", "__init__.py", None),
        ("aten::gelu", "Meta", "torch._refs.nn.functional.gelu", "__init__.py", None),
    ],
)  # fmt: skip
def test_examples(
    tree: Real, operator: str, key: str, kernel: str, file: str, line: int | None
) -> None:
    rows = tree.conn.execute(
        "SELECT kernel, registered_file, registered_line FROM v_dispatch"
        " WHERE operator = ? AND key = ? AND origin IN ('impl', 'macro', 'python')",
        (operator, key),
    ).fetchall()
    assert [(k, f.rsplit("/", 1)[-1]) for k, f, _ in rows] == [(kernel, file)]
    assert line is None or rows[0][2] == line


def test_an_older_tree(real_folder: Path) -> None:
    old = real_tree("1.13.1", real_folder)
    activated = old.conn.execute(
        "SELECT count(*) FROM dispatch_registrations AS l JOIN registrations AS r ON r.id = l.registration_id"
        " WHERE r.via LIKE 'table:%'"
    ).fetchone()[0]
    assert activated == 70
    assert old.conn.execute("SELECT count(*) FROM fallbacks").fetchone()[0] == 31


@pytest.mark.parametrize(
    ("operator", "policy"),
    [
        ("aten::addmm", "lower_precision_fp"),
        ("aten::exp", "fp32"),
        ("aten::norm.Scalar", "fp32_append_dtype"),
    ],
)
def test_autocast_ends_at_its_policys_wrapper(tree: Real, operator: str, policy: str) -> None:
    rows = tree.conn.execute(
        "SELECT s.path, u.line FROM dispatch AS d JOIN operators AS o ON o.id = d.operator_id"
        " JOIN dispatch_kernels AS k ON k.dispatch_id = d.id JOIN functions AS u ON u.id = k.function_id"
        " JOIN source_files AS s ON s.id = u.file_id WHERE o.name = ? AND d.dispatch_key = 'AutocastCUDA'",
        (operator,),
    ).fetchall()
    assert len(rows) == 1
    before = [tree.line(rows[0][0], line).strip() for line in range(rows[0][1] - 8, rows[0][1])]
    assert f"CastPolicy::{policy}," in before


def test_python_kernels_stand_where_their_def_does(tree: Real) -> None:
    """Every one that is given a function; a name that another takes over is that of what it wraps."""
    rows = tree.conn.execute(
        "SELECT DISTINCT kernel, kernel_file, kernel_line FROM v_dispatch"
        " WHERE origin = 'python' AND kernel IS NOT NULL"
    ).fetchall()
    assert len(rows) > 800
    nowhere = {row["kernel"] for row in rows if row["kernel_file"] is None}
    assert nowhere == {"torch.ops.aten._version.default"}  # an operator as a kernel
    elsewhere = [
        (row["kernel"], text)
        for row in rows
        if row["kernel_file"]
        and f"def {row['kernel'].rpartition('.')[2]}"
        not in (text := tree.line(row["kernel_file"], row["kernel_line"]))
    ]
    assert [
        (kernel, text)
        for kernel, text in elsewhere
        if "def _fn(" not in text and f"def {kernel.rpartition('.')[2].rstrip('_')}(" not in text
    ] == []
    assert len(elsewhere) < 120


def test_higher_order_operators(tree: Real) -> None:
    """Each one's class, and each kernel of its tables (tests/data/read_higher_order.py), and nothing besides."""
    with gzip.open(DATA / "higher-order-2.6.0.tsv.gz", "rt", encoding="utf-8") as lines:
        truth = [tuple(line.rstrip("\n").split("\t")) for line in lines if line[0] != "#"]
    classes = tree.conn.execute(
        "SELECT base, 'class', file, CAST(line AS TEXT) FROM v_operators WHERE namespace = 'higher_order'"
    ).fetchall()
    kernels = tree.conn.execute(
        "SELECT o.base, d.dispatch_key, f.path, CAST(r.kernel_line AS TEXT), r.kernel_form FROM dispatch AS d"
        " JOIN operators AS o ON o.id = d.operator_id JOIN dispatch_registrations AS l ON l.dispatch_id = d.id"
        " JOIN registrations AS r ON r.id = l.registration_id JOIN source_files AS f ON f.id = r.kernel_file_id"
        " WHERE o.namespace = 'higher_order' AND r.kernel_form <> 'fallthrough'"
    ).fetchall()
    assert len(truth) == 197
    known = {tuple(row[:4]) for row in [*classes, *kernels] if "unknown" not in tuple(row)}
    made = {tuple(row[:4]) for row in kernels if row["kernel_form"] == "unknown"}
    # autograd_not_implemented returns the function on its second line.
    returned = {(name, key, file, str(int(line) + 1)) for name, key, file, line in made}
    assert {row[1:3] for row in made} == {("Autograd", "torch/_higher_order_ops/utils.py")}
    assert known | returned == set(truth)
