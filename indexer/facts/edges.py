"""How the table `calls` writes a call's kind and origin: one small number for both, since it has a million rows."""

from __future__ import annotations

from collections.abc import Collection

KINDS = ("call", "constructor", "virtual", "reference", "candidate", "stub", "launch")
"""In the order of schema.sql."""

MOST_CANDIDATES = 8
"""No call of the text is given more candidates; who reads them needs to know that it is not certain, not each one."""

# Nearly all calls of a whole index are clang's, and SQLite needs no byte to write 0 or 1.
_ORIGINS = {"clang": 0, "syntax": 8, "macro": 16}

BY_CLANG = f"code < {_ORIGINS['syntax']}"
"""In SQL: clang told of the call."""


def is_of_text(code: int) -> bool:
    """Whether the text told of a call with this code, and not clang."""
    return code >= _ORIGINS["syntax"]


def codes_of(words: Collection[str]) -> list[int]:
    """The codes of all calls whose kind or origin is among some words; a word that is neither says nothing."""
    return [
        call_code(kind, origin)
        for origin in _ORIGINS
        for kind in KINDS
        if kind in words or origin in words
    ]


def call_code(kind: str, origin: str) -> int:
    """The value of `calls.code`.

    Args:
        kind: one of `KINDS`.
        origin: syntax, clang, or macro for what a macro's expansion holds.

    Raises:
        ValueError: there is no such kind.
        KeyError: there is no such origin.
    """
    return KINDS.index(kind) + _ORIGINS[origin]
