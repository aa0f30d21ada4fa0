"""Whole PyTorch trees, each indexed once for all tests and all processes that run them.

The trees are named by PYTORCH_SOURCE_2_6_0 and PYTORCH_SOURCE_1_13_1; `.ci/run` gets them.
Without them nothing here runs, and the summary says so.
"""

from __future__ import annotations

import fcntl
import os
import pickle
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from indexer.build import build
from indexer.report import BuildReport
from indexer.scan.tree import open_tree
from torchtalk.db import connect

VERSIONS = ("2.6.0", "1.13.1")
_LONG = (
    "test_clang",
    "test_workers",
    "test_update",
    "test_python_lexical",
    "test_tests",
    "test_bindings",
)


def source(version: str) -> Path | None:
    """The tree of a version, if the environment names it."""
    value = os.environ.get(f"PYTORCH_SOURCE_{version.replace('.', '_')}")
    return Path(value) if value else None


AVAILABLE = [version for version in VERSIONS if source(version)]
MISSING = [version for version in VERSIONS if not source(version)]
if MISSING:
    # A test file asks for a version by its name; without every tree none of them can hold.
    collect_ignore_glob = ["test_*.py"]


@dataclass(frozen=True)
class Real:
    """One tree and its index.

    Args:
        version: 2.6.0 or 1.13.1.
        root: of the tree.
        db: of its index.
        report: what the build said.
        conn: read-only.
    """

    version: str
    root: Path
    db: Path
    report: BuildReport
    conn: sqlite3.Connection

    def line(self, file: str, line: int) -> str:
        """One line of the tree's source, 1-based."""
        text = (self.root / file).read_text(encoding="utf-8", errors="replace")
        return text.split("\n")[line - 1]


_OPENED: dict[str, Real] = {}


def real_tree(version: str, folder: Path) -> Real:
    """Index a tree, once for all processes of a session: who comes second waits for the first."""
    if version not in _OPENED:
        root = source(version)
        assert root is not None
        db, said = folder / f"pytorch-{version}.db", folder / f"pytorch-{version}.report"
        with (folder / f"pytorch-{version}.wait").open("w") as wait:
            fcntl.flock(wait, fcntl.LOCK_EX)
            if not said.exists():
                said.write_bytes(pickle.dumps(build(open_tree(root), db)))
        report = pickle.loads(said.read_bytes())
        _OPENED[version] = Real(version, root, db, report, connect(db))
    return _OPENED[version]


@pytest.fixture(scope="session")
def real_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where the indexes of this session stand, for each of its processes."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "real"
    folder.mkdir(exist_ok=True)
    yield folder
    for opened in _OPENED.values():
        opened.conn.close()
    _OPENED.clear()


@pytest.fixture(scope="session", params=VERSIONS)
def real(request: pytest.FixtureRequest, real_folder: Path) -> Real:
    """Each tree in turn."""
    return real_tree(request.param, real_folder)


@pytest.fixture(scope="session")
def new(real_folder: Path) -> Real:
    """PyTorch 2.6.0."""
    return real_tree("2.6.0", real_folder)


@pytest.fixture(scope="session")
def old(real_folder: Path) -> Real:
    """PyTorch 1.13.1."""
    return real_tree("1.13.1", real_folder)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take longest: a process gets one at a time, and none should end up alone with one."""
    items.sort(
        key=lambda item: _LONG.index(item.path.stem) if item.path.stem in _LONG else len(_LONG)
    )


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say plainly when no real tree was read."""
    if MISSING:
        names = ", ".join(f"PYTORCH_SOURCE_{v.replace('.', '_')}" for v in MISSING)
        terminalreporter.write_line(f"real-tree tests did NOT run: set {names}")
