"""The first and last line of a statement that goes on over several: a registration, a row of a table, a binding.

The index has a statement by its first line.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

_MOST = 60
_SIGN = re.compile(rb"[()\[\]{};\n]")
# What ends in a line before something begins there: `}).def("x", f)`.
_ENDING = re.compile(rb"[\s)\]};]*")
# What is behind a bracket that closes: an assignment goes on to its end.
_ASSIGNS = re.compile(rb"\s*=(?!=)")
_ENDED = re.compile(r"[;{}]\s*(?://.*)?$")
_CLOSED_BY = {")": "(", "}": "{", "]": "["}


def beginning(lines: Sequence[str], line: int) -> int | None:
    """The line above with the nearest bracket that is still open where a line begins; None where there is none near.

    Brackets in texts and comments count as others do: they mostly stand in pairs.

    Args:
        lines: of a whole file.
        line: counted from 1.
    """
    return next((above for above, _ in _open_above(lines, line)), None)


def _open_above(lines: Sequence[str], line: int) -> Iterator[tuple[int, str]]:
    """The brackets that are open where a line begins, the nearest first: on which line, and which."""
    closed = 0
    for above in range(min(line - 1, len(lines)), max(0, line - 1 - _MOST), -1):
        for sign in reversed(lines[above - 1]):
            if sign in _CLOSED_BY:
                closed += 1
            elif sign in _CLOSED_BY.values():
                closed -= 1
                if closed < 0:
                    closed = 0
                    yield above, sign


def argument_list(lines: Sequence[str]) -> int | None:
    """The line that a list in round brackets begins on which goes on behind some lines of C++; None where none does.

    Args:
        lines: all above.
    """
    begin = None
    for above, sign in _open_above(lines, len(lines) + 1):
        if sign != "(":
            break
        begin = above
    # A bracket that a comment leaves open is far above what ends there.
    if begin is None or any(_ENDED.search(text) for text in lines[begin:]):
        return None
    return begin


def outermost(lines: Sequence[str], line: int) -> int:
    """The line that the outermost statement begins in which goes on in a line; the line itself where none does.

    Args:
        lines: as of `beginning`.
        line: counted from 1.
    """
    while (above := beginning(lines, line)) is not None:
        line = above
    return line


class Ends:
    """Where statements of C++ end, or parts of a chain of calls: `.def("x", f)`.

    Args:
        text: of the file.
    """

    def __init__(self, text: str) -> None:
        from indexer.extract.cpp.lexical import blanked

        self._text = blanked(text.encode("utf-8", "replace"))
        self._breaks = [match.start() for match in re.finditer(rb"\n", self._text)]

    def of(self, line: int) -> int | None:
        """The last line of what begins in a line; None where its brackets do not tell.

        That is where all brackets are closed that it has opened, and of an assignment where the semicolon stands.

        Args:
            line: counted from 1.
        """
        return self._end(line, is_chain=False)

    def of_chain(self, line: int) -> int | None:
        """The last line of the statement that begins in a line, with all that is called on what that makes.

        Args:
            line: counted from 1.
        """
        return self._end(line, is_chain=True)

    def _end(self, line: int, *, is_chain: bool) -> int | None:
        start = self._breaks[line - 2] + 1 if 2 <= line <= len(self._breaks) + 1 else 0
        start = _ENDING.match(self._text, start).end()  # type: ignore[union-attr]
        depth, is_closed = 0, False
        for match in _SIGN.finditer(self._text, start):
            sign = match.group()
            if sign in b"([{":
                depth += 1
            elif sign in b")]}":
                depth -= 1
                is_closed = not (is_chain or _ASSIGNS.match(self._text, match.end()))
            elif depth <= 0 and (sign == b";" or is_closed):
                return bisect_left(self._breaks, match.start()) + 1
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
