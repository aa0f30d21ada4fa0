"""A look at a tree that has nothing new for it: told by times alone, and never where something is another."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import indexer.update.changes
from indexer.build import build
from indexer.scan.files import list_files
from indexer.scan.stamps import Stamps
from indexer.scan.tree import open_tree
from tests.unit.support.update_tree import make
from torchtalk.db import connect
from torchtalk.treestate import LastLook, tree_state

CAP = "aten/src/ATen/test/cap_test.cpp"
FOLDER = "aten/src/ATen/test"


@pytest.fixture
def tree(fixture_tree: Path, tmp_path: Path) -> Path:
    root = make(tmp_path / "tree", fixture_tree)
    (root / ".gitmodules").write_text(f"[submodule]\n\tpath = {FOLDER}/others\n")
    (root / FOLDER / "others").mkdir()
    (root / FOLDER / "clone").mkdir()
    (root / FOLDER / "clone" / ".git").write_text("gitdir: ../../.git/modules/clone\n")
    (root / FOLDER / "link.cpp").symlink_to("cap_test.cpp")
    for path in root.rglob("*"):
        os.utime(path, (1_600_000_000, 1_600_000_000))
    return root


def _later(stamps: Stamps) -> Stamps:
    """As if the look had begun a while after the last change."""
    stamps._begun += 10_000_000_000
    time.sleep(0.02)  # longer than a tick of the file system's clock
    return stamps


def _listed(root: Path) -> Stamps:
    stamps = Stamps()
    assert len(list(list_files(open_tree(root), stamps))) > 20
    return _later(stamps)


def _rewritten(root: Path) -> None:
    text = (root / CAP).read_bytes()
    (root / CAP).write_bytes(text[:-1] + b" ")  # as long as before


def _replaced_by_a_link(root: Path) -> None:
    (root / CAP).rename(root / "elsewhere.txt")
    (root / CAP).symlink_to(root / "elsewhere.txt")


def _edited_behind_a_link(root: Path) -> None:
    (root / FOLDER / "link.cpp").write_text("int other();\n")


EDITS: dict[str, Callable[[Path], object]] = {
    "rewritten": _rewritten,
    "rewritten, with its former time": lambda root: (
        _rewritten(root),
        os.utime(root / CAP, (1_600_000_000, 1_600_000_000)),
    ),
    "added": lambda root: (root / FOLDER / "new_test.cpp").write_text(""),
    "removed": lambda root: (root / CAP).unlink(),
    "renamed": lambda root: (root / CAP).rename(root / FOLDER / "cup_test.cpp"),
    "moved": lambda root: (root / CAP).rename(root / "aten/src/ATen/cap_test.cpp"),
    "unreadable": lambda root: (root / CAP).chmod(0),
    "a folder of a name that is not there": lambda root: (root / "functorch2").mkdir(),
    "a link in its place": _replaced_by_a_link,
    "behind a link": _edited_behind_a_link,
    "submodules named otherwise": lambda root: (root / ".gitmodules").write_text(""),
    "a submodule checked out": lambda root: (root / FOLDER / "others/x.cpp").write_text(""),
    "a clone that becomes a worktree": lambda root: (root / FOLDER / "clone/.git").write_text(
        "gitdir: ../../.git/worktrees/clone\n"
    ),
    "no clone any more": lambda root: (root / FOLDER / "clone/.git").unlink(),
}


@pytest.mark.parametrize("edit", EDITS)
def test_whatever_would_be_listed_otherwise_is_seen(tree: Path, edit: str) -> None:
    stamps = _listed(tree)
    assert stamps.are_the_same()
    assert stamps.are_the_same()
    EDITS[edit](tree)
    assert not stamps.are_the_same()
    assert _listed(tree).are_the_same()


def test_what_lies_where_nothing_is_read_is_no_reason_to_look(tree: Path) -> None:
    (tree / "build").mkdir()
    (tree / FOLDER / "__pycache__").mkdir()
    stamps = _listed(tree)
    (tree / "build/made.cpp").write_text("int made();\n")
    (tree / FOLDER / "__pycache__/x.py").write_text("")
    assert stamps.are_the_same()


def test_what_was_only_just_written_is_looked_at_again(tree: Path) -> None:
    _rewritten(tree)
    stamps = Stamps()
    list(list_files(open_tree(tree), stamps))
    assert not stamps.are_the_same()


def test_nothing_noted_is_nothing_known() -> None:
    assert not _later(Stamps()).are_the_same()


@pytest.mark.slow
def test_an_index_is_compared_again_where_the_tree_or_it_is_another(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = tmp_path / "x.db"
    build(open_tree(tree), database, workers=0)
    last, compared = LastLook(), []
    find_changes = indexer.update.changes.find_changes
    monkeypatch.setattr(
        indexer.update.changes,
        "find_changes",
        lambda *arguments: compared.append(1) or find_changes(*arguments),
    )

    def states() -> tuple[str, int]:
        conn = connect(database)
        try:
            return tree_state(conn, 3, last).state, len(compared)
        finally:
            conn.close()
            assert last.stamps is not None
            _later(last.stamps)

    assert [states(), states()] == [("unchanged", 1), ("unchanged", 1)]
    _rewritten(tree)
    assert [states(), states()] == [("changed", 2), ("changed", 2)]
    build(open_tree(tree), database, workers=0)
    assert [states(), states()] == [("unchanged", 3), ("unchanged", 3)]
    os.utime(database)
    assert states() == ("unchanged", 4)
    (tree / CAP).unlink()
    assert states() == ("changed", 5)
