"""The text of an operator that a kernel calls."""

from __future__ import annotations

from collections.abc import Iterator

from torchtalk.answers.base import Place
from torchtalk.answers.dispatch import CalledOperator
from torchtalk.counted import few

_MOST_NAMES = 8


def called_line(called: CalledOperator) -> str:
    """One line: the operator, where it is called and by what."""
    others = [name for name in called.overloads if name != called.operator]
    text = ", ".join((called.operator, *others)) + f"  at {_lines(called.places)}"
    if called.helper:
        text += f" in {called.helper}"
    if not called.is_sure:
        text += "  [candidate]"
    return f"calls {text}  (shown here)" if called.is_shown_elsewhere else f"calls {text}"


def also_line(others: tuple[str, ...], *, are_all: bool) -> Iterator[str]:
    """The line that names what else is called, if there is anything.

    Args:
        others: operators.
        are_all: nothing stands before them.
    """
    if others:
        yield f"{'calls' if are_all else 'also calls'} {few(others, _MOST_NAMES, 'operators')}"


def _lines(places: tuple[Place, ...]) -> str:
    """Places in one file: the path once."""
    files = dict.fromkeys(place.file for place in places)
    return ", ".join(
        f"{file}:{', '.join(str(place.line) for place in places if place.file == file)}"
        for file in files
    )
