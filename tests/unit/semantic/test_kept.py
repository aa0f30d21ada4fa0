"""What is kept beside or in the index to update the semantic layer in place: lost, damaged, or of another index."""

from __future__ import annotations

import os
import shutil
import sqlite3
from pathlib import Path

import pytest

from indexer import schema
from indexer.semantic_cache import state_path
from indexer.write.clang_base import BaseCalls, keep_base, remove_semantic
from indexer.write.clang_state import MAGIC, load_state
from tests.unit.support import index_dump
from tests.unit.support.semantic_tree import dump, edited, index, same_tree


@pytest.fixture(scope="module")
def parsed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the tree stands for every test, beside what was parsed of it once."""
    return tmp_path_factory.mktemp("parsed").resolve()


@pytest.fixture
def made(parsed: Path, tmp_path: Path) -> tuple[Path, Path, Path]:
    tree, target, cache = same_tree(parsed / "tree"), tmp_path.resolve() / "x.db", parsed / "cache"
    index(tree, target, cache)
    return tree, target, cache


@pytest.mark.slow
def test_two_indexes_of_a_tree_are_each_updated_in_place(made: tuple[Path, Path, Path]) -> None:
    tree, target, cache = made
    other = target.with_name("other.db")
    index(tree, other, cache)
    edited(tree / "c10/core/deep.cpp", "outside(1)", "1")
    assert index(tree, target, cache).semantic is not None
    edited(tree / "c10/core/user.cpp", "shared(2)", "0")
    for path in (target, other):
        assert index(tree, path, cache).semantic is not None
    assert index_dump.differences(dump(target), dump(other)) == []


@pytest.mark.slow
def test_without_what_was_kept_the_layer_is_written_anew(made: tuple[Path, Path, Path]) -> None:
    tree, target, cache = made
    edited(tree / "c10/core/deep.cpp", "outside(1)", "1")
    state_path(cache, target).unlink()
    assert index(tree, target, cache).semantic is None
    edited(tree / "c10/core/deep.cpp", "own(x) + 1", "own(x)")
    assert index(tree, target, cache).semantic is not None


@pytest.mark.slow
def test_what_became_another_of_the_same_files_stays_so(made: tuple[Path, Path, Path]) -> None:
    tree, target, cache = made
    (tree / "version.txt").write_text("2.6.1\n")  # no file of the index; what torchgen makes has it
    assert index(tree, target, cache).changes == {}
    conn = sqlite3.connect(target)
    version = "SELECT value FROM meta WHERE key = 'torch_version'"
    assert conn.execute(version).fetchall() == [("2.6.1",)]
    remove_semantic(conn)
    assert conn.execute(version).fetchall() == [("2.6.1",)]
    conn.close()


@pytest.mark.mostly_slow(fast=1)
@pytest.mark.parametrize("damage", [b"", MAGIC, MAGIC + b"{}\n", b"\0" * 99])
def test_a_damaged_state_is_none(made: tuple[Path, Path, Path], damage: bytes) -> None:
    tree, target, cache = made
    path = state_path(cache, target)
    path.write_bytes(damage)
    assert load_state(path, []) is None
    edited(tree / "c10/core/deep.cpp", "outside(1)", "1")
    assert index(tree, target, cache).semantic is None


@pytest.mark.mostly_slow(fast=1)
@pytest.mark.parametrize("damage", ["x'00'", "'Q'", "zeroblob(0)"])
def test_what_was_kept_of_the_other_layers_may_be_damaged(
    made: tuple[Path, Path, Path], damage: str
) -> None:
    tree, target, cache = made
    conn = sqlite3.connect(target)
    conn.execute(f"UPDATE semantic_base SET content = CAST({damage} AS BLOB)")
    conn.commit()
    conn.close()
    edited(tree / "c10/core/deep.cpp", "outside(1)", "1")
    report = index(tree, target, cache)
    assert report.action == "built"
    assert "damaged (what was there before the semantic layer" in report.reason


def test_another_file_of_the_same_name_has_no_state(made: tuple[Path, Path, Path]) -> None:
    tree, target, cache = made
    copy = target.with_name("copy.db")
    shutil.copyfile(target, copy)
    os.replace(copy, target)
    edited(tree / "c10/core/deep.cpp", "outside(1)", "1")
    assert index(tree, target, cache).semantic is None


@pytest.mark.slow
def test_the_texts_calls_are_kept_apart_from_those_before(tmp_path: Path) -> None:
    conn = sqlite3.connect(tmp_path / "x.db")
    schema.create(conn)
    conn.execute("INSERT INTO source_files VALUES (1, 'a', 'cpp', 1, 'x')")
    conn.executemany(
        "INSERT INTO functions (id, name, head, kind, file_id, line, end_line, is_exact)"
        " VALUES (?, 'f', '', 'function', 1, 1, 1, 0)",
        [(1,), (2,), (3,)],
    )
    conn.executemany("INSERT INTO calls VALUES (?, ?, 1, 0)", [(1, 2), (2, 3)])
    keep_base(conn)
    base = BaseCalls(conn)
    assert base.of({1}) == [(1, 2, 1, 0)]
    assert base.of({9}, {3}) == [(2, 3, 1, 0)]
    base.change(conn, {(1, 2, 1, 0)}, {(1, 3, 5, 0)})
    assert BaseCalls(conn).rows() == [(1, 3, 5, 0), (2, 3, 1, 0)]
    base.change(conn, {(1, 3, 5, 0)}, {(1, 2, 1, 0)})
    assert base.rows() == BaseCalls(conn).rows() == [(1, 2, 1, 0), (2, 3, 1, 0)]
    assert base.of({1}, {3}) == [(1, 2, 1, 0), (2, 3, 1, 0)]
    conn.close()
