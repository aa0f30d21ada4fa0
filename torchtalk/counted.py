"""Numbers and lists of things, as they are said in a sentence."""

from __future__ import annotations

from collections.abc import Sequence


def counted(number: int, noun: str, several: str = "") -> str:
    """`1 test`, `3 tests`, `1,203 tests`.

    Args:
        number: how many.
        noun: for one.
        several: for more than one; by default the noun with an `s`.
    """
    return f"{number} {noun}" if number == 1 else f"{number:,} {several or f'{noun}s'}"


def few(names: Sequence[str], most: int, what: str = "") -> str:
    """`a, b, c` or, of too many, `a, b and 7 more`.

    Args:
        names: of all things.
        most: of these may be named.
        what: the others are.
    """
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + (f"{more} {what}" if more and what else more)
