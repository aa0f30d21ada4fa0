"""The call graph of a real tree beside what another compiler says: of the syntax, and of libclang for some units."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.clang import plan, pool
from indexer.clang.semantic import Options, semantic
from indexer.clang.setup import Outcome, Task
from indexer.facts.clang import UnitFacts
from indexer.report import SemanticReport
from indexer.scan.tree import open_tree
from indexer.semantic import add_semantic
from tests.real.conftest import Real
from tests.real.llvm_calls import Figures, compare, truth
from tests.unit.support.clang_units import said
from torchtalk.db import connect
from torchtalk.tools import all_tools

_OF_AUTOGRAD = "build/torch/csrc/autograd/generated"
_WRITTEN = frozenset(
    (
        f"{_OF_AUTOGRAD}/VariableType_0.cpp", f"{_OF_AUTOGRAD}/ADInplaceOrViewType_0.cpp",
        f"{_OF_AUTOGRAD}/TraceType_0.cpp", "build/aten/src/ATen/RegisterFunctionalization_0.cpp",
        "build/aten/src/ATen/RegisterCPU.cpp", "build/aten/src/ATen/RegisterNestedTensorCPU.cpp",
    )
)  # fmt: skip
"""Units that torchgen writes, one of each kind."""

# What such a unit says itself: `m.impl("abs.out", TORCH_FN(VariableType::abs_out_out));`
_IMPL = re.compile(
    r"TORCH_LIBRARY_IMPL\(aten, (\w+), m\)|m\.impl\(\"([\w.]+)\",\s*TORCH_FN\(([\w:]+)\)"
)


class Sample:
    """An index in which the units of the comparison are read exactly."""

    def __init__(
        self, report: SemanticReport, conn: sqlite3.Connection, figures: Figures, generated: Path
    ) -> None:
        self.report = report
        self.generated = generated
        self.conn = conn
        self.figures = figures

    def edges(self, caller: str) -> set[tuple[str, str]]:
        """What a function calls: name and kind."""
        rows = self.conn.execute(
            "SELECT callee, kind FROM v_calls WHERE caller = ? AND origin = 'clang'", (caller,)
        )
        return {(str(callee), str(kind)) for callee, kind in rows}


@pytest.fixture(scope="module")
def sample(new: Real, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sample]:
    """Parsed once for all tests."""
    folder = tmp_path_factory.mktemp("clang")
    target = folder / "sample.db"
    shutil.copyfile(new.db, target)
    report = add_semantic(
        open_tree(new.root), target, options=Options(only=frozenset(truth()) | _WRITTEN),
        cache=folder / "cache", workers=2,
    )  # fmt: skip
    conn = connect(target)
    (generated,) = (folder / "cache").glob("generated-*")
    yield Sample(report, conn, compare(conn, new.root), generated)
    conn.close()


def test_the_syntax_has_the_calls_that_the_text_shows(new: Real) -> None:
    figures = compare(new.conn, new.root)
    assert figures.written > 6000
    assert figures.recall >= 0.90, figures.missing.most_common(20)
    assert figures.precision >= 0.97, figures.wrong.most_common(20)


def test_clang_has_them_all(sample: Sample) -> None:
    figures = sample.figures
    assert figures.written > 6000
    assert figures.recall >= 0.97, figures.missing.most_common(20)
    assert figures.called / figures.written >= 0.95
    assert figures.precision >= 0.97, figures.wrong.most_common(20)
    # Constructors and operators too, as far as a cursor shows them.
    assert figures.implied / figures.implicit >= 0.6


def test_units_are_read_whole(sample: Sample) -> None:
    units = len(truth()) + len(_WRITTEN)
    assert sum(sample.report.units.values()) == units
    assert sample.report.units.get("ok", 0) >= units - 5, sample.report.missing
    assert sample.report.memory < 1000


def test_what_makes_it_pytorchs_graph(sample: Sample) -> None:
    # A stub is called by its name; its kernels are joined to it.
    assert ("at::native::add_stub", "stub") in sample.edges("at::native::sub_out")
    # What is called is a function of the generated API, of one operator; a lambda's calls are its function's.
    assert {("at::Tensor::view", "call"), ("at::_unsafe_view", "call")} <= sample.edges(
        "at::native::reshape"
    )
    assert not sample.conn.execute("SELECT 1 FROM functions WHERE name LIKE '%(lambda%'").fetchall()
    # A function that is passed on.
    batched = sample.conn.execute(
        "SELECT 1 FROM v_calls WHERE kind = 'reference' AND callee = 'at::functorch::native_group_norm_plumbing'"
    ).fetchall()
    assert batched
    operators = sample.conn.execute(
        "SELECT role, count(*) FROM operator_functions GROUP BY role ORDER BY role"
    ).fetchall()
    assert {role for role, _ in operators} == {
        "api", "call", "generated", "impl", "meta", "redispatch"
    }  # fmt: skip
    meta = sample.conn.execute(
        "SELECT DISTINCT o.name FROM operator_functions AS x JOIN operators AS o ON o.id = x.operator_id"
        " JOIN functions AS u ON u.id = x.function_id"
        " WHERE u.name = 'at::meta::structured_add_Tensor::meta' ORDER BY 1"
    ).fetchall()
    assert [name for (name,) in meta] == ["aten::add.Tensor", "aten::add.out", "aten::add_.Tensor"]
    # A virtual method and what overrides it.
    overrides = sample.conn.execute(
        "SELECT count(*) FROM function_overrides AS o JOIN functions AS u ON u.id = o.overridden_id"
        " WHERE u.name = 'torch::autograd::Node::name'"
    ).fetchone()[0]
    assert overrides > 100


def test_what_torchgen_writes_is_of_the_operators_that_it_registers_it_for(sample: Sample) -> None:
    counts = {}
    for unit in _WRITTEN:
        told, key = set(), ""
        text = (sample.generated / unit.removeprefix("build/")).read_text(encoding="utf-8")
        for match in _IMPL.finditer(text):
            key = match[1] or key
            if match[2] and not match[3].startswith("at::"):  # a kernel that somebody wrote
                told.add((f"aten::{match[2]}", key, match[3].rpartition("::")[2]))
        rows = sample.conn.execute(
            "SELECT o.name, x.dispatch_key, u.name FROM operator_functions AS x"
            " JOIN operators AS o ON o.id = x.operator_id JOIN functions AS u ON u.id = x.function_id"
            " JOIN source_files AS f ON f.id = u.file_id WHERE x.role = 'generated' AND f.path = ?",
            (unit,),
        )
        found = {(name, of, function.rpartition("::")[2]) for name, of, function in rows}
        assert found == told, unit
        counts[unit.rpartition("/")[2]] = len(found)
    assert counts == {
        "VariableType_0.cpp": 308, "ADInplaceOrViewType_0.cpp": 518, "TraceType_0.cpp": 680,
        "RegisterFunctionalization_0.cpp": 287, "RegisterCPU.cpp": 1053, "RegisterNestedTensorCPU.cpp": 99,
    }  # fmt: skip
    answer = all_tools()["impact"].ask(
        sample.conn, name="torch::autograd::throw_error_for_complex_autograd"
    )
    assert "no operator" not in answer.finding


def test_units_say_the_same_together_as_alone(
    sample: Sample, new: Real, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = ("aten/src/ATen/native", "torch/csrc/jit/passes")
    wanted = frozenset(
        path.relative_to(new.root).as_posix()
        for folder in folders
        for path in sorted((new.root / folder).glob("*.cpp"))[:20]
    )
    cache = sample.generated.parent

    def read() -> dict[str, UnitFacts]:
        options = Options(only=wanted, tests=False)
        facts = semantic(open_tree(new.root), cache, 2, options=options, retry=True)
        found = {unit.unit: unit for unit in facts.units() if unit.unit in wanted}
        for path, file, _ in facts.results:
            if path in wanted:
                file.unlink()
        assert len(found) == 40
        return found

    # One that another's `static` function or type collides with is parsed alone anyway.
    counted: list[int] = []
    kept = pool._members

    def noted(task: Task, outcome: Outcome) -> Iterator[tuple[Task, Outcome]]:
        counted.append(len(outcome.members))
        return kept(task, outcome)

    monkeypatch.setattr(pool, "_members", noted)
    together = read()
    assert sum(counted) >= 30, counted
    monkeypatch.setattr(plan, "with_jumbos", lambda tasks, *_: list(tasks))
    alone = read()
    for path, unit in alone.items():
        own, others = said(unit), said(together[path])
        more = set(others.pop("definitions")).difference(own["definitions"])
        assert set(own.pop("definitions")).issubset(said(together[path])["definitions"]), path
        # `= default` has its body once somebody uses it, whoever that is; and what it calls stands in it.
        for symbol in more:
            line = (new.root / symbol.file).read_text().splitlines()[symbol.line - 1]
            assert "= default" in line or "DECLARE_DISPATCH" in line, symbol
        usrs = {symbol.usr for symbol in more}
        for kind, column in own.items():
            rest = [entry for entry in others[kind] if entry[0] not in usrs]
            assert rest == [entry for entry in column if entry[0] not in usrs], (path, kind)
