"""What an index keeps of the tree that it was made from: the first look of a server needs no listing."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import indexer.update.changes
from indexer.build import build
from indexer.scan import stamps as stamps_module
from indexer.scan.files import list_files
from indexer.scan.stamps import Stamps
from indexer.scan.statfile import (
    Seen,
    database_stamp,
    note_database,
    read_seen,
    read_stamps,
    stat_path,
    write_seen,
)
from indexer.scan.tree import open_tree
from tests.unit.support.update_tree import make
from torchtalk.db import connect
from torchtalk.treestate import LastLook, tree_state

CAP = "aten/src/ATen/test/cap_test.cpp"


@pytest.fixture
def tree(fixture_tree: Path, tmp_path: Path) -> Path:
    return make(tmp_path / "tree", fixture_tree)


@pytest.fixture
def database(tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An index whose tree was made a while before."""
    monkeypatch.setattr(stamps_module, "TICK", 0)
    time.sleep(0.02)  # longer than a tick of the file system's clock
    build(open_tree(tree), tmp_path / "x.db", workers=0)
    return tmp_path / "x.db"


def _first_look(database: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, bool]:
    """What a process finds that has not looked before, and whether it had to list the tree."""
    listed: list[int] = []
    find_changes = indexer.update.changes.find_changes
    with monkeypatch.context() as patch:
        patch.setattr(
            indexer.update.changes,
            "find_changes",
            lambda *arguments: listed.append(1) or find_changes(*arguments),
        )
        conn = connect(database)
        try:
            return tree_state(conn, 3, LastLook()).state, bool(listed)
        finally:
            conn.close()


def test_the_first_look_needs_no_listing(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _first_look(database, monkeypatch) == ("unchanged", False)
    assert _first_look(database, monkeypatch) == ("unchanged", False)


def test_the_first_look_sees_an_edit(
    tree: Path, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tree / CAP).write_text("int edited();\n")
    assert _first_look(database, monkeypatch) == ("changed", True)
    build(open_tree(tree), database, workers=0)
    time.sleep(0.02)
    build(open_tree(tree), database, workers=0)
    assert _first_look(database, monkeypatch) == ("unchanged", False)
    (tree / CAP).unlink()
    assert _first_look(database, monkeypatch) == ("changed", True)


def test_an_edit_while_the_index_is_made_is_seen(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stamps_module, "TICK", 0)
    time.sleep(0.02)
    kept = indexer.build._Job._keep_seen

    def late(job: object) -> None:
        (tree / CAP).write_text("int edited();\n")
        kept(job)

    monkeypatch.setattr(indexer.build._Job, "_keep_seen", late)
    build(open_tree(tree), tmp_path / "x.db", workers=0)
    assert _first_look(tmp_path / "x.db", monkeypatch) == ("changed", True)


@pytest.mark.parametrize("is_edited", [False, True])
def test_a_tree_that_was_only_just_made_is_looked_at_again(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_edited: bool
) -> None:
    """As one is that is indexed as soon as it is checked out."""
    began = time.time_ns()
    real = stamps_module.time.time_ns

    class _Clock:
        """As if making an index took a minute."""

        def time_ns(self) -> int:
            now = real()
            return began if not (tmp_path / "x.db").exists() else now + 60_000_000_000

    monkeypatch.setattr(stamps_module, "time", _Clock())
    if is_edited:
        finish = indexer.build._Job._finish
        monkeypatch.setattr(
            indexer.build._Job,
            "_finish",
            lambda *a: ((tree / CAP).write_text("int edited();\n"), finish(*a))[1],
        )
    build(open_tree(tree), tmp_path / "x.db", workers=0)
    assert (read_stamps(tmp_path / "x.db") is None) == is_edited


def test_another_database_was_not_made_of_what_was_seen(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.utime(database)
    assert read_stamps(database) is None
    assert _first_look(database, monkeypatch) == ("unchanged", True)
    note_database(database)
    assert _first_look(database, monkeypatch) == ("unchanged", False)


def test_another_process_finds_the_same(tree: Path, database: Path) -> None:
    code = (
        "import sys, pathlib; from indexer.scan.statfile import read_stamps; "
        "print(read_stamps(pathlib.Path(sys.argv[1])).are_the_same())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(database)], capture_output=True, text=True, check=True
    )
    assert done.stdout == "True\n"


def test_paths_may_have_any_bytes(tmp_path: Path) -> None:
    odd = os.fsdecode(b"a\nb\xff.cpp")
    database = tmp_path / "x.db"
    database.write_bytes(b"")
    (tmp_path / odd).write_bytes(b"")
    stamps = Stamps()
    stamps.note(str(tmp_path / odd))
    seen = Seen(5, database_stamp(database), {odd: [1, 2, 3, 4, "sha"]})
    write_seen(stat_path(database), "root", seen, stamps)
    kept = read_stamps(database)
    assert kept is not None
    assert (kept.paths, kept.digest) == (stamps.paths, stamps.digest)
    assert read_seen(stat_path(database), "root") == seen
    assert read_seen(stat_path(database), "other") == Seen(0, None, {})


@pytest.mark.parametrize(
    "text",
    [b"", b"\n\n", b"{}\n{}\n", b'{"version":2,"stamps":1}\n{}\n', b"[]\n[]\n", b'{"version":2}'],
)
def test_a_broken_file_tells_nothing(tmp_path: Path, text: bytes) -> None:
    database = tmp_path / "x.db"
    database.write_bytes(b"")
    stat_path(database).write_bytes(text)
    assert read_stamps(database) is None
    assert read_seen(stat_path(database), "root") == Seen(0, None, {})
    note_database(database)
    assert stat_path(database).read_bytes() == text or text.startswith(b'{"version":2,')


def test_the_listing_is_kept_with_its_times(tree: Path, database: Path) -> None:
    stamps = Stamps()
    files = list(list_files(open_tree(tree), stamps))
    kept = read_stamps(database)
    assert kept is not None
    assert (kept.paths, kept.digest) == (stamps.paths, stamps.digest)
    assert len(kept.paths) > len(files)
