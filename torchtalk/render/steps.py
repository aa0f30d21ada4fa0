"""The lines of steps on the way to operators, and what is said of those for which there is no room."""

from __future__ import annotations

from collections.abc import Sequence

from torchtalk.answers.steps import StepLine
from torchtalk.counted import counted, few

_MOST_BASES = 4
_MOST_UNSEEN = 40


def step_line(step: StepLine) -> str:
    """The line for `step`, one call on the way to the operators, indented by its depth."""
    again = " (handed on)" if step.handed else ""
    again += f" (see {'below' if step.is_below else 'above'})" if step.repeated else ""
    ends = f" → {_bases(step)}" if step.operators else ""
    place = f"  {step.place}" if step.place.file else ""
    return f"{'  ' * (step.depth + 1)}{step.name}{ends}{again}{place}"


def _bases(step: StepLine) -> str:
    """The operators of a step without their overloads, where there is more than one."""
    if len(step.operators) == 1:
        return step.operators[0].name
    bases = list(dict.fromkeys(operator.name.partition(".")[0] for operator in step.operators))
    if len(bases) == 1:
        return f"{bases[0]} ({len(step.operators)} overloads)"
    return few(bases, _MOST_BASES)


def more_steps(number: int, unseen: Sequence[str]) -> str:
    """The line below steps of which some are left out.

    Args:
        number: how many are left out.
        unseen: the operators that none of the steps above ends at.
    """
    bases = list(dict.fromkeys(name.partition(".")[0] for name in unseen))
    ends = f"also to {few(bases, _MOST_UNSEEN)}" if bases else "to operators named above"
    return f"  and {counted(number, 'more step')}, {ends}"
