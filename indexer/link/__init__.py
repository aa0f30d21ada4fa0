"""Linking: named steps, run in order, that resolve the names in the tables to ids.

A step is `NN_name.sql`, or `NN_name.py` with `link(conn)` where SQL cannot do it. Each begins
by saying what it answers.
"""

from __future__ import annotations

import importlib
import sqlite3
from collections.abc import Callable
from pathlib import Path

_HERE = Path(__file__).resolve().parent


def steps() -> list[tuple[str, Callable[[sqlite3.Connection], None]]]:
    """The names of the link steps and what runs them, in order."""
    found: list[tuple[str, Callable[[sqlite3.Connection], None]]] = []
    for path in sorted(_HERE.glob("[0-9]*")):
        if path.suffix == ".sql":
            found.append((path.stem, _sql_step(path)))
        elif path.suffix == ".py":
            module = importlib.import_module(f"{__name__}.{path.stem}")
            found.append((path.stem, module.link))
    return found


def _sql_step(path: Path) -> Callable[[sqlite3.Connection], None]:
    def run(conn: sqlite3.Connection) -> None:
        # executescript would commit what is under way; statements keep the one transaction.
        from indexer.schema import statements

        for statement in statements(path.read_text(encoding="utf-8")):
            conn.execute(statement)

    return run
