"""What the command line says of the index it asks, and which file that is."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.unit.support.command import Command, command_line, environment
from torchtalk.config import default_database

CAP = "aten/src/ATen/native/Cap.cpp"


@pytest.fixture
def torchtalk(capsys: pytest.CaptureFixture[str], home: Path) -> Command:
    return Command(capsys)


@pytest.fixture
def tree(fixture_tree: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(fixture_tree, tmp_path / "pytorch"))


def _index(torchtalk: Command, tree: Path, *options: object) -> None:
    ended = torchtalk("index", "--pytorch-source", tree, "--no-clang", "--quiet", *options)
    assert ended.code == 0, ended.err


def test_an_answer_says_that_the_tree_has_changed(torchtalk: Command, tree: Path) -> None:
    _index(torchtalk, tree)
    asked = ("trace", "softcap", "--pytorch-source", tree)
    assert "changed since" not in torchtalk(*asked).out
    (tree / "torch/added.py").write_text("def added():\n    pass\n", encoding="utf-8")
    said = torchtalk(*asked).out.splitlines()[-1]
    assert "1 file changed since (added: torch/added.py)" in said
    assert said.endswith(f"bring it up to date with: torchtalk index --pytorch-source {tree}")
    assert said.removeprefix("note: ") in json.loads(torchtalk(*asked, "--json").out)["notes"]
    _index(torchtalk, tree)
    assert "changed since" not in torchtalk(*asked).out


@pytest.mark.slow
def test_an_index_whose_tree_nobody_has_looked_at_here_is_not_compared(
    torchtalk: Command, tree: Path, tmp_path: Path
) -> None:
    _index(torchtalk, tree)
    elsewhere = Path(shutil.copy(default_database(tree), tmp_path / "x.db"))
    (tree / "torch/added.py").write_text("def added():\n    pass\n", encoding="utf-8")
    assert "changed since" not in torchtalk("trace", "softcap", "--db", elsewhere).out


def test_a_note_names_the_command_for_this_very_index(
    torchtalk: Command, tree: Path, tmp_path: Path
) -> None:
    database = tmp_path / "an index.db"
    _index(torchtalk, tree, "--db", database, "--layers", "operators")
    out = torchtalk("trace", "softcap", "--db", database).out
    assert f"build it with: torchtalk index --pytorch-source {tree} --db '{database}'" in out


@pytest.mark.slow
def test_a_link_stays_a_link_to_the_index(torchtalk: Command, tree: Path, tmp_path: Path) -> None:
    link, database = tmp_path / "current.db", tmp_path / "first.db"
    link.symlink_to(database)
    _index(torchtalk, tree, "--db", link)
    assert link.is_symlink()
    assert database.is_file()
    assert torchtalk("trace", "softcap", "--db", link).code == 0


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_a_stream_that_is_closed_is_no_error(fixture_db: Path, closed: str) -> None:
    command = subprocess.list2cmdline(command_line("trace", "softcap", "--db", fixture_db))
    ended = subprocess.run(f"{command} {closed}", shell=True, env=environment(), check=False)
    assert ended.returncode == 0
