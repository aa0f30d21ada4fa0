"""Lines of a diff against another version of a file than the index read: they are found there by their text.

An index of main is asked about a branch that left it days ago; what others changed above moves the lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from torchtalk.affected.diff.diffs import WHOLE_FILE, FileChange, Span

# So much text above a change is enough to tell it from others.
_ABOVE = 3
# A shorter line may stand anywhere: `return x`.
_TELLING = 8


def relocated(change: FileChange, lines: Sequence[str]) -> tuple[FileChange, int]:
    """A change with its lines before it where the text of the index has them.

    Args:
        change: of a file whose blobs are not the one that the index read.
        lines: of the text that it read.

    Returns:
        Also how many of its spans are nowhere in the text: these are moved below what stands above them, as far as
        that is there, else as other spans are. Where none of that is there, the lines mean nothing: none is left.
    """
    if not lines:
        return change, len(change.old)
    text = [line.rstrip("\r") for line in lines]
    found_at = [() if span.last >= WHOLE_FILE else _places(span, text) for span in change.old]
    # Of several places the nearest is likely, and not sure.
    lost = sum(len(places) != 1 for places in found_at)
    places = [
        min(at, key=lambda line: (abs(line - span.first), line))
        if at
        else None
        if span.last >= WHOLE_FILE
        else _below(span, text)
        for at, span in zip(found_at, change.old, strict=True)
    ]
    by = [
        None if place is None else place - span.first
        for place, span in zip(places, change.old, strict=True)
    ]
    if by.count(None) == len(by) and not any(span.last >= WHOLE_FILE for span in change.old):
        return replace(change, old=()), lost
    offset = next((moved for moved in by if moved is not None), 0)
    found: list[Span] = []
    for span, moved in zip(change.old, by, strict=True):
        offset = offset if moved is None else moved
        first = span.first if span.last >= WHOLE_FILE else max(1, span.first + offset)
        found.append(replace(span, first=first, last=span.last + first - span.first))
    return replace(change, old=tuple(found)), lost


def _below(span: Span, text: Sequence[str]) -> int | None:
    """The line that is as far below one that stands above the span, and once in the text, as the span is."""
    for back, line in enumerate(reversed(span.above), 1):
        known = line.rstrip("\r")
        if len(known.strip()) >= _TELLING and text.count(known) == 1:
            return text.index(known) + 1 + back
    return None


def _places(span: Span, text: Sequence[str]) -> list[int]:
    """The lines on which the removed lines stand, or behind the lines above them.

    With fewer than all lines above there is one place, or none.
    """
    most = min(_ABOVE, len(span.above))
    removed = [line.rstrip("\r") for line in span.removed]
    for number in range(most, -1, -1):
        above = [line.rstrip("\r") for line in span.above[len(span.above) - number :]]
        wanted = [*above, *removed]
        if not any(line.strip() for line in wanted):
            return []
        starts = [
            at + number + 1
            for at in range(len(text) - len(wanted) + 1)
            if text[at] == wanted[0] and list(text[at : at + len(wanted)]) == wanted
        ]
        if len(starts) == 1 or (starts and number == most > 0):
            return starts
    return []
