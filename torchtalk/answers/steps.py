"""The way from a method or a function down to the operators and their kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torchtalk.answers.base import Place
from torchtalk.answers.dispatch import CalledOperator


@dataclass(frozen=True)
class KernelLine:
    """What an operator dispatches to.

    Args:
        calls: of a composite kernel: the operators that do its work, down to what CPU and CUDA run.
        also_calls: those of them for which there is no room.
    """

    key: str
    kernel: str
    place: Place | None
    calls: tuple[CalledOperator, ...] = ()
    also_calls: tuple[str, ...] = ()


@dataclass(frozen=True)
class OperatorLine:
    """One overload that a name bound in C++ may call.

    Args:
        place: of its entry in native_functions.yaml.
        kernels: what it dispatches to on the main backends, where that was asked for.
        makes_tensors: it returns a tensor; one that does not only tells something about one.
    """

    name: str
    place: Place
    kernels: tuple[KernelLine, ...] = ()
    makes_tensors: bool = True


@dataclass(frozen=True)
class StepLine:
    """One call on the way from a method to the operators.

    Args:
        depth: 0 for what the method itself calls.
        name: a Python function, or a name bound in C++.
        kind: function, module (another module's forward) or native.
        place: of the call.
        operators: of a native.
        repeated: it is unfolded elsewhere, where it stands nearer to what was asked for.
        is_below: of one that is repeated: further down.
        handed: it is only handed on by its name, as a hook is: whether it runs is for what it is given to.
    """

    depth: int
    name: str
    kind: str
    place: Place
    operators: tuple[OperatorLine, ...] = ()
    repeated: bool = False
    handed: bool = False
    is_below: bool = False


def nearest(steps: Sequence[StepLine], most: int) -> tuple[StepLine, ...]:
    """The steps that are the fewest calls away, and of those as far away the first, in the order of all.

    A step is called by one that is nearer, so that what is kept is a tree as well.

    Args:
        steps: as they are laid out.
        most: of these are kept.
    """
    order = sorted(range(len(steps)), key=lambda at: steps[at].depth)
    return tuple(steps[at] for at in sorted(order[:most]))
