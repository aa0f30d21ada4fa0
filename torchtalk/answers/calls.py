"""What calls a C++ function, or what it calls; what C++ gives to Python."""

from __future__ import annotations

from dataclasses import dataclass, field

from torchtalk.answers.base import Answer, Page, Place


@dataclass(frozen=True)
class CallLine:
    """One call.

    Args:
        function: at the other end, qualified; of an operator that is called by name `at::add`.
        place: of its definition, or nothing where it is an operator's name.
        call: where the call stands.
        kind: call, virtual, constructor, operator …
        origin: clang or syntax.
    """

    function: str
    place: Place
    call: Place
    kind: str
    origin: str


@dataclass(frozen=True)
class CallsAnswer(Answer):
    """Calls in one direction.

    Args:
        direction: callers or callees.
        functions: the definitions that were meant.
        calls: on this page.
        page: which part of all.
    """

    direction: str = "callees"
    functions: tuple[tuple[str, Place], ...] = ()
    calls: tuple[CallLine, ...] = ()
    page: Page = field(default_factory=lambda: Page(0, 0, 0))

    @property
    def found(self) -> bool:
        """Whether there is such a function."""
        return bool(self.functions)


@dataclass(frozen=True)
class BindingLine:
    """One name that C++ gives to Python."""

    python_name: str
    cpp_name: str | None
    kind: str
    place: Place


@dataclass(frozen=True)
class BindingsAnswer(Answer):
    """Names that fit a text."""

    bindings: tuple[BindingLine, ...] = ()
    page: Page = field(default_factory=lambda: Page(0, 0, 0))

    @property
    def found(self) -> bool:
        """Whether any fits."""
        return self.page.total > 0
