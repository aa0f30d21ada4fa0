"""What holds in a function's body alone: its using-directives, using-declarations and aliases."""

from __future__ import annotations

import re
from bisect import bisect_left

from indexer.extract.cpp.outline import Function

_USING = re.compile(rb"using\b(?<!\wusing)\s+([^;{}()]*);")
_NAMESPACE = re.compile(rb"namespace\b(?<!\wnamespace)\s+(\w+\s*=[\w:\s]+);")
_BRACKET = re.compile(rb"[{}]")


class LocalNames:
    """Of one file.

    Args:
        text: of the file, comments and literals blanked.
    """

    def __init__(self, text: bytes) -> None:
        self._text = text
        found = [(match.start(), b"using " + match.group(1)) for match in _USING.finditer(text)]
        found += (
            (match.start(), b"namespace " + match.group(1)) for match in _NAMESPACE.finditer(text)
        )
        self._usings = sorted(found)

    def usings(self, function: Function) -> list[tuple[int, int, bytes]]:
        """The using-directives, -declarations and aliases in a body: where each begins and ceases to hold."""
        if not self._usings:
            return []
        first = bisect_left(self._usings, (function.body, b""))
        last = bisect_left(self._usings, (function.end, b""))
        return [
            (at, self._block_end(at, function.end), using) for at, using in self._usings[first:last]
        ]

    def _block_end(self, at: int, end: int) -> int:
        depth = 0
        for match in _BRACKET.finditer(self._text, at, end):
            depth += 1 if match.group() == b"{" else -1
            if depth < 0:
                return match.start()
        return end


def usings_at(usings: list[tuple[int, int, bytes]], at: int) -> bytes:
    """Those that hold at an offset, one a line; white space is folded."""
    return b"\n".join(
        [b" ".join(using.split()) for start, end, using in usings if start < at < end]
    )
