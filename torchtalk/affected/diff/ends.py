"""Lines of a diff that only end otherwise than before, among others that changed: a file that Windows saved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher

_END = "\r"
# Of more lines it would take too long; they count as changed.
_MOST = 20_000

Part = tuple[int, int, int, int]


def parts(removed: Iterable[str], added: Iterable[str]) -> Iterator[Part]:
    """Where lines differ in more than their ends: first and end before, first and end after, from 0.

    Args:
        removed: the lines before.
        added: those after.
    """
    before, after = tuple(removed), tuple(added)
    ends = {text.endswith(_END) for text in before}, {text.endswith(_END) for text in after}
    if ends[0] == ends[1] or not before or not after or len(before) + len(after) > _MOST:
        yield 0, len(before), 0, len(after)
        return
    before, after = (tuple(text.removesuffix(_END) for text in side) for side in (before, after))
    if before == after:
        # What says that a file only ends its lines otherwise counts all of them.
        yield 0, len(before), 0, len(after)
        return
    for same, *part in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if same != "equal":
            first, end, first_after, end_after = part
            yield first, end, first_after, end_after
