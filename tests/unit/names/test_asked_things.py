"""Files, declarations, tests and bound names, asked for as people do; the tree is that of test_asked_by_place."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.names.test_asked_by_place import CU, FILES
from tests.unit.support.asking import ask, text
from tests.unit.support.small_tree import indexed


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("things")) as connection:
        yield connection


def test_a_file_in_another_case(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "calls", name="aten/src/aten/native/cuda/warp.cu:8")
    assert [subject.name for subject in answer.subjects] == ["at::native::warp_cuda"]
    said = f"there is no aten/src/aten/native/cuda/warp.cu; {CU} differs in case only"
    assert said in answer.notes
    assert "is 2 files" in ask(conn, "trace", name="reed.cpp").finding
    assert not ask(conn, "calls", name="weft.cu:8").found


def test_all_files_of_a_name_are_counted_the_library_s_first(tmp_path: Path) -> None:
    native = "aten/src/ATen/native/native_functions.yaml"
    many = {f"{top}/a{n}/utils.py": "" for top in ("benchmarks", "torch") for n in range(15)}
    with indexed({native: FILES[native], **many}, tmp_path) as conn:
        said = ask(conn, "trace", name="utils.py").finding
    assert said.startswith("utils.py is 30 files: ")
    assert "one of torch/a0/utils.py, torch/a1/utils.py, torch/a10/utils.py" in said
    assert said.endswith(" and 22 more")


@pytest.mark.parametrize("line", [7, 8, 9])
def test_a_declaration_on_several_lines(conn: sqlite3.Connection, line: int) -> None:
    answer = ask(conn, "calls", name=f"aten/src/ATen/Warper.h:{line}")
    assert [subject.name for subject in answer.subjects] == ["at::warped"]
    assert "line 7 declares functions that are defined elsewhere, which are meant" in answer.notes


def test_what_runs_no_operator_has_the_tests_that_call_it(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "find_similar_tests", query="torch._C.warps")
    assert answer.finding.startswith("torch._C.warps: ")
    assert [hit.name for hit in answer.hits] == ["TestCounts.test_count"]
    assert "calls torch._C.warps" in answer.hits[0].why
    assert not ask(conn, "find_similar_tests", query="torch._C.wefts").found


@pytest.mark.parametrize(
    "tool", ["search", "find_similar_tests", "trace", "calls", "impact", "compile_path"]
)
def test_a_class_of_tests_by_its_name(conn: sqlite3.Connection, tool: str) -> None:
    said = text(
        conn,
        tool,
        **{"query" if tool in ("search", "find_similar_tests") else "name": "TestCounts"},
    )
    assert (
        "note: TestCounts is a class of 2 tests  test/test_counts.py:4: test_file_info has it"
        in said
    )


@pytest.mark.parametrize("name", ["TestCounts", "test_no_warps"])
def test_the_file_of_a_class_or_a_test(conn: sqlite3.Connection, name: str) -> None:
    answer = ask(conn, "test_file_info", path=name)
    assert answer.path == "test/test_counts.py"
    assert any(name in note and "test/test_counts.py:" in note for note in answer.notes)
    assert not ask(conn, "test_file_info", path="TestCase").found


def test_what_is_made_of_something_is_not_said_to_be_that(conn: sqlite3.Connection) -> None:
    """torch/_inductor/lowering.py: `add = register_pointwise(aten.add)`."""
    made = "torch._lower.lowered is made of torch.ops.aten.warp by torch._lower.register  torch/_lower.py:6"
    assert made in ask(conn, "trace", name="torch._lower.lowered").notes
    same = "torch._lower.same is torch.ops.aten.warp  torch/_lower.py:5"
    assert same in ask(conn, "trace", name="torch._lower.same").notes


def test_a_line_of_a_stub_file_is_what_it_declares(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "called_by", name="torch/_C/__init__.pyi:1")
    assert [subject.name for subject in answer.subjects] == ["torch._C.warps"]
    assert "torch/_C/__init__.pyi:1 declares torch._C.warps" in answer.notes
