"""What a server says of a tree that has changed since it was indexed, and how it brings the index up to date."""

from __future__ import annotations

import re
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from indexer.build import build
from indexer.scan.tree import open_tree
from indexer.target import building_lock, is_being_built
from torchtalk import treestate
from torchtalk.answers.base import Answer
from torchtalk.db import connect
from torchtalk.render import to_text
from torchtalk.render.text import MAX_CHARACTERS
from torchtalk.server import freshness
from torchtalk.server.answers import _with_note, ask
from torchtalk.server.source import IndexSource, Update
from torchtalk.tools import all_tools
from torchtalk.tools.get_status import get_status

Sources = Callable[[Update], IndexSource]


@pytest.fixture
def tree(fixture_tree: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(fixture_tree, tmp_path / "tree"))


@pytest.fixture
def index_source(
    tree: Path, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Sources]:
    """Makes servers of one index of the tree, which look at it without waiting in between."""
    monkeypatch.setattr(freshness, "EVERY", 0.01)
    build(open_tree(tree), tmp_path / "x.db", workers=0)
    made: list[IndexSource] = []

    def make(update: Update) -> IndexSource:
        made.append(IndexSource(tmp_path / "x.db", tree, update=update))
        return made[-1]

    yield make
    for source in made:
        source.close()


def _answered(source: IndexSource, wanted: Callable[[str], bool], name: str = "softcap") -> str:
    end = time.monotonic() + 60
    text = ""
    while time.monotonic() < end:
        text = ask(source, all_tools()["trace"], {"name": name})
        if wanted(text):
            return text
        time.sleep(0.02)
    raise AssertionError(text)


def test_an_answer_says_that_the_tree_has_changed(index_source: Sources, tree: Path) -> None:
    source = index_source("never")
    assert "changed since" not in ask(source, all_tools()["trace"], {"name": "softcap"})
    (tree / "torch/fresh.py").write_text("x = 1\n", encoding="utf-8")
    (tree / "aten/src/ATen/test/cap_test.cpp").unlink()
    # A look may have been under way in between; one that had listed the file before it went calls it edited.
    seen = _answered(source, lambda text: "2 files changed since" in text and "removed:" in text)
    last = seen.splitlines()[-1]
    assert re.sub(r"(less than a minute|\d+ minutes?) ago", "AGO", last) == (
        "note: this is of the tree as it was indexed AGO; 2 files changed since"
        " (added: torch/fresh.py, removed: aten/src/ATen/test/cap_test.cpp);"
        f" bring it up to date with: torchtalk index --pytorch-source {tree} --db {tree.parent}/x.db"
    )
    status = ask(source, all_tools()["get_status"], {})
    assert status.count("torch/fresh.py") == 1


def test_the_first_answer_after_an_edit_says_so(
    index_source: Sources, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(freshness, "PATIENCE", 30)
    source = index_source("never")
    assert "changed since" not in ask(source, all_tools()["trace"], {"name": "softcap"})
    (tree / "torch/fresh.py").write_text("x = 1\n", encoding="utf-8")
    time.sleep(2 * freshness.EVERY)
    with source._freshness._lock:
        source._freshness._due = 0.0  # as after EVERY seconds
    assert "1 file changed since" in ask(source, all_tools()["trace"], {"name": "softcap"})


@pytest.mark.slow
def test_of_questions_at_once_each_says_so(
    index_source: Sources, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model asks several at a time; the others came while the first looked at the tree."""
    compared = freshness.tree_state
    begun = threading.Event()

    def slowly(*arguments: Any) -> treestate.TreeState:
        begun.set()
        time.sleep(0.3)
        return compared(*arguments)

    monkeypatch.setattr(freshness, "PATIENCE", 30)
    monkeypatch.setattr(freshness, "EVERY", 1000)
    source = index_source("never")
    (tree / "torch/fresh.py").write_text("x = 1\n", encoding="utf-8")
    monkeypatch.setattr(freshness, "tree_state", slowly)
    with ThreadPoolExecutor(4) as pool:
        first = pool.submit(source.staleness)
        assert begun.wait(30)
        others = [pool.submit(source.staleness) for _ in range(3)]
        assert all("1 file changed since" in one.result() for one in (first, *others))
    assert source._freshness._running is None


def test_a_look_that_cannot_begin_is_begun_later(
    index_source: Sources, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    source = index_source("never")
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        assert source.staleness() == ""
    look = source._freshness.begin()
    assert look is not None
    look.join()


@pytest.mark.slow
def test_a_comparison_is_told_again_for_some_seconds(tree: Path, tmp_path: Path) -> None:
    build(open_tree(tree), tmp_path / "x.db", workers=0)
    now = [100.0]
    comparisons = treestate.Comparisons(lambda: now[0])
    conn = connect(tmp_path / "x.db")
    first = comparisons.state(conn)
    assert (first.state, first.seconds_ago) == ("unchanged", 0)
    (tree / "torch/fresh.py").write_text("x = 1\n", encoding="utf-8")
    now[0] += 4
    assert comparisons.state(conn) == treestate.TreeState("unchanged", seconds_ago=4)
    text = to_text(get_status(conn, comparisons.state))
    assert "the tree is unchanged (compared 4 s ago)" in text
    now[0] += treestate.KEPT
    later = comparisons.state(conn)
    assert (later.state, later.examples, later.seconds_ago) == (
        "changed", ("added: torch/fresh.py",), 0,
    )  # fmt: skip
    assert "ago)" not in to_text(get_status(conn))
    conn.close()
    # Of another file at the same place nothing is known.
    build(open_tree(tree), tmp_path / "x.db", workers=0)
    conn = connect(tmp_path / "x.db")
    assert comparisons.state(conn).state == "unchanged"
    conn.close()


def test_the_note_goes_when_the_index_is_replaced(
    index_source: Sources, tree: Path, tmp_path: Path
) -> None:
    source = index_source("never")
    (tree / "torch/fresh.py").write_text("x = 1\n", encoding="utf-8")
    _answered(source, lambda text: "changed since" in text)
    build(open_tree(tree), tmp_path / "x.db", workers=0)
    assert "changed since" not in ask(source, all_tools()["trace"], {"name": "softcap"})
    assert "changed since" not in _answered(source, lambda text: True)


def test_a_note_is_part_of_the_budget() -> None:
    answer = Answer("x", "finding " + "y" * (2 * MAX_CHARACTERS))
    text = _with_note(answer, "the tree has changed")
    assert len(text) <= MAX_CHARACTERS
    assert text.endswith("note: the tree has changed")


@pytest.mark.slow
@pytest.mark.mostly_slow(fast=1)
@pytest.mark.parametrize("update", ["asked", "always"])
def test_a_changed_tree_is_indexed_by_another_process(
    index_source: Sources, tree: Path, update: Update
) -> None:
    source = index_source(update)
    source.prepare()
    path = tree / "aten/src/ATen/native/native_functions.yaml"
    text = path.read_text(encoding="utf-8") + "\n- func: fresh_thing(Tensor self) -> Tensor\n"
    path.write_text(text, encoding="utf-8")
    _answered(source, lambda text: text.startswith("aten::fresh_thing"), "aten::fresh_thing")


@pytest.mark.slow
def test_asking_for_the_lock_keeps_nobody_from_it(tmp_path: Path) -> None:
    target = tmp_path / "x.db"
    with building_lock(target):
        assert is_being_built(target)
    import fcntl

    with (tmp_path / "x.db.lock").open("rb") as asking:
        fcntl.flock(asking, fcntl.LOCK_SH)  # as is_being_built does, but for longer
        import threading

        threading.Timer(0.1, lambda: fcntl.flock(asking, fcntl.LOCK_UN)).start()
        with building_lock(target):
            assert is_being_built(target)
    assert not is_being_built(target)
