"""How an index is brought up to date: notes name the command that does so with the very index that was asked."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from torchtalk.answers.base import Answer
from torchtalk.config import index_command

_PLAIN = "torchtalk index"
"""As notes have it: who writes one knows neither the database's place nor the tree's."""

_Answer = TypeVar("_Answer", bound=Answer)


def bringing_command(conn: sqlite3.Connection, database: Path | None, source: Path | None) -> str:
    """The command that brings an index up to date, or adds what it lacks.

    Args:
        conn: the index.
        database: what --db says; without it the command finds the index by its tree.
        source: what --pytorch-source says.
    """
    if database is not None and source is None:
        row = conn.execute("SELECT value FROM meta WHERE key = 'source_root'").fetchone()
        source = Path(row[0]) if row is not None and row[0] else None
    return index_command(database, source)


def whole(text: str, command: str) -> str:
    """A note, `text`, that names the whole `command` where it has `torchtalk index` alone."""
    return text.replace(_PLAIN, command)


def with_command(answer: _Answer, command: str) -> _Answer:
    """An answer whose notes name the whole command.

    Args:
        answer: as a tool gave it.
        command: that brings its index up to date.
    """
    notes = tuple(whole(note, command) for note in answer.notes)
    return answer if notes == answer.notes else replace(answer, notes=notes)
