"""How the table `calls` writes a call's kind and origin: one small number for both, since it has a million rows."""

from __future__ import annotations

KINDS = ("call", "virtual", "constructor", "reference", "candidate", "stub", "launch")
"""In the order of schema.sql; the first ones as in `indexer.facts.clang`."""

_CLANG = 8


def call_code(kind: str, origin: str) -> int:
    """The value of `calls.code`.

    Args:
        kind: one of `KINDS`.
        origin: clang or syntax.

    Raises:
        ValueError: there is no such kind.
    """
    return KINDS.index(kind) + (_CLANG if origin == "clang" else 0)
