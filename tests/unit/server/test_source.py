"""The index behind a server: missing, being built, failed, replaced."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from indexer.target import building_lock
from torchtalk.server.answers import CannotAnswer, ask
from torchtalk.server.background import BackgroundBuild
from torchtalk.server.completion import MOST, names_beginning
from torchtalk.server.source import IndexSource, NotYet, Unusable
from torchtalk.tools import all_tools

Sources: TypeAlias = "Callable[[Path | None, Path | None], IndexSource]"


@pytest.fixture
def index_source() -> Iterator[Sources]:
    """Makes sources whose connections of this thread are closed at the end."""
    made: list[IndexSource] = []

    def make(database: Path | None, tree: Path | None) -> IndexSource:
        made.append(IndexSource(database, tree))
        return made[-1]

    yield make
    for source in made:
        source.close()


def _stand_in(monkeypatch: pytest.MonkeyPatch, program: str) -> list[list[str]]:
    """Have the build done by a little program instead of by `python -m torchtalk`."""
    started: list[list[str]] = []
    popen = subprocess.Popen

    def start(command: list[str], **options: Any) -> Any:
        if command[0] == "git":  # asks for the tree's state
            return popen(command, **options)
        started.append(command)
        return popen([sys.executable, "-c", program, *command[3:]], **options)

    monkeypatch.setattr(subprocess, "Popen", start)
    return started


def _put(index: Path, target: Path) -> str:
    """A statement that puts an index in its place in one step, as a build does."""
    return f"os.replace(shutil.copy({str(index)!r}, {str(target)!r} + '.new'), {str(target)!r})"


def _settled(source: IndexSource) -> str:
    """What the source says once its build has ended."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        try:
            source.connection()
        except NotYet:
            time.sleep(0.02)
        except Unusable as error:
            return str(error)
        else:
            return ""
    raise AssertionError("the build did not end")


@pytest.mark.slow
def test_a_missing_index_is_built_once_and_then_asked(
    index_source: Sources,
    fixture_tree: Path,
    fixture_db: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    target = tmp_path / "new" / "x.db"
    ready = tmp_path / "ready"
    program = (
        "import os, pathlib, shutil, time\n"
        "print('torchtalk: extract: 17', flush=True)\n"
        f"while not pathlib.Path({str(ready)!r}).exists(): time.sleep(0.01)\n"
        f"{_put(fixture_db, target)}\n"
    )
    started = _stand_in(monkeypatch, program)
    source = index_source(target, fixture_tree)
    source.prepare()
    text = ask(source, all_tools()["trace"], {"name": "softcap"})
    assert text.startswith(f"The index of {fixture_tree} is being built (")
    threads = [threading.Thread(target=source.prepare) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    while "extract: 17" not in (text := ask(source, all_tools()["get_status"], {})):
        assert "being built" in text
        time.sleep(0.02)
    ready.touch()
    assert _settled(source) == ""
    assert ask(source, all_tools()["trace"], {"name": "softcap"}).startswith("aten::softcap")
    assert len(started) == 1
    assert started[0][1:] == [
        "-m", "torchtalk", "index", "--pytorch-source", str(fixture_tree), "--db", str(target),
    ]  # fmt: skip


def test_a_build_that_ended_a_moment_ago_is_not_repeated(
    fixture_tree: Path, fixture_db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = _stand_in(monkeypatch, "")
    BackgroundBuild(fixture_tree, fixture_db).ensure()
    assert started == []


def test_a_failed_build_says_why_and_is_not_repeated(
    index_source: Sources,
    fixture_tree: Path,
    fixture_db: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    program = (
        "import sys; print('progress', flush=True); sys.exit('torchtalk: error: a.yaml:3: no list')"
    )
    started = _stand_in(monkeypatch, program)
    target = tmp_path / "it's" / "x.db"
    source = index_source(target, fixture_tree)
    said = _settled(source)
    assert "a.yaml:3: no list" in said
    assert "exit code 1" in said
    assert "run: torchtalk index --pytorch-source" in said
    with pytest.raises(CannotAnswer, match=r"a\.yaml:3"):
        ask(source, all_tools()["get_status"], {})
    assert len(started) == 1
    shutil.copy(fixture_db, target)
    assert _settled(source) == ""


def test_a_build_that_cannot_be_started_says_why(
    index_source: Sources, fixture_tree: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    source = index_source(tmp_path / "file" / "x.db", fixture_tree)
    source.prepare()
    with pytest.raises(Unusable, match="cannot be started"):
        source.connection()


def test_another_process_s_build_is_waited_for(
    index_source: Sources,
    fixture_tree: Path,
    fixture_db: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    target = tmp_path / "x.db"
    started = _stand_in(monkeypatch, f"import shutil, os\n{_put(fixture_db, target)}")
    source = index_source(target, fixture_tree)
    with building_lock(target):
        with pytest.raises(NotYet, match="another process"):
            source.connection()
        assert started == []
    # That one ended without a file: now it is our turn.
    assert _settled(source) == ""
    assert len(started) == 1


def test_a_build_that_lost_the_race_is_waited_for(
    index_source: Sources,
    fixture_tree: Path,
    fixture_db: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    target = tmp_path / "x.db"
    started = _stand_in(monkeypatch, "raise SystemExit(6)")
    source = index_source(target, fixture_tree)
    with pytest.raises(NotYet):
        source.connection()
    with building_lock(target):
        end = time.monotonic() + 10
        while time.monotonic() < end:
            with pytest.raises(NotYet) as caught:
                source.connection()
            if "another process" in str(caught.value):
                break
            time.sleep(0.02)
        else:
            raise AssertionError("the other process was not seen")
        shutil.copy(fixture_db, target)
    assert _settled(source) == ""
    assert len(started) == 1


def test_no_tree_and_no_index(
    index_source: Sources, home: Path, tmp_path: Path, fixture_tree: Path
) -> None:
    with pytest.raises(Unusable, match="--pytorch-source DIR"):
        index_source(None, None).connection()
    with pytest.raises(Unusable, match=r"no index at .*x\.db, and no PyTorch tree is known"):
        index_source(tmp_path / "x.db", None).connection()
    with pytest.raises(Unusable, match="no PyTorch source tree"):
        index_source(None, tmp_path).connection()


def test_a_tree_that_is_configured_later_is_found(
    index_source: Sources, home: Path, fixture_tree: Path, fixture_db: Path
) -> None:
    from torchtalk.config import default_database, save_source

    source = index_source(None, None)
    with pytest.raises(Unusable):
        source.connection()
    save_source(fixture_tree)
    target = default_database(fixture_tree)
    target.parent.mkdir(parents=True)
    shutil.copy(fixture_db, target)
    source.connection()


@pytest.mark.parametrize(("version", "said"), [(999, "newer torchtalk"), (0, "older torchtalk")])
def test_files_of_other_versions_are_refused(
    index_source: Sources, fixture_db: Path, tmp_path: Path, version: int, said: str
) -> None:
    path = tmp_path / "x.db"
    shutil.copy(fixture_db, path)
    conn = sqlite3.connect(path)
    conn.execute(f"PRAGMA user_version = {version}")
    conn.close()
    source = index_source(path, None)
    for _ in range(2):
        with pytest.raises(CannotAnswer, match=said):
            ask(source, all_tools()["get_status"], {})


def test_each_thread_has_a_connection_and_sees_a_replaced_file(
    index_source: Sources, fixture_db: Path, tmp_path: Path
) -> None:
    path = tmp_path / "x.db"
    shutil.copy(fixture_db, path)
    source = index_source(path, None)
    seen: list[sqlite3.Connection] = []
    threads = [threading.Thread(target=lambda: seen.append(source.connection())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    mine = source.connection()
    assert source.connection() is mine
    assert len({id(conn) for conn in [*seen, mine]}) == 5
    new = tmp_path / "new.db"
    shutil.copy(fixture_db, new)
    new.replace(path)
    assert source.connection() is not mine


def test_completion_is_sorted_bounded_and_quoted(conn: sqlite3.Connection) -> None:
    assert names_beginning(conn, "softc") == ["softcap"]
    assert names_beginning(conn, "aten::softcap.") == ["aten::softcap.int", "aten::softcap.int_out"]
    assert names_beginning(conn, "softcap.int") == ["aten::softcap.int", "aten::softcap.int_out"]
    everything = names_beginning(conn, "")
    assert len(everything) <= MOST + 1
    assert everything.index("softcap") < everything.index("_softcap")
    for nothing in ("%", "'", "x" * 1000, "soft*", "\0"):
        assert names_beginning(conn, nothing) == []
