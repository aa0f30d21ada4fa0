"""Identifiers split into the words that people search for, in Python and in SQL."""

from __future__ import annotations

import re
import sqlite3

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_SCOPE = re.compile(r"::|\.")
_OTHER = re.compile(r"[^A-Za-z0-9]+")


def split_words(name: str) -> str:
    """Split at camelCase, snake_case and punctuation, keeping each whole part as well.

    Args:
        name: `at::native::LayerNormKernelImpl`.

    Returns:
        `at native layer norm kernel impl layernorm normkernel …`: lower-case words for FTS, then
        neighbours joined, since people write `layernorm` for `layer_norm`.
    """
    words: dict[str, None] = {}
    joined: dict[str, None] = {}
    for component in _SCOPE.split(name):
        pieces = [piece.lower() for piece in _WORD.findall(component)]
        words.update(dict.fromkeys(pieces))
        for first, second in zip(pieces, pieces[1:], strict=False):
            joined[first + second] = None
        for part in _OTHER.split(component):
            joined[part.lower()] = None
    return " ".join(dict.fromkeys((*words, *filter(None, joined))))


def last_component(name: str) -> str:
    """What stands behind the last `::` or dot: that of `at::native::add` is `add`."""
    return name.replace("::", ".").rpartition(".")[2]


def add_functions(conn: sqlite3.Connection) -> None:
    """Give a connection the functions that link steps call."""
    conn.create_function("split_words", 1, split_words, deterministic=True)
    conn.create_function("last_component", 1, last_component, deterministic=True)
