"""What the tests share: the fixture tree and an index of it, built once."""

from __future__ import annotations

import contextlib
import gc
import os
import sqlite3
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from indexer.build import build
from indexer.scan.tree import open_tree
from tests.unit.support.tries import tries
from torchtalk.db import connect

# How long an example takes says how busy the machine is.
settings.register_profile("torchtalk", deadline=None, max_examples=tries())
settings.load_profile("torchtalk")

ROOT = Path(__file__).resolve().parent.parent


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave all but the first cases of what is `mostly_slow` to the slow tests."""
    seen: Counter[object] = Counter()
    for item in items:
        mark = item.get_closest_marker("mostly_slow")
        if mark is None:
            continue
        name = item.nodeid.partition("[")[0]
        seen[name] += 1
        if seen[name] > mark.kwargs["fast"]:
            item.add_marker(pytest.mark.slow)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Generator[None, object, object]:
    """Have the collector of cycles leave thousands of tests and their modules alone: they stay until the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """Find what is left once: pytest looks five times, and at all that tests and the program remember."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def memory() -> Iterator[sqlite3.Connection]:
    """An empty database, closed again: from Python 3.13 on one that is not is a warning, and these are errors."""
    with contextlib.closing(sqlite3.connect(":memory:")) as conn:
        yield conn


@pytest.fixture(scope="session", autouse=True)
def _no_clang() -> Iterator[None]:
    """Commands that tests start leave C++ to the syntax, but for those that are about it."""
    before = os.environ.get("TORCHTALK_NO_CLANG")
    os.environ["TORCHTALK_NO_CLANG"] = "1"
    yield
    if before is None:
        del os.environ["TORCHTALK_NO_CLANG"]
    else:
        os.environ["TORCHTALK_NO_CLANG"] = before


@pytest.fixture(scope="session", autouse=True)
def _no_index() -> None:
    """Commands that tests start ask, and write, no index of whoever runs the tests."""
    os.environ.pop("TORCHTALK_DB", None)


@pytest.fixture(scope="session")
def fixture_tree() -> Path:
    """The embedded PyTorch-shaped tree."""
    return ROOT / "fixtures" / "pytorch"


@pytest.fixture(scope="session")
def fixture_db(fixture_tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of the embedded tree."""
    target = tmp_path_factory.mktemp("index") / "fixture.db"
    build(open_tree(fixture_tree), target, workers=0)
    return target


@pytest.fixture
def conn(fixture_db: Path) -> Iterator[sqlite3.Connection]:
    """A read-only connection to the index of the embedded tree."""
    connection = connect(fixture_db)
    yield connection
    connection.close()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of the test's own: nothing is configured, no index is built."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    monkeypatch.delenv("PYTORCH_SOURCE", raising=False)
    monkeypatch.chdir(folder)
    return folder
