"""`torchtalk init`, and which tree and database are meant without it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.unit.support.command import Command
from torchtalk import config


@pytest.fixture
def torchtalk(capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(capsys)


def test_init_saves_shows_and_forgets(torchtalk: Command, home: Path, fixture_tree: Path) -> None:
    ended = torchtalk("init", fixture_tree)
    assert ended.code == 0
    assert str(fixture_tree) in ended.out
    assert str(config.settings_file()) in ended.out
    assert config.saved_source() == fixture_tree
    assert [path.name for path in config.settings_file().parent.iterdir()] == ["settings.json"]
    shown = torchtalk("init", "--show")
    assert (shown.code, str(fixture_tree) in shown.out) == (0, True)
    assert "not built yet" in shown.out
    assert torchtalk("init", "--forget").out == "forgotten\n"
    assert torchtalk("init", "--forget").out == "nothing was saved\n"
    assert torchtalk("init", "--show").code == 1


def test_init_takes_the_current_folder(
    torchtalk: Command, home: Path, fixture_tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert torchtalk("init").code == 3
    monkeypatch.chdir(fixture_tree / "aten" / "src")
    assert torchtalk("init").code == 0
    assert config.saved_source() == fixture_tree


def test_init_takes_one_wish_at_a_time(torchtalk: Command, home: Path) -> None:
    assert torchtalk("init", "--show", "--forget").code == 2


def test_init_into_a_folder_that_cannot_be_made(
    torchtalk: Command, home: Path, fixture_tree: Path
) -> None:
    (home / "config").write_text("a file", encoding="utf-8")
    ended = torchtalk("init", fixture_tree)
    assert (ended.code, ended.out) == (5, "")
    assert "cannot write" in ended.err


@pytest.mark.parametrize("text", ["{", "[]", '{"pytorch_source": 3}', "\udcff"])
def test_broken_settings_are_said(torchtalk: Command, home: Path, text: str) -> None:
    path = config.settings_file()
    path.parent.mkdir(parents=True)
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    ended = torchtalk("status")
    assert ended.code == 3
    assert "torchtalk init --forget" in ended.err
    assert torchtalk("init", "--forget").code == 0


def test_the_option_goes_before_the_variable_before_the_saved_before_the_folder(
    home: Path, fixture_tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trees = [Path(shutil.copytree(fixture_tree, tmp_path / name)) for name in "abcd"]
    with pytest.raises(config.NoSource, match="torchtalk init"):
        config.find_tree()
    monkeypatch.chdir(trees[3] / "aten")
    assert config.find_tree().root == trees[3]
    config.save_source(trees[2])
    assert config.find_tree().root == trees[2]
    monkeypatch.setenv("PYTORCH_SOURCE", str(trees[1]))
    assert config.find_tree().root == trees[1]
    assert config.find_tree(trees[0]).root == trees[0]
    monkeypatch.setenv("PYTORCH_SOURCE", "")
    assert config.find_tree().root == trees[2]


def test_a_wrong_name_is_not_passed_over(home: Path, fixture_tree: Path) -> None:
    config.save_source(fixture_tree)
    with pytest.raises(config.NoSource, match="--pytorch-source: "):
        config.find_tree(home)


def test_each_tree_has_a_database_of_its_own(home: Path) -> None:
    one, two = (config.default_database(Path(root)) for root in ("/a/pytorch", "/b/pytorch"))
    assert one != two
    assert one.parent == two.parent
    assert one.name.startswith("pytorch-")
    assert config.default_database(Path("/a/py torch\n\udcff/")).name.startswith("py-torch")
    assert config.default_database(Path("/")).name.startswith("pytorch-")
