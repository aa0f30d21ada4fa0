"""An index that was built without some layers says so, and takes nothing for absent that was not read."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.build import build
from indexer.scan.tree import open_tree
from tests.unit.support.asking import ask, text
from tests.unit.support.command import Command
from torchtalk.db import connect
from torchtalk.layers import LayersMissing

QUESTIONS = {
    "trace": {"name": "torch._softcap"},
    "search": {"query": "softcap"},
    "calls": {"name": "softcap_cpu_out"},
    "called_by": {"name": "softcap_stub"},
    "impact": {"name": "softcap_kernel_impl"},
    "cuda_kernels": {},
    "trace_module": {"name": "Cap"},
    "list_modules": {},
    "find_similar_tests": {"query": "softcap"},
    "list_test_utils": {},
    "test_file_info": {"path": "test_caps"},
    "compile_path": {"name": "softcap"},
    "compile_options": {"query": "cap"},
    "sql": {"query": "SELECT count(*) FROM v_tests"},
}


@pytest.fixture(scope="module")
def bare(
    fixture_tree: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[sqlite3.Connection]:
    """An index of the operators alone."""
    target = tmp_path_factory.mktemp("bare") / "bare.db"
    build(open_tree(fixture_tree), target, workers=0, layers=("operators",))
    connection = connect(target)
    yield connection
    connection.close()


@pytest.mark.parametrize("tool", QUESTIONS)
def test_each_tool_says_which_layers_are_missing_and_what_builds_them(
    bare: sqlite3.Connection, tool: str
) -> None:
    notes = [
        note for note in ask(bare, tool, **QUESTIONS[tool]).notes if "not in this index" in note
    ]
    assert len(notes) == 1
    assert "build it with: torchtalk index" in notes[0]


def test_no_tests_are_chosen_where_none_were_read(
    bare: sqlite3.Connection, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(LayersMissing, match="not in this index: tests .* graph .*torchtalk index"):
        ask(bare, "affected", names="softcap_cpu_out")
    # A pipeline that runs what is printed must not go on as if nothing had to be run.
    file = bare.execute("PRAGMA database_list").fetchone()["file"]
    ended = Command(capsys)("affected", "softcap_cpu_out", "--db", file, "--form", "commands")
    assert (ended.code, ended.out) == (8, "")
    assert f"--db {file}" in ended.err


@pytest.mark.parametrize("tool", QUESTIONS)
def test_nothing_is_said_to_be_absent_that_was_not_read(
    bare: sqlite3.Connection, tool: str
) -> None:
    said = "\n".join(text(bare, tool, **QUESTIONS[tool]))
    assert "the tree has no" not in said
    assert "nothing in the tree" not in said
    assert " 0 tests" not in said


@pytest.mark.parametrize("tool", QUESTIONS)
def test_a_whole_index_says_nothing_of_layers(conn: sqlite3.Connection, tool: str) -> None:
    assert not any("not in this index" in note for note in ask(conn, tool, **QUESTIONS[tool]).notes)
