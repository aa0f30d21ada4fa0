"""Operators and classes by the initials of their words: sdpa is how people write scaled_dot_product_attention."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

from torchtalk.sqlfile import statements

_SQL = Path(__file__).parent / "likely.sql"
_WORDS = re.compile(r"[A-Z][a-z]+")
_INITIALS = re.compile(r"[A-Za-z]{3,8}")


def classes_with_initials(conn: sqlite3.Connection, text: str) -> tuple[str, ...]:
    """Public Python classes whose names have a word for each letter: FSDP is FullyShardedDataParallel.

    Args:
        conn: an index.
        text: the letters, in any case, of which there are three to eight.

    Returns:
        Their public names, the shortest first.
    """
    letters = text.strip().upper()
    if not _INITIALS.fullmatch(letters):
        return ()
    found = []
    for name, last in conn.execute(
        statements(_SQL)["classes_beginning_with"], {"first": letters[0]}
    ):
        if "".join(word[0] for word in _WORDS.findall(last)) == letters:
            found.append(name)
    return tuple(sorted(found, key=lambda name: (len(name), name)))


def with_initials(conn: sqlite3.Connection, text: str) -> tuple[str, ...]:
    """Operators, without overloads, whose names have a word for each letter.

    Args:
        conn: an index.
        text: the letters, in any case; nothing has longer or shorter initials than three to eight.

    Returns:
        The names, the shortest first.
    """
    letters = text.strip().lower()
    if not _INITIALS.fullmatch(letters):
        return ()
    found = []
    for (name,) in conn.execute(statements(_SQL)["beginning_with"], {"first": letters[0]}):
        words = name.rpartition("::")[2].split("_")
        if "".join(word[:1] for word in words).lower() == letters:
            found.append(name)
    return tuple(sorted(found, key=lambda name: (len(name), name)))
