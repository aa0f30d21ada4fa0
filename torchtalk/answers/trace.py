"""The way of an operator from its names to its kernels."""

from __future__ import annotations

from dataclasses import dataclass, replace

from torchtalk.answers.base import Place
from torchtalk.answers.dispatch import DispatchLine
from torchtalk.answers.drawn import DrawnAnswer
from torchtalk.answers.steps import StepLine, nearest


@dataclass(frozen=True)
class FormulaLine:
    """One gradient formula."""

    inputs: str
    formula: str
    dispatch_key: str
    place: Place
    functions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Derivative:
    """How an overload is differentiated.

    Args:
        entry: the overload whose formulas are used.
        how: `exact` for its own; `functional`, `mutable` or `view_copy` for another variant's;
            `foreach` for those of the operator that it takes lists for.
    """

    entry: str
    how: str
    output_differentiability: str | None
    formulas: tuple[FormulaLine, ...]


@dataclass(frozen=True)
class OverloadTrace:
    """One overload.

    Args:
        operator: its full name.
        place: its entry.
        origin: yaml, autogen or library.
        declared_by: what declares one of a library: TORCH_LIBRARY, Library, custom_op …
        kind: functional, inplace, out, mutable or scratch.
        fields: the entry's other fields that are not their defaults, by name.
        python: the likeliest public names that reach it directly, an asked-for one first.
        python_left_out: how many more there are.
        dispatch: its table, keys with the same kernel together.
    """

    operator: str
    schema: str | None
    place: Place
    origin: str
    kind: str
    tags: tuple[str, ...]
    fields: dict[str, str]
    python: tuple[str, ...]
    dispatch: tuple[DispatchLine, ...]
    derivative: Derivative | None
    declared_by: str | None = None
    python_left_out: int = 0


_MOST_STEPS = 40
"""Of the way in Python, where there is no room for all."""


@dataclass(frozen=True)
class TraceAnswer(DrawnAnswer):
    """Every overload that a name means.

    Args:
        focus: full, yaml or dispatch.
        overloads: in the YAML's order.
        variants: overloads of the in-place or functional twin.
        elsewhere: where a name stands that is no operator's: `text  path:line`.
        python: of a public Python name: the way from it to the names bound in C++.
        python_left_out: how many steps more that way has.
        python_operators: of all its steps, those called like the name first, then the nearest.
    """

    focus: str = "full"
    overloads: tuple[OverloadTrace, ...] = ()
    variants: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()
    python: tuple[StepLine, ...] = ()
    python_left_out: int = 0
    python_operators: tuple[str, ...] = ()

    def with_room(self) -> TraceAnswer:
        """The same with the nearest of the steps in Python alone."""
        kept = nearest(self.python, _MOST_STEPS)
        left_out = self.python_left_out + len(self.python) - len(kept)
        return replace(self, python=kept, python_left_out=left_out)

    @property
    def found(self) -> bool:
        """Whether the name means an operator, or a Python function that calls some."""
        return bool(self.overloads or self.python)

    @property
    def alone(self) -> str | None:
        """The first overload."""
        return self.overloads[0].operator if self.overloads else None
