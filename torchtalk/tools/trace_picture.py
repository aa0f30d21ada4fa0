"""The way of an operator as arrows: Python name, operator, kernels by dispatch key, stubs, GPU kernels, gradients."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import NamedTuple

from torchtalk.answers.dispatch import DispatchLine, Reached
from torchtalk.answers.drawn import PictureEdge
from torchtalk.answers.trace import OverloadTrace
from torchtalk.counted import few

MOST_NODES = 40
"""More boxes than these nobody reads."""

_MOST_CALLED = 4
_MOST_KEYS = 3
# The next key is asked.
_NOTHING = frozenset(("c10::fallthrough_kernel", "torch.library.fallthrough_kernel"))
_MAIN = ("CPU", "CUDA", "Composite", "MPS", "Meta")


class _Arrow(NamedTuple):
    """An arrow, and how much is lost where it is left out: the smaller the rank the more."""

    rank: tuple[int, int]
    edge: PictureEdge


def picture(overloads: Sequence[OverloadTrace]) -> tuple[tuple[PictureEdge, ...], int]:
    """The arrows that matter most.

    Args:
        overloads: what is traced.

    Returns:
        The arrows, and how many are left out. A kernel that only calls other operators leads on to those.
    """
    arrows: list[_Arrow] = []
    for position, overload in enumerate(overloads):
        arrows += _of_overload(overload, position)
        for line in overload.dispatch:
            arrows += _of_calls(line, 1)
    return _pruned(arrows, {overload.operator for overload in overloads})


def _of_calls(line: DispatchLine, depth: int) -> Iterator[_Arrow]:
    for number, called in enumerate(line.calls):
        if not line.kernel or number >= _MOST_CALLED:
            return
        relation = "operator" if called.is_sure else "candidate"
        yield _Arrow((depth, number), PictureEdge(line.kernel, called.operator, relation))
        for below in called.dispatch:
            yield from _of_line(called.operator, below, depth + 1 + number)
            yield from _of_calls(below, depth + 2 + number)  # behind what leads to it


def _of_overload(overload: OverloadTrace, position: int) -> Iterator[_Arrow]:
    name = overload.operator
    # What is written to an argument has the same kernels once more.
    later = position + (4 if overload.kind in ("out", "scratch") else 0)
    for number, api in enumerate(overload.python[:2]):
        yield _Arrow((later, number), PictureEdge(api, name, "binds"))
    for line in overload.dispatch:
        yield from _of_line(name, line, later)
    for formula in overload.derivative.formulas if overload.derivative else ():
        for function in formula.functions:
            yield _Arrow((later + 2, 0), PictureEdge(name, function, "derivative"))


def _of_line(operator: str, line: DispatchLine, rank: int) -> Iterator[_Arrow]:
    # A lambda has no name: what it calls first stands for it.
    called = [one.kernel for one in line.reached if one.kind == "lambda"]
    kernel = line.kernel or (called[0] if called else None)
    if kernel is None or kernel in _NOTHING or not (line.definitions or line.reached):
        return  # generated: it says nothing that the operator's name does not
    main = min(
        (n for n, name in enumerate(_MAIN) for key in line.keys if key.startswith(name)),
        default=len(_MAIN),
    )
    at = rank, main
    yield _Arrow(at, PictureEdge(operator, kernel, few(line.keys, _MOST_KEYS)))
    for reached in line.reached:
        if reached.kind != "lambda":
            yield from _handed(kernel, reached, at)
        elif reached.kernel != kernel:
            yield _Arrow(at, PictureEdge(operator, reached.kernel, few(line.keys, _MOST_KEYS)))


def _handed(kernel: str, reached: Reached, at: tuple[int, int]) -> Iterator[_Arrow]:
    if reached.kind == "launch":
        yield _Arrow(at, PictureEdge(kernel, reached.kernel, "launches"))
    elif reached.kind == "library":
        yield _Arrow(at, PictureEdge(kernel, reached.kernel, reached.name))
    elif reached.kind == "override":
        base = reached.name or kernel
        if reached.name:
            yield _Arrow(at, PictureEdge(kernel, base, "virtual"))
        yield _Arrow(at, PictureEdge(base, reached.kernel, "override"))
        for behind in reached.behind:
            yield from _handed(reached.kernel, behind, at)
    elif reached.kind == "table":
        yield _Arrow(at, PictureEdge(kernel, reached.kernel, "calls"))
    else:
        yield _Arrow(at, PictureEdge(kernel, reached.name, "stub"))
        yield _Arrow(at, PictureEdge(reached.name, reached.kernel, reached.backend))


def _pruned(arrows: list[_Arrow], own: Set[str]) -> tuple[tuple[PictureEdge, ...], int]:
    """The arrows of the lowest ranks whose ends fit; one between two boxes for each relation."""
    unique: dict[PictureEdge, tuple[int, int]] = {}
    for arrow in arrows:
        known = unique.get(arrow.edge)
        unique[arrow.edge] = arrow.rank if known is None else min(known, arrow.rank)
    drawn: dict[tuple[str, str], list[str]] = {}
    ends: set[str] = set()
    left = 0
    # In the order in which they were found among those of one rank: what leads to a box comes before it.
    for edge in sorted(unique, key=lambda edge: unique[edge]):
        more = {edge.source, edge.target} - ends
        is_apart = edge.source not in ends and own.isdisjoint((edge.source, edge.target))
        if is_apart or len(ends) + len(more) > MOST_NODES:
            left += 1
            continue
        ends |= more
        drawn.setdefault((edge.source, edge.target), []).append(edge.relation)
    found = tuple(
        PictureEdge(source, target, "; ".join(dict.fromkeys(relations)))
        for (source, target), relations in drawn.items()
    )
    return found, left
