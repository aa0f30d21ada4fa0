"""A query without rows: what is missing, or what its columns have in the place of a text."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from indexer.build import build
from indexer.scan.tree import open_tree
from tests.unit.support.asking import ask
from torchtalk.db import connect
from torchtalk.query.empty import absent


def test_an_empty_answer_says_which_layer_is_missing(tmp_path: Path, fixture_tree: Path) -> None:
    path = tmp_path / "x.db"
    build(open_tree(fixture_tree), path, layers=("operators",), workers=0)
    conn = connect(path)
    try:
        answer = ask(conn, "sql", query="SELECT * FROM v_tests")
    finally:
        conn.close()
    assert any(note.startswith("layer tests: ") for note in answer.notes)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (
            "SELECT key FROM v_dispatch WHERE operator = 'softcap'",
            "no operator of v_dispatch is 'softcap'; there are aten::softcap.int, aten::softcap.int_out, aten::_softcap",
        ),
        (
            "SELECT operator FROM v_dispatch WHERE key='cuda' AND 1",
            "no key of v_dispatch is 'cuda'; there are CUDA, SparseCUDA",
        ),
        (
            "SELECT caller FROM v_calls WHERE callee = 'softcap_kernel_impl'",
            "no callee of v_calls is 'softcap_kernel_impl'; there are at::native::softcap_kernel_impl",
        ),
        (
            "SELECT file FROM v_classes WHERE name = 'torch.nn.Cap'",
            "no name of v_classes is 'torch.nn.Cap'; its public_name has that",
        ),
        (
            "SELECT source FROM v_edges WHERE target = 'aten::softcap'",
            "no target of v_edges is 'aten::softcap'; there are aten::softcap.int, aten::softcap.int_out",
        ),
        (
            "SELECT target FROM v_edges WHERE source = 'softcap_cpu_out'",
            "no source of v_edges is 'softcap_cpu_out'; there are at::native::softcap_cpu_out",
        ),
        ("SELECT * FROM v_operators WHERE base = 'ca'", "no base of v_operators is 'ca'"),
        ("SELECT * FROM v_operators WHERE base = 'it''s'", 'no base of v_operators is "it\'s"'),
    ],
)
def test_an_empty_answer_says_what_a_column_has_instead(
    conn: sqlite3.Connection, query: str, said: str
) -> None:
    (note,) = absent(conn, query)
    assert note == said or note.startswith(f"{said}, ")


def test_an_empty_answer_has_that_as_a_note(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "sql", query="SELECT key FROM v_dispatch WHERE key = 'cuda'")
    assert answer.notes[0].startswith("no key of v_dispatch is 'cuda'; there are CUDA")


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM v_operators WHERE base = 'softcap' AND namespace = 'prims_' AND 0",
        "SELECT * FROM v_tests WHERE test = 'test_nothing'",  # too large to be looked through
        "SELECT 1 WHERE 'a' = 'b'",
        "SELECT * FROM v_calls WHERE callee = 'at::native::softcap_kernel_impl' AND 0",
        "SELECT * FROM v_edges WHERE target = 'at::native::softcap_cpu_out' AND kind = 'callee'",
        "SELECT * FROM v_edges WHERE target = 'torch.nn.functional.callee'",  # Python's names have no index
    ],
)
def test_what_a_column_has_is_not_said_to_be_missing(conn: sqlite3.Connection, query: str) -> None:
    assert not any(
        "'softcap'" in note or "callee" in note or "v_edges" in note or "test " in note
        for note in absent(conn, query)
    )
