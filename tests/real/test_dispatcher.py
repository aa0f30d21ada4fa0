"""Registrations of whole trees against the dispatcher of the torch that was built from them.

`tests/data/dispatch-VERSION.tsv.gz` was read off torch with CUDA by `tests/data/read_dispatch_dump.py`.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.real.conftest import VERSIONS, Real, real_tree

DATA = Path(__file__).parent.parent / "data"
# What the wheel for Linux with CUDA does not have compiled in: other devices' folders, programs of their own.
ELSEWHERE = re.compile(
    r"/(?:vulkan|metal|mps|xpu|miopen|templates|lazy)/|^benchmarks/|register_prim_ops_fulljit|/examples/"
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


@pytest.fixture(scope="module", params=VERSIONS)
def tree(request: pytest.FixtureRequest, real_folder: Path) -> Real:
    return real_tree(request.param, real_folder)


@pytest.fixture(scope="module")
def truth(tree: Real) -> list[Truth]:
    with gzip.open(DATA / f"dispatch-{tree.version}.tsv.gz", "rt", encoding="utf-8") as lines:
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


def test_every_kernel_that_cpp_registers(tree: Real, truth: list[Truth], rows: list[Row]) -> None:
    ours = {(r.operator, r.key, r.file, str(r.block)) for r in rows}
    wanted = [(t.operator, t.key, t.file, t.line) for t in _compiled(truth)]
    assert len(wanted) == {"2.6.0": 2858, "1.13.1": 2353}[tree.version]
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
    assert len(cpp) == {"2.6.0": 331, "1.13.1": 246}[tree.version]
    assert [t.operator for t in cpp if t.operator not in ours or t.operator not in defined] == []
    written = [(t, ours[t.operator]) for t in cpp if ours[t.operator]]
    assert [t.operator for t, schema in written if _normal(schema) != _normal(t.schema)] == []


def test_torchscript_operators(tree: Real, truth: list[Truth]) -> None:
    ours = {
        o for (o,) in tree.conn.execute("SELECT operator FROM registrations WHERE kind = 'jit'")
    }
    wanted = {t.operator for t in truth if t.kind == "jit"}
    assert len(wanted) == {"2.6.0": 795, "1.13.1": 799}[tree.version]
    assert wanted - ours == set()


def test_kernels_that_python_registers(tree: Real, truth: list[Truth], rows: list[Row]) -> None:
    ours = {(r.operator, r.key) for r in rows if r.origin == "python"}
    wanted = [(t.operator, t.key) for t in truth if t.kind == "impl" and t.file == "python"]
    assert len(wanted) == {"2.6.0": 1682, "1.13.1": 664}[tree.version]
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
    # In 1.13.1 what has a kernel for Meta in C++ keeps it (torch/_decomp/__init__.py, add_op_to_table).
    assert len(wanted) == {"2.6.0": 628, "1.13.1": 0}[tree.version]
    assert rows == wanted
