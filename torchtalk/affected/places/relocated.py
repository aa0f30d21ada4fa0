"""Lines of a diff against another version of a file than the index read: they are found there by their text.

An index of main is asked about a branch that left it days ago; what others changed above moves the lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from torchtalk.affected.diff.diffs import WHOLE_FILE, FileChange, Span

# So much text above a change is enough to tell it from others.
_ABOVE = 3


def relocated(change: FileChange, lines: Sequence[str]) -> FileChange | None:
    """A change with its lines before it where the text of the index has them.

    Args:
        change: of a file whose blobs are not the one that the index read.
        lines: of the text that it read.

    Returns:
        None where one of the lines is nowhere in it, with what stands above.
    """
    text = [line.rstrip("\r") for line in lines]
    found: list[Span] = []
    for span in change.old:
        first = None if span.last >= WHOLE_FILE else _place(span, text)
        if first is None:
            return None
        found.append(replace(span, first=first, last=first + span.last - span.first))
    return replace(change, old=tuple(found))


def _place(span: Span, text: Sequence[str]) -> int | None:
    """The line on which the removed lines stand, or behind the lines above them.

    Of several places the nearest to where the diff has it, if all lines above fit; with fewer of them none.
    """
    most = min(_ABOVE, len(span.above))
    removed = [line.rstrip("\r") for line in span.removed]
    for number in range(most, -1, -1):
        above = [line.rstrip("\r") for line in span.above[len(span.above) - number :]]
        wanted = [*above, *removed]
        if not any(line.strip() for line in wanted):
            return None
        starts = [
            at + number + 1
            for at in range(len(text) - len(wanted) + 1)
            if text[at] == wanted[0] and list(text[at : at + len(wanted)]) == wanted
        ]
        if len(starts) == 1 or (starts and number == most > 0):
            return min(starts, key=lambda at: (abs(at - span.first), at))
    return None
