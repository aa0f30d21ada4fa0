"""What a search finds."""

from __future__ import annotations

from dataclasses import dataclass

from torchtalk.answers.base import NO_PAGE, Answer, Page, Place


@dataclass(frozen=True)
class Hit:
    """One operator.

    Args:
        name: `aten::conv2d`; all its overloads.
        overloads: how many.
        place: of the first one's entry.
        keys: dispatch keys that any overload has an entry for.
        kernels: what the asked-for backend's keys lead to.
        why: how it fits: `exact name`, `word`, `beginning of a word`, `part of the name`, `kernel`.
    """

    name: str
    overloads: int
    place: Place
    keys: tuple[str, ...]
    kernels: tuple[str, ...]
    why: str


@dataclass(frozen=True)
class SearchAnswer(Answer):
    """Operators that fit a text, the best first."""

    backend: str = ""
    hits: tuple[Hit, ...] = ()
    page: Page = NO_PAGE

    @property
    def found(self) -> bool:
        """Whether anything fits, on this page or another."""
        return self.page.total > 0
