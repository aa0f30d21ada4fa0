"""Snapshots: what is kept comes back, on another machine too; what does not fit is refused."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import tarfile
from pathlib import Path

import pytest

from indexer.build import build
from indexer.layers import FAST_LAYERS
from indexer.scan.tree import open_tree
from indexer.snapshot.databases import describe, opened
from indexer.snapshot.fingerprint import content_id, database_files, git_state, tree_files
from indexer.target import building_lock
from tests.unit.support.command import Command
from tests.unit.support.git_tree import checkout, commit, git
from torchtalk.config import default_database
from torchtalk.db import connect

NATIVE = "aten/src/ATen/native/native_functions.yaml"
NEW_OPERATOR = "\n- func: brand_new(Tensor self) -> Tensor\n"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def torchtalk(capsys: pytest.CaptureFixture[str], home: Path, store: Path, monkeypatch: pytest.MonkeyPatch) -> Command:  # fmt: skip
    monkeypatch.setenv("TORCHTALK_SNAPSHOTS", str(store))
    return Command(capsys)


@pytest.fixture
def tree(fixture_tree: Path, tmp_path: Path) -> Path:
    return checkout(fixture_tree, tmp_path / "a")


def _index(tree: Path, target: Path) -> Path:
    build(open_tree(tree), target, workers=0)
    return target


def _operators(database: Path) -> set[str]:
    conn = connect(database)
    try:
        return {row[0] for row in conn.execute("SELECT operator FROM v_operators")}
    finally:
        conn.close()


def _meta(database: Path) -> dict[str, str]:
    conn = connect(database)
    try:
        return dict(map(tuple, conn.execute("SELECT key, value FROM meta")))
    finally:
        conn.close()


def _edit(tree: Path, text: str = NEW_OPERATOR) -> None:
    with (tree / NATIVE).open("a", encoding="utf-8") as file:
        file.write(text)


def test_from_one_machine_to_another(torchtalk: Command, tree: Path, tmp_path: Path) -> None:
    """Exported here, imported and loaded there: another folder, another store, the same content."""
    here = _index(tree, tmp_path / "here.db")
    file = tmp_path / "sent.tar.gz"
    ended = torchtalk("snapshot", "export", file, "--db", here, "--pytorch-source", tree)
    assert ended.code == 0, ended.err
    there = tmp_path / "there" / "checkout"
    there.parent.mkdir()
    subprocess.run(["git", "clone", "-q", str(tree), str(there)], check=True)
    shutil.rmtree(tree)
    here.unlink()
    other = tmp_path / "other store"
    assert torchtalk("snapshot", "import", file, "--store", other).code == 0
    ended = torchtalk("snapshot", "load", "--nearest", "--pytorch-source", there, "--store", other)
    assert ended.code == 0, ended.err
    assert "exactly the tree's content" in ended.out
    loaded = default_database(there)
    assert _meta(loaded)["source_root"] == str(there)
    status = torchtalk("status", "--pytorch-source", there)
    assert status.code == 0
    assert "has changed" not in status.out
    trace = torchtalk("trace", "softcap", "--pytorch-source", there)
    assert (trace.code, str(tree) in trace.out) == (0, False)


def test_a_snapshot_is_a_tar_file_that_says_what_it_is(
    torchtalk: Command, tree: Path, tmp_path: Path
) -> None:
    database = _index(tree, tmp_path / "x.db")
    file = tmp_path / "x.tar.gz"
    export = ("snapshot", "export", file, "--db", database, "--pytorch-source", tree)
    assert torchtalk(*export).code == 0
    with tarfile.open(file) as archive:
        assert archive.getnames() == ["manifest.json", "torchtalk.db"]
        member, manifest = archive.extractfile("torchtalk.db"), archive.extractfile("manifest.json")
        assert member is not None
        assert manifest is not None
        assert member.read() == database.read_bytes()
        said = json.load(manifest)
    assert said["git_commit"] == git(tree, "rev-parse", "HEAD")
    assert said["git_tree"] == git(tree, "rev-parse", "HEAD^{tree}")
    assert said["fingerprint"] == f"git:{said['git_tree']}"
    assert (said["changed_files"], said["torch_version"]) == (0, "9.9.0a0")
    assert said["built_by"].startswith("torchtalk ")
    assert said["layers"] == list(FAST_LAYERS)
    before = file.read_bytes()
    assert torchtalk(*export).code == 0
    assert file.read_bytes() == before, "the same index gives the same bytes"


@pytest.mark.slow
def test_the_fingerprint_knows_uncommitted_changes(tree: Path, tmp_path: Path) -> None:
    committed = git(tree, "rev-parse", "HEAD^{tree}")

    def fingerprint() -> tuple[str, int | None]:
        database = _index(tree, tmp_path / "x.db")
        with opened(database) as (conn, file):
            manifest = describe(conn, file, open_tree(tree))
        return manifest.fingerprint, manifest.changed_files

    assert fingerprint() == (f"git:{committed}", 0)
    (tree / "README.md").write_text("not indexed", encoding="utf-8")
    assert fingerprint() == (f"git:{committed}", 0)
    _edit(tree)
    (tree / "aten/new.cpp").write_text("int f() { return 1; }\n", encoding="utf-8")
    (tree / "torchgen/model.py").unlink()
    edited, changed = fingerprint()
    assert edited.startswith(f"git:{committed}+")
    assert changed == 3
    commit(tree)
    assert fingerprint() == (f"git:{git(tree, 'rev-parse', 'HEAD^{tree}')}", 0)
    shutil.rmtree(tree / ".git")
    assert fingerprint()[0].startswith("content:")


def test_a_tree_and_its_index_have_one_content(tree: Path, tmp_path: Path) -> None:
    conn = connect(_index(tree, tmp_path / "x.db"))
    files = database_files(conn)
    conn.close()
    assert content_id(files) == content_id(tree_files(open_tree(tree)))
    state = git_state(open_tree(tree), "HEAD", {**files, NATIVE: "0" * 40})
    assert state is not None
    assert state.changed == 1
    assert content_id({**files, NATIVE: "0" * 40}) != content_id(files)
    assert git_state(open_tree(tree), "0" * 40, files) is None


@pytest.mark.slow
def test_nearest_prefers_content_then_commit_then_ancestor(
    torchtalk: Command, tree: Path, tmp_path: Path
) -> None:
    def keep(name: str) -> None:
        database = _index(tree, tmp_path / "x.db")
        arguments = ("--db", database, "--pytorch-source", tree)
        assert torchtalk("snapshot", "save", name, *arguments).code == 0

    target = tmp_path / "loaded.db"

    def load() -> str:
        target.unlink(missing_ok=True)
        ended = torchtalk(
            "snapshot", "load", "--nearest", "--db", target, "--pytorch-source", tree,
            "--workers", 0,
        )  # fmt: skip
        assert ended.code == 0, ended.err
        first, nearest = ended.out.splitlines()[0], ended.out.split("nearest: ")[1]
        assert "exactly" in nearest or "updated the index" in nearest, ended.out
        assert _operators(target) == _operators(_index(tree, tmp_path / "full.db"))
        return f"{first.split()[1]} {nearest.split(chr(10))[0].strip()}"

    keep("first")
    _edit(tree)
    commit(tree)
    assert load().startswith("first: it is of the nearest ancestor, 1 commits before")
    keep("second")
    _edit(tree, NEW_OPERATOR.replace("brand", "again"))
    assert load().startswith("second: it is of the tree's commit")
    keep("dirty")
    assert load().startswith("dirty: it has exactly the tree's content")
    git(tree, "checkout", "-q", "--", ".")
    assert load().startswith("second: it has exactly")
    commit(tree)
    _edit(tree, NEW_OPERATOR.replace("brand", "third"))
    commit(tree)
    # Of two of one commit, the one without changes.
    assert load().startswith("second: it is of the nearest ancestor, 2 commits before")
    git(tree, "checkout", "-q", "HEAD~3")
    assert load().startswith("first: it has exactly")


def test_a_branch_is_no_ancestor(torchtalk: Command, tree: Path, tmp_path: Path) -> None:
    git(tree, "checkout", "-q", "-b", "side")
    _edit(tree)
    commit(tree)
    database = _index(tree, tmp_path / "x.db")
    torchtalk("snapshot", "save", "side", "--db", database, "--pytorch-source", tree)
    git(tree, "checkout", "-q", "main")
    before = database.read_bytes()
    ended = torchtalk("snapshot", "load", "--nearest", "--db", database, "--pytorch-source", tree)
    assert (ended.code, ended.out, ended.err.count("\n")) == (1, "", 1)
    assert "none of 1 snapshots" in ended.err
    assert database.read_bytes() == before


def test_saving_listing_and_deleting(torchtalk: Command, tree: Path, store: Path) -> None:
    assert torchtalk("snapshot", "list").code == 1
    ended = torchtalk("snapshot", "save", "--pytorch-source", tree)
    assert (ended.code, ended.err.count("\n")) == (8, 1)
    _index(tree, default_database(tree))
    assert torchtalk("snapshot", "save", "--pytorch-source", tree).code == 0
    saved = torchtalk("snapshot", "save", "mine", "--pytorch-source", tree)
    assert (saved.code, saved.out.splitlines()[0]) == (0, "saved mine")
    again = torchtalk("snapshot", "save", "mine", "--pytorch-source", tree)
    assert again.out.startswith("saved mine, in place of the one that was kept by this name\n")
    listed = torchtalk("snapshot", "list")
    assert listed.code == 0
    assert "mine: PyTorch 9.9.0a0, commit " in listed.out
    names = {each["name"] for each in json.loads(torchtalk("snapshot", "list", "--json").out)}
    assert "mine" in names
    assert len(names) == 2
    assert torchtalk("snapshot", "delete", *names).code == 0
    assert torchtalk("snapshot", "delete", "mine").code == 1
    assert os.listdir(store) == []


@pytest.mark.mostly_slow(fast=2)
@pytest.mark.parametrize("name", ["../x", "a/b", ".hidden", "", "a" * 101, "a\nb", "-x", "é"])
def test_a_name_is_never_a_path(torchtalk: Command, tree: Path, store: Path, name: str) -> None:
    _index(tree, default_database(tree))
    for command in (("save", "--pytorch-source", tree), ("delete",), ("load",)):
        ended = torchtalk("snapshot", *command, "--", name)
        assert ended.code in (1, 3), (command, ended)
        assert "Traceback" not in ended.err
    assert not store.exists() or os.listdir(store) == []


def test_loading_does_not_disturb_a_build_or_another_file(
    torchtalk: Command, tree: Path, tmp_path: Path
) -> None:
    database = _index(tree, tmp_path / "x.db")
    torchtalk("snapshot", "save", "one", "--db", database, "--pytorch-source", tree)
    with building_lock(database):
        ended = torchtalk("snapshot", "load", "one", "--db", database)
    assert (ended.code, ended.err.count("\n")) == (6, 1)
    foreign = tmp_path / "precious.db"
    sqlite3.connect(foreign).execute("CREATE TABLE t (x)").connection.close()
    before = foreign.read_bytes()
    ended = torchtalk("snapshot", "load", "one", "--db", foreign)
    assert (ended.code, "left alone" in ended.err) == (5, True)
    assert foreign.read_bytes() == before
    folder = tmp_path / "folder"
    folder.mkdir()
    assert torchtalk("snapshot", "load", "one", "--db", folder / "new" / "y.db").code == 0
    assert sorted(os.listdir(folder / "new")) == ["y.db", "y.db.lock"]


def test_a_full_disk_leaves_nothing(torchtalk: Command, tree: Path, tmp_path: Path) -> None:
    from tests.unit.support.command import start

    database = _index(tree, tmp_path / "x.db")

    out = tmp_path / "out"
    out.mkdir()
    process = start("snapshot", "export", out / "x.tar.gz", "--db", database, most=20_000)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err.count("\n")) == (5, 1)
    assert os.listdir(out) == []


@pytest.mark.slow
def test_what_was_left_behind_is_removed_when_nobody_can_be_writing_it(
    torchtalk: Command, tree: Path, store: Path, tmp_path: Path
) -> None:
    database = _index(tree, tmp_path / "x.db")
    old, fresh = store / ".kept.tar.gz.1234.building.db", store / ".kept.tar.gz.1235.building"
    store.mkdir()
    for path in (old, fresh):
        path.write_text("half", encoding="utf-8")
    os.utime(old, (0, 0))
    torchtalk("snapshot", "save", "kept", "--db", database, "--pytorch-source", tree)
    assert sorted(path.name for path in store.iterdir()) == [fresh.name, "kept.tar.gz"]
    half = tmp_path / ".x.db.1234.building"
    half.write_text("half", encoding="utf-8")
    torchtalk("snapshot", "load", "kept", "--db", database, "--pytorch-source", tree)
    assert not half.exists()
