"""Others write, parse or end the process while the semantic layer is made."""

from __future__ import annotations

import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from indexer import semantic as layer
from indexer.build import build
from indexer.clang.cache_folder import parsing_lock
from indexer.errors import BusyError
from indexer.layers import LAYER_NAMES
from indexer.progress import Silent
from indexer.report import SemanticReport
from indexer.scan.tree import SourceTree
from indexer.semantic import add_semantic
from indexer.target import building_lock, is_being_built
from tests.unit.support.command import start
from tests.unit.support.semantic_tree import (
    add,
    dump_without_keys,
    edges,
    fast_index,
    plain_tree,
    statuses,
)


@pytest.fixture
def tree(tmp_path: Path) -> SourceTree:
    return plain_tree(tmp_path)


@pytest.fixture
def target(tree: SourceTree, tmp_path: Path) -> Path:
    return fast_index(tree, tmp_path)


def test_nobody_else_may_be_building(tree: SourceTree, target: Path) -> None:
    with building_lock(target), pytest.raises(BusyError):
        add(tree, target)


@pytest.mark.slow
def test_others_may_build_while_units_are_parsed(
    tree: SourceTree, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database is changed meanwhile: the result is that of its last state."""
    read = layer.semantic
    rounds = []

    def meanwhile(*arguments: Any, **how: Any) -> Any:
        found = read(*arguments, **how)
        assert not is_being_built(target)
        if len(rounds) < 2:
            path = tree.root / "c10/core/a.cpp"
            path.write_text(
                path.read_text()
                + f"namespace c10 {{ int more{len(rounds)}() {{ return a(); }} }}\n"
            )
            build(tree, target, layers=LAYER_NAMES, workers=0)
        rounds.append(found.reused)
        return found

    monkeypatch.setattr(layer, "semantic", meanwhile)
    report = add(tree, target)
    assert report.changed
    assert rounds == [0, 5, 5]  # only what was edited is parsed again
    assert ("c10::more1", "c10::a", "call") in edges(target)
    fresh = target.with_name("fresh.db")
    build(tree, fresh, layers=LAYER_NAMES, workers=0)
    add(tree, fresh)
    assert dump_without_keys(fresh) == dump_without_keys(target)


@pytest.mark.slow
def test_a_database_that_always_changes_is_held_in_the_end(
    tree: SourceTree, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = layer.semantic
    held = []

    def meanwhile(*arguments: Any, **how: Any) -> Any:
        held.append(is_being_built(target))
        if not held[-1]:
            build(tree, target, layers=LAYER_NAMES, workers=0, full=True)
        return read(*arguments, **how)

    monkeypatch.setattr(layer, "semantic", meanwhile)
    assert add(tree, target).changed
    assert held == [False] * layer._TRIES + [True]


@pytest.mark.slow
def test_who_writes_meanwhile_is_waited_for(
    tree: SourceTree, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = layer.semantic
    ended = []

    def hold() -> None:
        with building_lock(target):
            holding.set()
            time.sleep(0.3)
            ended.append(True)

    def meanwhile(*arguments: Any, **how: Any) -> Any:
        found = read(*arguments, **how)
        threading.Thread(target=hold).start()
        holding.wait()
        return found

    holding = threading.Event()
    monkeypatch.setattr(layer, "semantic", meanwhile)
    assert add(tree, target).changed
    assert ended == [True]


def test_who_waits_for_another_parse_says_so(tree: SourceTree, target: Path) -> None:
    stages: list[str] = []

    class Told(Silent):
        def stage(self, name: str, total: int) -> None:
            stages.append(name)
            if name.startswith("wait"):
                waiting.set()

    waiting = threading.Event()
    cache = target.parent / "clang"
    done: list[SemanticReport] = []
    second = threading.Thread(
        target=lambda: done.append(
            add_semantic(tree, target, cache=cache, workers=0, progress=Told())
        )
    )
    with parsing_lock(cache, tree.root, Silent()):
        second.start()
        assert waiting.wait(60)
        assert done == []
    second.join(120)
    assert [report.status for report in done] == ["ok"]
    assert stages.index("wait for another process that parses this tree") == 0


@pytest.mark.slow
def test_killed_while_parsing_the_fast_index_stands_and_work_is_kept(
    tree: SourceTree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TORCHTALK_NO_CLANG")  # which other tests of commands set
    for number in range(40):
        (tree.root / f"c10/core/many{number}.cpp").write_text(
            "#include <algorithm>\n#include <map>\n#include <string>\n#include <functional>\n"
            f"int many{number}() {{ return {number}; }}\n"
        )
    target, cache = tmp_path / "killed.db", tmp_path / "clang"
    process = start(
        "index", "--pytorch-source", tree.root, "--db", target, "--workers", 1, "--clang-cache", cache,
    )  # fmt: skip
    ended = time.monotonic() + 120
    while process.poll() is None and len(list(cache.glob("*.facts"))) < 3:
        assert time.monotonic() < ended
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 143
    assert f"terminated; {target} is in place, with the calls that the syntax tells" in said
    kept = len(list(cache.glob("*.facts")))
    assert kept >= 3
    assert statuses(target) == {None: ("skipped", layer._LAYER.missing)}
    assert list(tmp_path.glob(".killed.db*.building")) == []
    again = add_semantic(tree, target, cache=cache, workers=0)
    assert again.reused >= kept - 2  # besides those of precompiled headers
