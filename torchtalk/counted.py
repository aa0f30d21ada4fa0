"""Numbers of things, as they are said in a sentence."""

from __future__ import annotations


def counted(number: int, noun: str, several: str = "") -> str:
    """`1 test`, `3 tests`.

    Args:
        number: how many.
        noun: for one.
        several: for more than one; by default the noun with an `s`.
    """
    return f"{number} {noun}" if number == 1 else f"{number} {several or f'{noun}s'}"
