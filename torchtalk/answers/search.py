"""What a search finds."""

from __future__ import annotations

from dataclasses import dataclass

from torchtalk.answers.base import NO_PAGE, Answer, Page, Place


@dataclass(frozen=True)
class Hit:
    """One operator.

    Args:
        name: `aten::conv2d`, all its overloads; `aten::add.Tensor` where that was asked for.
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
class OtherHit:
    """Something else than an operator.

    Args:
        kind: class, api, kernel (of a dispatch entry), stub, cuda, metal, vulkan, backward, function (C++),
            binding, python.
        name: in full.
        place: of its first definition; of an operator that formulas call, of its entry.
        places: how many there are.
        why: how it fits, as of `Hit`.
        generated_by: what makes a kernel that no file of the tree has; empty for all others.
    """

    kind: str
    name: str
    place: Place
    places: int
    why: str
    generated_by: str = ""


@dataclass(frozen=True)
class SearchAnswer(Answer):
    """What fits a text, the best first.

    Args:
        backend: the dispatch key that operators were kept by.
        kind: what alone was asked for.
        hits: operators.
        page: which of them.
        others: what else fits.
        others_page: which of them.
        kinds: how many of the others there are of each kind.
    """

    backend: str = ""
    kind: str = ""
    hits: tuple[Hit, ...] = ()
    page: Page = NO_PAGE
    others: tuple[OtherHit, ...] = ()
    others_page: Page = NO_PAGE
    kinds: tuple[tuple[str, int], ...] = ()

    @property
    def found(self) -> bool:
        """Whether anything fits, on this page or another."""
        return self.page.total > 0 or self.others_page.total > 0
