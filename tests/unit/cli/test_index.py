"""`torchtalk index`: its output and its exit codes."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from pathlib import Path

import pytest

from indexer.target import building_lock
from tests.unit.support.command import Command, start
from torchtalk.config import default_database
from torchtalk.db import connect


@pytest.fixture
def torchtalk(capsys: pytest.CaptureFixture[str], home: Path) -> Command:
    return Command(capsys)


@pytest.fixture
def tree(fixture_tree: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(fixture_tree, tmp_path / "tree"))


def test_a_build_shows_progress_and_a_summary(torchtalk: Command, tree: Path) -> None:
    ended = torchtalk("index", "--pytorch-source", tree, "--workers", 0)
    assert ended.code == 0
    assert "torchtalk: scan\n" in ended.err
    assert "torchtalk: extract: " in ended.err
    assert "\x1b" not in ended.err
    lines = ended.out.splitlines()
    assert lines[0].startswith("indexed PyTorch 9.9.0a0 in ")
    database = default_database(tree)
    assert str(tree) in lines[1]
    assert str(database) in lines[2]
    assert any("operators" in line and "formulas" in line for line in lines)
    connect(database).close()
    assert torchtalk("status", "--pytorch-source", tree).code == 0


def test_the_tree_may_be_an_argument(torchtalk: Command, tree: Path, tmp_path: Path) -> None:
    target = tmp_path / "x.db"
    options = ("--db", target, "--workers", 0, "--layers", "operators", "--json", "--quiet")
    for given in ((tree,), (tree, "--pytorch-source", tree / "..", "--pytorch-source", tree)):
        ended = torchtalk("index", *given, *options)
        assert (ended.code, json.loads(ended.out)["source"]) == (0, str(tree))
    ended = torchtalk("index", tree, "--pytorch-source", tmp_path, *options)
    assert ended.code == 2
    assert f"{tree} and --pytorch-source {tmp_path} are two trees: give one" in ended.err
    assert torchtalk("index", tree / "nowhere", *options).code == 3


def test_quiet_is_quiet_and_json_is_json(torchtalk: Command, tree: Path, tmp_path: Path) -> None:
    target = tmp_path / "new folder" / "x.db"
    arguments = ("index", "--pytorch-source", tree, "--db", target, "--workers", 0)
    ended = torchtalk(*arguments, "--quiet")
    assert (ended.code, ended.out, ended.err) == (0, "", "")
    ended = torchtalk(*arguments, "--json")
    assert ended.code == 0
    assert ended.err
    report = json.loads(ended.out)
    assert report["database"] == str(target)
    assert report["counts"]["operators"]["operators"] > 0
    assert report["size"] == target.stat().st_size
    ended = torchtalk(*arguments, "--quiet", "--json")
    assert (json.loads(ended.out)["source"], ended.err) == (str(tree), "")


def test_the_saved_tree_is_built(torchtalk: Command, tree: Path) -> None:
    torchtalk("init", tree)
    assert torchtalk("index", "--workers", 0).code == 0
    assert torchtalk("status").code == 0


def test_no_tree_ends_with_three(torchtalk: Command, tmp_path: Path) -> None:
    for arguments in ((), ("--pytorch-source", tmp_path), ("--pytorch-source", tmp_path / "no")):
        ended = torchtalk("index", *arguments)
        assert (ended.code, ended.out, ended.err.count("\n")) == (3, "", 1)


def test_a_broken_yaml_ends_with_four(torchtalk: Command, tree: Path, tmp_path: Path) -> None:
    target = tmp_path / "x.db"
    arguments = ("index", "--pytorch-source", tree, "--db", target, "--workers", 0, "--quiet")
    assert torchtalk(*arguments).code == 0
    before = target.read_bytes()
    yaml = tree / "aten/src/ATen/native/native_functions.yaml"
    yaml.write_text(yaml.read_text(encoding="utf-8") + "- func: [\n", encoding="utf-8")
    ended = torchtalk(*arguments)
    assert (ended.code, ended.out) == (4, "")
    assert "native_functions.yaml:" in ended.err
    assert target.read_bytes() == before


def test_a_target_that_cannot_be_written_ends_with_five(
    torchtalk: Command, tree: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    ended = torchtalk("index", "--pytorch-source", tree, "--db", tmp_path / "file/x.db", "--quiet")
    assert (ended.code, ended.out, ended.err.count("\n")) == (5, "", 1)
    assert "give another --db" in ended.err


@pytest.mark.parametrize("what", ["text", "sqlite"])
def test_a_file_that_is_no_index_is_moved_aside(
    torchtalk: Command, tree: Path, tmp_path: Path, what: str
) -> None:
    target = tmp_path / "precious.db"
    if what == "text":
        target.write_text("precious", encoding="utf-8")
    else:
        other = sqlite3.connect(target)
        other.execute("CREATE TABLE precious (x)")
        other.close()
    (tmp_path / "precious.db.bak").write_text("older", encoding="utf-8")
    before = target.read_bytes()
    ended = torchtalk("index", "--pytorch-source", tree, "--db", target, "--workers", 0)
    assert ended.code == 0
    kept = tmp_path / "precious.db.bak1"
    assert f"kept as {kept}" in ended.out
    assert kept.read_bytes() == before
    assert (tmp_path / "precious.db.bak").read_text(encoding="utf-8") == "older"
    connect(target).close()


@pytest.mark.slow
def test_a_failed_build_leaves_a_foreign_file_where_it_is(
    torchtalk: Command, tree: Path, tmp_path: Path
) -> None:
    target = tmp_path / "precious.db"
    target.write_text("precious", encoding="utf-8")
    yaml = tree / "aten/src/ATen/native/native_functions.yaml"
    yaml.write_text("- func: [\n", encoding="utf-8")
    assert torchtalk("index", "--pytorch-source", tree, "--db", target, "--quiet").code == 4
    assert sorted(p.name for p in tmp_path.glob("precious*")) == ["precious.db", "precious.db.lock"]
    assert target.read_text(encoding="utf-8") == "precious"


@pytest.mark.slow
def test_the_summary_says_what_an_update_did(
    torchtalk: Command, tree: Path, tmp_path: Path
) -> None:
    arguments = (
        "index", "--pytorch-source", tree, "--db", tmp_path / "x.db", "--workers", 0, "--quiet",
    )  # fmt: skip
    told = arguments[:-1]
    assert torchtalk(*arguments).code == 0
    assert torchtalk(*told).out.startswith("unchanged: the index of PyTorch 9.9.0a0 is up to date")
    path = tree / "aten/src/ATen/test/cap_test.cpp"
    path.write_text(path.read_text(encoding="utf-8") + "void fresh() {}\n", encoding="utf-8")
    (tree / "torch/fresh.py").write_text("def fresh():\n    pass\n", encoding="utf-8")
    lines = torchtalk(*told).out.splitlines()
    assert lines[0].startswith("updated the index of PyTorch 9.9.0a0 in ")
    assert "  edited: 1 file: aten/src/ATen/test/cap_test.cpp" in lines
    assert "  added: 1 file: torch/fresh.py" in lines
    assert any(line.startswith("  relinked: ") for line in lines)
    assert any(line == "  everything was read: asked for"
               for line in torchtalk(*told, "--full").out.splitlines())  # fmt: skip
    report = json.loads(torchtalk(*arguments, "--json").out)
    assert (report["action"], report["changes"]) == ("unchanged", {})


def test_a_second_build_ends_with_six(torchtalk: Command, tree: Path, tmp_path: Path) -> None:
    target = tmp_path / "x.db"
    with building_lock(target):
        ended = torchtalk("index", "--pytorch-source", tree, "--db", target, "--quiet")
    assert (ended.code, ended.err.count("\n")) == (6, 1)


@pytest.mark.slow
def test_a_full_disk_ends_with_five(tree: Path, tmp_path: Path, fixture_db: Path) -> None:
    folder = tmp_path / "small"
    folder.mkdir()
    target = folder / "x.db"
    shutil.copy(fixture_db, target)
    before = target.read_bytes()

    process = start(
        "index", "--pytorch-source", tree, "--db", target, "--workers", 0, "--quiet",
        most=50_000,
    )  # fmt: skip
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err.count("\n")) == (5, "", 1)
    assert "Nothing was changed" in err
    assert target.read_bytes() == before
    assert sorted(os.listdir(folder)) == ["x.db", "x.db.lock"]
