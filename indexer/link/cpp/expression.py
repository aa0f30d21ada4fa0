"""How an expression is kept that a member is called on (`indexer.extract.cpp.receivers`), taken apart from its end."""

from __future__ import annotations

import re
from typing import NamedTuple

from indexer.link.cpp.type_text import NAME

_STEP = re.compile(rf"(->|\.)?({NAME})(\(_?\))?|(\[(?:[*&]|\d+)?\])|\(_?\)")


class Step(NamedTuple):
    """The last step of an expression; all are empty where there is none.

    Args:
        before: what stands in front of it.
        operator: `->`, `.` or "".
        name: of a member, function or variable; "" for an element or a call of what stands before.
        brackets: `()` or `(_)` behind the name.
        element: `[]`, `[*]`, `[&]`, or `[0]` and so on.
    """

    before: str
    operator: str
    name: str
    brackets: str
    element: str


_NO_STEP = Step("", "", "", "", "")


def last_step(expression: str) -> Step:
    """What an expression ends with, and what stands before that."""
    last, end = None, 0
    for last in _STEP.finditer(expression):
        if last.start() != end:
            return _NO_STEP
        end = last.end()
    if last is None or end != len(expression):
        return _NO_STEP
    operator, name, brackets, element = last.groups(default="")
    return Step(expression[: last.start()], operator, name, brackets, element)
