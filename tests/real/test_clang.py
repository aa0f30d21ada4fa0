"""The call graph of a real tree beside what another compiler says: of the syntax, and of libclang for some units."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator

import pytest

from indexer.clang.semantic import Options
from indexer.report import SemanticReport
from indexer.scan.tree import open_tree
from indexer.semantic import add_semantic
from tests.real.conftest import Real
from tests.real.llvm_calls import Figures, compare, truth
from torchtalk.db import connect


class Sample:
    """An index in which the units of the comparison are read exactly."""

    def __init__(self, report: SemanticReport, conn: sqlite3.Connection, figures: Figures) -> None:
        self.report = report
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
        open_tree(new.root), target, options=Options(only=frozenset(truth())), cache=folder / "cache",
        workers=2,
    )  # fmt: skip
    conn = connect(target)
    yield Sample(report, conn, compare(conn, new.root))
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
    assert sum(sample.report.units.values()) == len(truth())
    assert sample.report.units.get("ok", 0) >= len(truth()) - 4, sample.report.missing
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
    assert {role for role, _ in operators} >= {"api", "call", "impl", "meta"}
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
