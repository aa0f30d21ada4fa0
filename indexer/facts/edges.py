"""How the table `calls` writes a call's kind and origin: one small number for both, since it has a million rows."""

from __future__ import annotations

KINDS = ("call", "virtual", "constructor", "reference", "candidate", "stub", "launch")
"""In the order of schema.sql; the first ones as in `indexer.facts.clang`."""

BY_CLANG = 8
"""The bit of a code that says that clang told of the call."""

_ORIGINS = {"syntax": 0, "clang": BY_CLANG, "macro": 16}


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
