"""Parts that answers have in common."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """Where something stands: a path relative to the tree, and a 1-based line."""

    file: str | None
    line: int | None

    def __str__(self) -> str:
        if self.file is None:
            return "?"
        return self.file if self.line is None else f"{self.file}:{self.line}"


@dataclass(frozen=True)
class Page:
    """Which part of a list an answer shows."""

    total: int
    offset: int
    shown: int

    @property
    def cut(self) -> bool:
        """Whether something is left out."""
        return self.shown < self.total


NO_PAGE = Page(0, 0, 0)
"""The page of an empty list."""


@dataclass(frozen=True)
class Answer:
    """What every answer has.

    Args:
        query: the name or text that was asked for, as it was given.
        finding: the result in one sentence.
        notes: what a reader must know: what is missing, ambiguous or only guessed.
        closest: names like the one asked for, where that is not known.
    """

    query: str
    finding: str
    notes: tuple[str, ...] = ()
    closest: tuple[str, ...] = ()

    @property
    def found(self) -> bool:
        """Whether there is what was asked for; the CLI ends with 1 where not."""
        return True
