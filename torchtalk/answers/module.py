"""What trace_module and list_modules find."""

from __future__ import annotations

from dataclasses import dataclass

from torchtalk.answers.base import Answer, Page, Place
from torchtalk.answers.steps import StepLine

_NO_PAGE = Page(0, 0, 0)


@dataclass(frozen=True)
class MethodLine:
    """A method.

    Args:
        name: without its class.
        signature: as written, from the opening bracket on.
        kind: method, staticmethod, classmethod, property, setter or overload.
        owner: the class that defines it, where that is not the one asked for.
        doc: first lines of its docstring.
    """

    name: str
    signature: str
    kind: str
    place: Place
    owner: str | None = None
    doc: str = ""


@dataclass(frozen=True)
class BaseLine:
    """A class that the class derives from, in Python's order; without a place if not in the tree.

    The place of one that C++ binds (torch._C.TensorBase) is where it does.
    """

    name: str
    place: Place | None
    distance: int


@dataclass(frozen=True)
class ModuleAnswer(Answer):
    """A module, optimizer or scheduler: its class, its methods and the operators below it.

    Args:
        steps: the first of them.
        steps_left_out: how many more there are.
        operators: of all steps, those left out included.
        operators_left_out: those that only steps which are left out end at.
    """

    name: str = ""
    public_name: str | None = None
    category: str = ""
    section: str | None = None
    place: Place | None = None
    doc: str = ""
    decorators: tuple[str, ...] = ()
    bases: tuple[BaseLine, ...] = ()
    methods: tuple[MethodLine, ...] = ()
    entry: str = ""
    steps: tuple[StepLine, ...] = ()
    steps_left_out: int = 0
    operators: tuple[str, ...] = ()
    operators_left_out: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()

    @property
    def found(self) -> bool:
        """Whether the name is one class's."""
        return bool(self.name)


@dataclass(frozen=True)
class ListedModule:
    """One class of a list."""

    name: str
    place: Place
    bases: str
    doc: str


@dataclass(frozen=True)
class ModuleGroup:
    """Classes under one heading; `total` counts those on other pages too."""

    title: str
    total: int
    modules: tuple[ListedModule, ...]


@dataclass(frozen=True)
class ModuleListAnswer(Answer):
    """Classes, grouped as the documentation groups them."""

    category: str = ""
    groups: tuple[ModuleGroup, ...] = ()
    page: Page = _NO_PAGE

    @property
    def found(self) -> bool:
        """Whether any class fits, on this page or another."""
        return self.page.total > 0
