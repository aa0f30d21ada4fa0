"""Which files an update reads again: hashes are kept beside the database, and git knows those of a clean checkout."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from indexer.build import build
from indexer.scan import hashes
from indexer.scan.files import SourceFile, blob_id, list_files
from indexer.scan.git import git_commit
from indexer.scan.hashes import Hashes
from indexer.scan.statfile import stat_path
from indexer.scan.tree import SourceTree, open_tree
from tests.unit.support.git_tree import git
from tests.unit.support.update_tree import make

CAP = "aten/src/ATen/test/cap_test.cpp"


@pytest.fixture
def tree(fixture_tree: Path, tmp_path: Path) -> Path:
    return make(tmp_path / "tree", fixture_tree)


@pytest.fixture
def target(tree: Path, tmp_path: Path) -> Path:
    build(open_tree(tree), tmp_path / "x.db", workers=0)
    return tmp_path / "x.db"


class _Counted(Hashes):
    """Counts the files that are read."""

    read = 0

    def _read(self, path: str) -> str:
        self.read += 1
        return super()._read(path)


def _listed(tree: SourceTree) -> list[SourceFile]:
    return [entry for entry in list_files(tree) if isinstance(entry, SourceFile)]


def _hashes(root: Path, cache: Path) -> tuple[_Counted, dict[str, str]]:
    tree = open_tree(root)
    found = _Counted(tree, cache)
    return found, found.of(_listed(tree))


def test_what_was_not_touched_is_not_read(tree: Path, tmp_path: Path) -> None:
    _age(tree)
    cache = stat_path(tmp_path / "x.db")
    # As if it was looked at a while after the last change.
    first, found = _hashes(tree, cache)
    first._started += 10_000_000_000
    first.save(tmp_path / "x.db", None)
    assert first.read == len(found) > 20
    assert found[CAP] == blob_id((tree / CAP).read_bytes())
    second, again = _hashes(tree, cache)
    assert (second.read, again) == (0, found)
    text = (tree / CAP).read_bytes()
    (tree / CAP).write_bytes(text[:-1] + b" ")  # as long as before
    third, changed = _hashes(tree, cache)
    assert third.read == 1
    assert changed[CAP] != found[CAP]


def _age(tree: Path) -> None:
    for path in tree.rglob("*"):
        os.utime(path, (1_600_000_000, 1_600_000_000))


def test_what_was_only_just_written_is_read_again(tree: Path, tmp_path: Path) -> None:
    cache = stat_path(tmp_path / "x.db")
    first, found = _hashes(tree, cache)
    first.save(tmp_path / "x.db", None)
    # The files' inodes have only just been changed: the same tick could hold another change.
    second, again = _hashes(tree, cache)
    assert (second.read, again) == (len(found), found)


@pytest.mark.parametrize(
    "text",
    ["", "[]", '{"version": 2}', "\x00", '{"version": 2}\n{}\n', '{"version": 2}\n3\n', "\n\n"],
)
def test_a_broken_cache_is_no_cache(tree: Path, tmp_path: Path, text: str) -> None:
    cache = stat_path(tmp_path / "x.db")
    cache.write_text(text, encoding="utf-8")
    assert len(_hashes(tree, cache)[1]) > 20


def test_git_tells_the_hashes_of_a_clean_checkout(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hashes, "_FEW", 0)
    git(tree, "init", "-q")
    git(tree, "add", "-A")
    git(tree, "commit", "-q", "-m", "one")
    (tree / CAP).write_text("edited\n", encoding="utf-8")
    (tree / "torch/fresh.py").write_text("x = 1\n", encoding="utf-8")
    counted, found = _hashes(tree, stat_path(tmp_path / "x.db"))
    assert counted.read == 2
    assert found == {path: blob_id((tree / path).read_bytes()) for path in found}


def test_git_is_not_asked_about_what_it_does_not_look_at(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hashes, "_FEW", 0)
    git(tree, "init", "-q")
    git(tree, "add", "-A")
    git(tree, "commit", "-q", "-m", "one")
    git(tree, "update-index", "--assume-unchanged", CAP)
    (tree / CAP).write_text("edited\n", encoding="utf-8")
    counted, found = _hashes(tree, stat_path(tmp_path / "x.db"))
    assert (counted.read, found[CAP]) == (1, blob_id(b"edited\n"))


def test_a_hook_of_another_repository_does_not_tell_of_this_tree(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """git gives hooks of worktrees `GIT_DIR`, which comes before the folder that is asked about."""
    monkeypatch.setattr(hashes, "_FEW", 0)
    other = tmp_path / "other"
    (other / CAP).parent.mkdir(parents=True)
    (other / CAP).write_text("of the other\n", encoding="utf-8")
    for root in (tree, other):
        git(root, "init", "-q")
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", root.name)
    own = git(tree, "rev-parse", "HEAD")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git/index"))
    counted, found = _hashes(tree, stat_path(tmp_path / "x.db"))
    assert (counted.read, found[CAP]) == (0, blob_id((tree / CAP).read_bytes()))
    assert git_commit(tree) == own


def test_git_is_asked_only_where_a_repository_can_be(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To start it takes as long as to index a few files."""
    started = []
    monkeypatch.setattr(
        "indexer.scan.git.run_git", lambda *given, **_: [started.append(given), 1 / 0][1]
    )
    assert git_commit(tree) is None
    assert not started
    (tree.parent / ".git").mkdir()  # further up: git says whether it is the tree's
    with pytest.raises(ZeroDivisionError):
        git_commit(tree)


def test_what_is_seen_stands_beside_the_database(tree: Path, target: Path) -> None:
    head, files, _ = stat_path(target).read_bytes().split(b"\n", 2)
    values = json.loads(head)
    assert values["root"] == str(tree)
    assert values["looked"] <= time.time_ns()
    assert CAP in json.loads(files)
