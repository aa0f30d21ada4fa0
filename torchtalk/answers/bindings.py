"""What C++ gives to Python."""

from __future__ import annotations

from dataclasses import dataclass

from torchtalk.answers.base import NO_PAGE, Answer, Page, Place


@dataclass(frozen=True)
class BindingLine:
    """One name that C++ gives to Python."""

    python_name: str | None
    cpp_name: str | None
    kind: str
    place: Place


@dataclass(frozen=True)
class BindingsAnswer(Answer):
    """Names that fit a text."""

    bindings: tuple[BindingLine, ...] = ()
    page: Page = NO_PAGE

    @property
    def found(self) -> bool:
        """Whether any fits."""
        return self.page.total > 0
