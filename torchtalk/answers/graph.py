"""What calls, called_by and impact find."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from torchtalk.answers.base import NO_PAGE, Page, Place
from torchtalk.answers.drawn import DrawnAnswer


@dataclass(frozen=True)
class Subject:
    """One thing that a question is about: a definition, an overload.

    Args:
        kind: C++, operator, stub, GPU kernel, Python, class or bound name.
        name: in full.
        place: of its definition.
        detail: signature, schema or category.
    """

    kind: str
    name: str
    place: Place
    detail: str | None


@dataclass(frozen=True)
class Neighbour:
    """Something that a subject uses, or that uses it.

    Args:
        subject: the position of the subject among the answer's; -1: one of them, which is not known.
        relation: kind of the edge: call, virtual, candidate, stub, dispatch …
        origin: how it is known: clang, syntax, yaml, macro, python …
        kind: of the neighbour: C++, operator …
        name: of the neighbour.
        place: of its definition.
        uses: where the call or registration stands, all of one file and kind; `use_total` says how many there are.
        ambiguous: it may be a function of another name that is called.
        others: definitions of other overloads of its name, one of which it is.
        behind: of a stub: its kernels, with device and place.
        conditions: of calls: the `#if`s inside the subject's body that each of `uses` stands under, empty for none;
            nothing where none of them does.
        detail: the neighbour's signature, schema or category, as a subject's: what tells overloads apart that a macro
            makes on one line.
    """

    subject: int
    relation: str
    origin: str
    kind: str
    name: str
    place: Place
    uses: tuple[Place, ...]
    ambiguous: bool = False
    others: tuple[Place, ...] = ()
    behind: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    use_total: int = 1
    detail: str | None = None


@dataclass(frozen=True)
class GraphAnswer(DrawnAnswer):
    """What every answer about the graph has.

    Args:
        subjects: what the question is about, as far as it is listed; `subject_total` says how many there are.
        page: which part of the list is shown.
    """

    subjects: tuple[Subject, ...] = ()
    subject_total: int = 0
    page: Page = NO_PAGE

    rows: ClassVar[str]
    """The field that has the rows of the page."""

    @property
    def found(self) -> bool:
        """Whether there is such a thing at all."""
        return bool(self.subjects)

    @property
    def alone(self) -> str | None:
        """The first of what the question is about."""
        return self.subjects[0].name if self.subjects else None


@dataclass(frozen=True)
class NeighboursAnswer(GraphAnswer):
    """Direct neighbours in one direction.

    Args:
        direction: calls or called_by.
        neighbours: on this page, by subject and kind.
        folded: how many calls of which boilerplate are only counted.
    """

    rows: ClassVar[str] = "neighbours"

    direction: str = "calls"
    neighbours: tuple[Neighbour, ...] = ()
    folded: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class PathStep:
    """One edge on the way down.

    Args:
        name: of what is used.
        relation: kind of the edge.
        place: where the call or registration stands.
        origin: how it is known.
    """

    name: str
    relation: str
    place: Place
    origin: str


@dataclass(frozen=True)
class Dependent:
    """Something that would notice a change.

    Args:
        depth: how many calls away; a registration is no distance.
        kind: C++, stub, Python, class …
        name: of it.
        place: of its definition.
        path: one shortest way down to what the question is about.
    """

    depth: int
    kind: str
    name: str
    place: Place
    path: tuple[PathStep, ...]


@dataclass(frozen=True)
class ImpactAnswer(GraphAnswer):
    """What depends on something.

    Args:
        depth: how far was looked.
        totals: how many of each kind were reached.
        dependents: on this page, the nearest first.
        operators: all operators reached, the nearest first; `operator_total` says how many.
        apis: all public Python functions that end at these; `api_total` says how many.
        modules: the first `nn.Module`s, optimizers and schedulers, with their way down; `module_total`.
        other_modules: the names of the others.
        tests: how many tests call or use any of it.
    """

    rows: ClassVar[str] = "dependents"

    depth: int = 0
    totals: dict[str, int] = field(default_factory=dict)
    dependents: tuple[Dependent, ...] = ()
    operators: tuple[str, ...] = ()
    operator_total: int = 0
    apis: tuple[str, ...] = ()
    api_total: int = 0
    modules: tuple[Dependent, ...] = ()
    other_modules: tuple[str, ...] = ()
    module_total: int = 0
    tests: int = 0
