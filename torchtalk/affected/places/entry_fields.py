"""Fields of OpInfos and their like that a diff changes: `supports_out=False`, a line within `skips=(…)`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from torchtalk.affected.diff.diffs import Span
from torchtalk.affected.diff.quiet import says_nothing

_SIGN = re.compile(
    r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|#.*"
    r"|(?P<entry>\b(?!Decorate)\w*Info\()|(?P<sign>[()\[\]{},])|(?<![\w.])(?P<name>[A-Za-z_]\w*)\s*=(?!=)"
)
_ENTRY = "entry"


def fields_in(span: Span) -> frozenset[str]:
    """The fields on changed lines of an entry, or around them, as far as these lines and those above them tell.

    Args:
        span: with its text.
    """
    found: set[str] = set()
    for side in (span.removed, span.added):
        changed = [text for text in side if not says_nothing(text, "python")]
        found.update(_of_last((*span.above, *changed), len(span.above)))
    return frozenset(found)


def _of_last(lines: Iterable[str], first: int) -> Iterator[str]:
    """The fields that lines from one on stand in."""
    # For each open bracket the field whose value it is in, `_ENTRY` for the entry's own, or nothing.
    opened: list[str] = []
    field = ""
    for at, line in enumerate(lines):
        if at >= first and (around := _around(opened)):
            yield around
        for match in _SIGN.finditer(line):
            sign, name = match["sign"], match["name"]
            if match["entry"]:
                # What the list of all entries stands in is none of its fields.
                opened = [_ENTRY]
                field = ""
            elif name:
                is_field = all(one == _ENTRY for one in opened)
                field = name if is_field else ""
                if is_field and at >= first:
                    yield name
            elif sign == ",":
                field = ""
            elif sign and sign in "([{":
                opened.append(field)
                field = ""
            elif sign and opened:
                opened.pop()


def _around(opened: Iterable[str]) -> str:
    return next((one for one in opened if one not in ("", _ENTRY)), "")
