"""Registrations of whole trees against the dispatcher of the torch that was built from them.

`tests/data/dispatch-2.6.0.tsv.gz` was read off torch 2.6.0 with CUDA by `tests/data/read_dispatch_dump.py`.
"""

from __future__ import annotations

import gzip
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.real.conftest import Real, real_tree

DATA = Path(__file__).parent.parent / "data"
# What the wheel for Linux with CUDA does not have compiled in: other devices' folders, programs of their own.
ELSEWHERE = re.compile(
    r"/(?:vulkan|metal|mps|xpu|miopen|templates|lazy)/|^benchmarks/|register_prim_ops_fulljit"
)


class Truth(NamedTuple):
    kind: str
    operator: str
    key: str
    state: str
    file: str
    line: str
    flags: str
    schema: str


class Row(NamedTuple):
    kind: str
    operator: str
    key: str
    file: str
    block: int
    line: int
    origin: str
    via: str
    form: str
    condition: str | None
    own_file: str


@pytest.fixture(scope="module")
def tree(real_folder: Path) -> Real:
    return real_tree("2.6.0", real_folder)


@pytest.fixture(scope="module")
def truth() -> list[Truth]:
    with gzip.open(DATA / "dispatch-2.6.0.tsv.gz", "rt", encoding="utf-8") as lines:
        return [Truth(*line.rstrip("\n").split("\t")) for line in lines if line[0] != "#"]


@pytest.fixture(scope="module")
def rows(tree: Real) -> list[Row]:
    """Every row of dispatch that a statement made, with its block."""
    return [
        Row("impl", *row)
        for row in tree.conn.execute(
            "SELECT o.name, d.dispatch_key, f.path, r.block_line, r.line, d.origin, r.via, r.kernel_form, r.condition,"
            " own.path"
            " FROM dispatch AS d JOIN dispatch_registrations AS l ON l.dispatch_id = d.id"
            " JOIN registrations AS r ON r.id = l.registration_id JOIN operators AS o ON o.id = d.operator_id"
            " JOIN source_files AS f ON f.id = r.block_file_id"
            " JOIN source_files AS own ON own.id = r.file_id ORDER BY d.id"
        )
    ]


def _compiled(truth: list[Truth]) -> Iterator[Truth]:
    return (t for t in truth if t.kind == "impl" and t.file.endswith((".cpp", ".cu")))


def test_every_kernel_that_cpp_registers(truth: list[Truth], rows: list[Row]) -> None:
    ours = {(r.operator, r.key, r.file, str(r.block)) for r in rows}
    wanted = [(t.operator, t.key, t.file, t.line) for t in _compiled(truth)]
    assert len(wanted) == 2858
    assert [w for w in wanted if w not in ours] == []
    # Three more come from RegisterOperators, which does not say where it stands.
    nameless = [t for t in truth if t.kind == "impl" and not t.file]
    found = {(r.operator, r.key) for r in rows}
    assert [t.operator for t in nameless if (t.operator, t.key) not in found] == []


def test_nothing_more_in_compiled_files(truth: list[Truth], rows: list[Row]) -> None:
    known = {(t.operator, t.key, t.file, t.line) for t in _compiled(truth)}
    files = {t.file for t in truth}
    cpp = [r for r in rows if r.origin != "python"]
    extra = [
        r for r in cpp if r.file in files and (r.operator, r.key, r.file, str(r.block)) not in known
    ]
    assert extra == []
    assert {r.file for r in cpp if r.file not in files and not ELSEWHERE.search(r.file)} == set()


def test_fallthrough_kernels(truth: list[Truth], rows: list[Row]) -> None:
    wanted = {(t.operator, t.key) for t in _compiled(truth) if t.flags == "fallthrough"}
    ours = {
        (r.operator, r.key)
        for r in rows
        if r.form == "fallthrough" and r.origin != "python" and not ELSEWHERE.search(r.file)
    }
    assert ours == wanted


def test_lines_are_those_of_the_statements(tree: Real, rows: list[Row]) -> None:
    for row in rows:
        if row.origin == "impl" and row.via.startswith("TORCH_LIBRARY") and row.line % 17 == 0:
            text = tree.line(row.file, row.line)
            assert re.search(r"\b\w+\s*\.\s*(?:impl|def)\b|\w+\($", text), (row, text)


def test_origins(rows: list[Row]) -> None:
    assert Counter(r.origin for r in rows) == {"impl": 1423, "macro": 1643, "python": 2147}


def test_fallbacks(tree: Real, truth: list[Truth]) -> None:
    wanted = {(t.key, t.file, t.line) for t in truth if t.kind == "fallback"}
    rows = tree.conn.execute("SELECT key, file, block_line FROM fallbacks").fetchall()
    ours = {(key, file, str(line)) for key, file, line in rows}
    assert wanted - ours == set()
    assert {file for _, file, _ in ours - wanted if not ELSEWHERE.search(file)} == set()


def _normal(schema: str) -> str:
    """A schema as torch prints it: brackets around one return are none, 1e-05 is what it is."""
    text = re.sub(r"-> \(([^(),]+)\)$", r"-> \1", schema)
    text = re.sub(r"\d+(?:\.\d+)?(?:e-?\d+)?", lambda m: repr(float(m[0])), text)
    return re.sub(r"\s", "", text).replace("(b|a)", "(a|b)")


def test_operators_that_cpp_defines(tree: Real, truth: list[Truth]) -> None:
    ours = dict(
        tree.conn.execute(
            "SELECT operator, schema FROM registrations WHERE kind = 'def' ORDER BY id DESC"
        )
    )
    defined = {name for (name,) in tree.conn.execute("SELECT name FROM operators")}
    cpp = [t for t in truth if t.kind == "def" and t.file != "python"]
    assert len(cpp) == 331
    assert [t.operator for t in cpp if t.operator not in ours or t.operator not in defined] == []
    written = [(t, ours[t.operator]) for t in cpp if ours[t.operator]]
    assert [t.operator for t, schema in written if _normal(schema) != _normal(t.schema)] == []


def test_torchscript_operators(tree: Real, truth: list[Truth]) -> None:
    ours = {
        o for (o,) in tree.conn.execute("SELECT operator FROM registrations WHERE kind = 'jit'")
    }
    assert {t.operator for t in truth if t.kind == "jit"} - ours == set()


def test_kernels_that_python_registers(truth: list[Truth], rows: list[Row]) -> None:
    ours = {(r.operator, r.key) for r in rows if r.origin == "python"}
    wanted = [(t.operator, t.key) for t in truth if t.kind == "impl" and t.file == "python"]
    assert len(wanted) == 1682
    assert [w for w in wanted if w not in ours] == []


def test_nothing_more_from_imported_modules(truth: list[Truth], rows: list[Row]) -> None:
    known = {(t.operator, t.key) for t in truth if t.kind == "impl" and t.file == "python"}
    imported = {t.file for t in truth if t.kind == "module"}
    extra = [
        r
        for r in rows
        if r.origin == "python"
        and r.via != "py_impl"
        and not r.condition
        and r.own_file in imported
        and (r.operator, r.key) not in known
    ]
    assert extra == []


def test_kernels_that_python_replaces(tree: Real, truth: list[Truth]) -> None:
    wanted = {(t.operator, t.key) for t in truth if t.state == "inactive"}
    found = tree.conn.execute(
        "SELECT o.name, d.dispatch_key FROM dispatch_replacements AS p JOIN dispatch AS d ON d.id = p.dispatch_id"
        " JOIN operators AS o ON o.id = d.operator_id"
    ).fetchall()
    rows = {(operator, key) for operator, key in found}
    assert len(wanted) == 628
    assert rows == wanted


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
    counts = dict(
        old.conn.execute(
            "SELECT origin, count(*) FROM dispatch WHERE origin IN ('impl', 'macro', 'python') GROUP BY origin"
        ).fetchall()
    )
    assert counts["impl"] > 1200
    assert counts["macro"] > 1200
    assert counts["python"] > 600
    # What has a kernel for Meta in C++ keeps it (torch/_decomp/__init__.py, add_op_to_table).
    assert old.conn.execute("SELECT count(*) FROM dispatch_replacements").fetchone()[0] == 0
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
