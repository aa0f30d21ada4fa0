"""Identifiers split into the words that people search for, in Python and in SQL."""

from __future__ import annotations

import functools
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
    words: list[str] = []
    joined: list[str] = []
    for component in _SCOPE.split(name):
        of_component, of_neighbours = _split(component)
        words += of_component
        joined += of_neighbours
    return " ".join(dict.fromkeys((*words, *joined)))


@functools.lru_cache(maxsize=32_768)
def _split(component: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words of one part of a name, which most share with many others, and what they are as neighbours."""
    words = tuple([piece.lower() for piece in _WORD.findall(component)])
    pairs = map("".join, zip(words, words[1:], strict=False))
    parts = [part.lower() for part in _OTHER.split(component) if part]
    return words, (*pairs, *parts)


def last_component(name: str) -> str:
    """What stands behind the last `::` or dot of `name`: that of `at::native::add` is `add`."""
    return name.replace("::", ".").rpartition(".")[2]


def add_functions(conn: sqlite3.Connection) -> None:
    """Give the connection `conn` the functions that link steps call: `split_words` and `last_component`."""
    conn.create_function("split_words", 1, split_words, deterministic=True)
    conn.create_function("last_component", 1, last_component, deterministic=True)
