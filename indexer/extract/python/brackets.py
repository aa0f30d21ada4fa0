"""Calls as they stand in blanked text: the name in front of their brackets, and whether anything follows these."""

from __future__ import annotations

import re

_BRACKET = re.compile(r"[()]")
_NAME_BACKWARDS = re.compile(r"[\w.]+")
_NAME_PART = re.compile(r"[\w.]")
_BEHIND = (").", ")[", ") ", ")(")
_LONGEST_NAME = 100
_LONGEST = 1_000  # characters between the brackets of a call whose result is followed


def callee_before(code: str, first: int, end: int) -> tuple[int, str]:
    """The name in front of the brackets that end at an offset: `a.b` for the last of `a.b(c)`.

    Args:
        code: blanked text.
        first: the offset that nothing in front of is looked at.
        end: the offset behind the closing bracket; white space may stand between.

    Returns:
        Where the name begins, and the name; an empty name where the brackets are no call's or the name is too long.
    """
    while code[end - 1].isspace() and end > first:
        end -= 1  # a chain of calls may stand on a line each
    if code[end - 1] != ")":
        return end, ""
    start = max(first, end - _LONGEST)
    opening = code.rfind("(", start, end)
    if code.find(")", opening, end) != end - 1:
        open_at: list[int] = []
        for bracket in _BRACKET.finditer(code, start, end):
            if bracket[0] == "(":
                open_at.append(bracket.start())
            else:
                opening = open_at.pop() if open_at else -1
    if opening < 0:
        return end, ""
    begin = max(first, opening - _LONGEST_NAME)
    name = _NAME_BACKWARDS.match(code[begin:opening][::-1])
    if name is None:
        return end, ""
    start = opening - name.end()
    if start == begin and _NAME_PART.match(code, start - 1):
        return end, ""  # a longer one
    return start, name[0][::-1]


def closing(code: str, opening: int) -> int:
    """The offset behind the bracket that closes the one at `opening` in `code`, a blanked text; 0 where none does."""
    depth = 0
    for bracket in _BRACKET.finditer(code, opening):
        depth += 1 if bracket[0] == "(" else -1
        if not depth:
            return bracket.end()
    return 0


def has_more(code: str, opening: int) -> bool:
    """Whether something may stand behind a call that asks something of what it gives, as far as its first line tells.

    Args:
        code: blanked text.
        opening: the offset of the bracket that opens the call's.
    """
    stop = code.find("\n", opening)
    line = code[opening:stop] if stop >= 0 else code[opening:]
    return any(sign in line for sign in _BEHIND) or line.count("(") != line.count(")")


def ends_line(code: str, opening: int, end: int) -> bool:
    """Whether nothing stands behind a call on its line: what it gives is what is assigned.

    Args:
        code: blanked text.
        opening: the offset of the bracket that opens the call's.
        end: the offset that the call may not reach beyond: where its function ends.
    """
    stop = closing(code, opening)
    if not stop or stop > end:
        return False
    rest = code.find("\n", stop)
    return not code[stop : end if rest < 0 else rest].strip()
