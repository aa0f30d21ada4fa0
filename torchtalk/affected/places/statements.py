"""The first line of a statement that goes on over several: a registration, a row of a table, a call that makes a name.

The index has a statement by its first line.
"""

from __future__ import annotations

from collections.abc import Sequence

_MOST = 60
_CLOSED_BY = {")": "(", "}": "{", "]": "["}


def beginning(lines: Sequence[str], line: int) -> int | None:
    """The line above with the nearest bracket that is still open where a line begins; None where there is none near.

    Brackets in texts and comments count as others do: they mostly stand in pairs.

    Args:
        lines: of a whole file.
        line: counted from 1.
    """
    closed = 0
    for above in range(min(line - 1, len(lines)), max(0, line - 1 - _MOST), -1):
        for sign in reversed(lines[above - 1]):
            if sign in _CLOSED_BY:
                closed += 1
            elif sign in _CLOSED_BY.values():
                closed -= 1
                if closed < 0:
                    return above
    return None


def is_open(lines: Sequence[str]) -> bool:
    """Whether a bracket that some lines open is still open where they end; those in texts and comments count too.

    Args:
        lines: from the first of a statement on.
    """
    depth = 0
    for line in lines:
        for sign in line:
            depth += (sign in _CLOSED_BY.values()) - (sign in _CLOSED_BY)
    return depth > 0
