"""`torchtalk affected`: where the change comes from, and what is printed."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import click
import pytest

from torchtalk.affected.diff.checkout import NoDiff, git_diff
from torchtalk.affected.diff.diffs import parse_diff
from torchtalk.cli import exits
from torchtalk.cli.affected import command

_CAP = "torch/nn/modules/cap.py"


def _run(*arguments: str) -> int:
    code: int = command.main(list(arguments), standalone_mode=False)
    return code


def _git(root: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    subprocess.run(["git", "-C", str(root), *identity, *arguments], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    root.mkdir()
    _git(root, "init", "-q", "-b", "main")
    (root / "a.py").write_text("one\ntwo\nthree\n")
    _git(root, "add", ".")
    _git(root, "commit", "-q", "-m", "first")
    return root


def test_what_is_not_committed(repository: Path) -> None:
    assert git_diff(repository) == ""
    (repository / "a.py").write_text("one\nTWO\nthree\n")
    (change,) = parse_diff(git_diff(repository))
    assert (change.path, change.old[0].first) == ("a.py", 2)


def test_whatever_the_users_settings_of_git_are(repository: Path) -> None:
    (repository / "a.py").write_text("one\nTWO\nthree\n")
    plain = git_diff(repository)
    for setting, value in (
        ("diff.mnemonicPrefix", "true"), ("diff.noprefix", "true"), ("color.diff", "always"), ("color.ui", "always"),
        ("diff.external", "false"), ("diff.context", "9"),
    ):  # fmt: skip
        _git(repository, "config", setting, value)
    assert git_diff(repository) == plain
    assert plain.startswith("diff --git a/a.py b/a.py")


def test_since_means_since_the_branch_left(repository: Path) -> None:
    _git(repository, "checkout", "-q", "-b", "work")
    (repository / "b.py").write_text("new\n")
    _git(repository, "add", ".")
    _git(repository, "commit", "-q", "-m", "work")
    _git(repository, "checkout", "-q", "main")
    (repository / "a.py").write_text("one\n")
    _git(repository, "commit", "-q", "-a", "-m", "meanwhile")
    _git(repository, "checkout", "-q", "work")
    assert [change.path for change in parse_diff(git_diff(repository, "main"))] == ["b.py"]


def test_a_shallow_clone_has_to_know_where_the_branch_left(
    repository: Path, tmp_path: Path
) -> None:
    _git(repository, "checkout", "-q", "-b", "work")
    (repository / "b.py").write_text("new\n")
    _git(repository, "add", ".")
    _git(repository, "commit", "-q", "-m", "work")
    _git(repository, "checkout", "-q", "main")
    (repository / "a.py").write_text("one\n")
    _git(repository, "commit", "-q", "-a", "-m", "meanwhile")
    _git(repository, "checkout", "-q", "work")
    clone = tmp_path / "clone"
    _git(
        repository,
        "clone",
        "-q",
        "--depth=1",
        "--no-single-branch",
        repository.as_uri(),
        str(clone),
    )
    with pytest.raises(NoDiff, match="git fetch --unshallow"):
        git_diff(clone, "origin/main")
    _git(clone, "fetch", "-q", "--unshallow")
    assert [change.path for change in parse_diff(git_diff(clone, "origin/main"))] == ["b.py"]


def test_files_that_git_does_not_know_yet(repository: Path) -> None:
    (repository / ".gitignore").write_text("ignored.py\n")
    for name in ("test_new.py", "ignored.py", "notes.txt", "with space.py"):
        (repository / name).write_text("def test_one():\n    pass\n")
    changes = parse_diff(git_diff(repository))
    assert [(change.old_path, change.new_path) for change in changes] == [
        (None, "test_new.py"), (None, "with space.py"),
    ]  # fmt: skip
    assert changes[0].new[0].added[0] == "def test_one():"
    (repository / "a.py").write_text("one\n")
    assert [change.path for change in parse_diff(git_diff(repository, "HEAD"))] == [
        "a.py", "test_new.py", "with space.py",
    ]  # fmt: skip


def test_a_new_file_that_cannot_be_read_is_left_out(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_text(path: Path, **_: str) -> str:
        if path.name == "gone.py":
            raise PermissionError(path)
        return "one"

    for name in ("gone.py", "new.py"):
        (repository / name).touch()
    monkeypatch.setattr(Path, "read_text", read_text)
    assert [change.path for change in parse_diff(git_diff(repository))] == ["new.py"]


def test_in_a_hook_of_another_repository(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _git(tmp_path, "init", "-q", "other")
    (repository / "a.py").write_text("one\n")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other" / ".git"))
    assert [change.path for change in parse_diff(git_diff(repository))] == ["a.py"]


def test_a_tree_within_a_repository(repository: Path) -> None:
    """Paths are those of the tree, and what changed around it is not its own."""
    (repository / "inner").mkdir()
    (repository / "inner" / "b.py").write_text("one\n")
    _git(repository, "add", ".")
    _git(repository, "commit", "-q", "-m", "second")
    for path in ("a.py", "inner/b.py", "inner/c.py"):
        (repository / path).write_text("TWO\n")
    changes = parse_diff(git_diff(repository / "inner"))
    assert [change.path for change in changes] == ["b.py", "c.py"]


def test_new_files_that_are_called_like_a_test(repository: Path) -> None:
    folder = repository / "test" / "dynamo_skips"
    folder.mkdir(parents=True)
    for name in ("TestX.test_y", "README"):
        (folder / name).write_text("")
    (change,) = parse_diff(git_diff(repository))
    assert change.new_path == "test/dynamo_skips/TestX.test_y"


@pytest.mark.parametrize("revision", ["no-such-revision", "--output=/tmp/x"])
def test_revisions_that_are_none(repository: Path, revision: str) -> None:
    with pytest.raises(NoDiff):
        git_diff(repository, revision)


def test_no_repository(tmp_path: Path) -> None:
    for since in ("", "main"):
        with pytest.raises(NoDiff, match="is no git checkout, so that what changed is not known"):
            git_diff(tmp_path, since)


def test_a_diff_from_a_file(
    fixture_db: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    patch = tmp_path / "change.patch"
    patch.write_text(f"--- a/{_CAP}\n+++ b/{_CAP}\n@@ -31 +31 @@\n-a\n+b\n")
    assert _run("--diff", str(patch), "--db", str(fixture_db), "--json") == exits.FOUND
    answer = json.loads(capsys.readouterr().out)
    assert answer["changed"][0]["name"].startswith("torch.nn.modules.cap.Cap")
    assert answer["tests"][0]["name"] == "TestBands.test_band_copy_of_cap"


def test_a_diff_as_powershell_writes_it(
    fixture_db: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    patch = tmp_path / "x.patch"
    text = f"--- a/{_CAP}\r\n+++ b/{_CAP}\r\n@@ -1 +1 @@\r\n-x\r\n+y\r\n"
    said = set()
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        patch.write_bytes(text.encode(encoding))
        assert _run("--diff", str(patch), "--db", str(fixture_db)) == exits.FOUND
        said.add(capsys.readouterr().out)
    assert len(said) == 1 and _CAP in said.pop()


def test_a_diff_from_stdin_as_commands(
    fixture_db: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = f"--- a/{_CAP}\n+++ b/{_CAP}\n@@ -31 +31 @@\n-a\n+b\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    code = _run("--diff", "-", "--db", str(fixture_db), "--form", "commands")
    assert code == exits.FOUND
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("# ")
    assert any(line.startswith("pytest test/test_caps.py -k ") for line in lines)


@pytest.mark.parametrize("diff", [
    "", "\n",
    "--- a/docs/x.md\n+++ b/docs/x.md\n@@ -1 +1 @@\n-a\n+b\n",
    "--- /dev/null\n+++ b/cmake/new.cmake\n@@ -0,0 +1 @@\n+b\n",
    "diff --git a/docs/x.md b/docs/y.md\nsimilarity index 100%\nrename from docs/x.md\nrename to docs/y.md\n",
    f"diff --git a/{_CAP} b/{_CAP}\nold mode 100644\nnew mode 100755\n",
])  # fmt: skip
def test_a_change_that_needs_no_test_is_answered(
    fixture_db: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], diff: str
) -> None:
    """The recipe of docs/affected.md runs under `bash -e`, and what it writes is run by bash."""
    patch = tmp_path / "change.patch"
    patch.write_text(diff)
    arguments = ("--diff", str(patch), "--db", str(fixture_db))
    assert _run(*arguments) == exits.FOUND
    assert capsys.readouterr().out.strip()
    assert _run(*arguments, "--form", "commands") == exits.FOUND
    assert all(line.startswith("# ") for line in capsys.readouterr().out.splitlines())
    assert _run(*arguments, "--json") == exits.FOUND
    assert json.loads(capsys.readouterr().out)["commands"] == []


def test_what_no_answer_is(fixture_db: Path, tmp_path: Path) -> None:
    assert _run("no_such_thing_at_all", "--db", str(fixture_db)) == exits.NOTHING_FOUND
    patch = tmp_path / "change.patch"
    patch.write_text("no diff")
    with pytest.raises(click.ClickException, match="no file in it"):
        _run("--diff", str(patch), "--db", str(fixture_db))


def test_two_sources_are_one_too_many(fixture_db: Path) -> None:
    with pytest.raises(click.UsageError, match="give one"):
        _run("--since", "main", "--diff", "x", "--db", str(fixture_db))
    with pytest.raises(click.UsageError, match="no/such/file"):
        _run("--diff", "no/such/file", "--db", str(fixture_db))
