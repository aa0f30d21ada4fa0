"""Linking: named steps, run in order, that resolve the names in the tables to ids.

A step is `NN_name.sql`, or `NN_name.py` with `link(conn, pool)` where SQL cannot do it; the pool's
processes take what is long. Each begins by saying what it answers.

In a full build `indexer.linking` says which steps run while workers still read Python files, and which
are left to workers in part.
"""

from __future__ import annotations

import functools
import importlib
import sqlite3
from collections.abc import Callable, Collection
from pathlib import Path

from indexer.workers import WorkerPool

_HERE = Path(__file__).resolve().parent


Step = Callable[[sqlite3.Connection, WorkerPool], None]


def number_of(name: str) -> int:
    """The number that a step's name begins with."""
    return int(name.partition("_")[0])


def steps(numbers: Collection[int]) -> list[tuple[str, Step]]:
    """The names of the link steps with these numbers and what runs them, in order."""
    found: list[tuple[str, Step]] = []
    for number, name, suffix in _files():
        if number not in numbers:
            continue
        if suffix == ".sql":
            found.append((name, _sql_step(name + suffix)))
        elif suffix == ".py":
            module = importlib.import_module(f"{__name__}.{name}")
            found.append((name, module.link))
    return found


@functools.cache
def _files() -> list[tuple[int, str, str]]:
    """The number, the name and the suffix of each step's file, in order."""
    paths = sorted(_HERE.glob("[0-9]*"))
    return [(number_of(path.name), path.stem, path.suffix) for path in paths]


def run_statements(conn: sqlite3.Connection, name: str) -> None:
    """Run a file of SQL that stands here.

    Args:
        conn: the database, in a transaction.
        name: of the file.
    """
    # executescript would commit what is under way; statements keep the one transaction.
    for statement in _statements(name):
        conn.execute(statement)


@functools.cache
def _statements(name: str) -> tuple[str, ...]:
    from indexer.schema import statements

    return statements((_HERE / name).read_text(encoding="utf-8"))


def _sql_step(name: str) -> Step:
    def run(conn: sqlite3.Connection, _: WorkerPool) -> None:
        run_statements(conn, name)

    return run
