"""Which function a place of a Python file stands in, from indentation alone."""

from __future__ import annotations

import bisect
import re

from indexer.extract.patterns import never_back

# Behind the end of a line, which is what `re` finds fastest.
_DEFINES = never_back(r"\n([ \t]*+)(?:(?:async +)?def +(\w+)|class\b)")
_INDENT = re.compile(r"[ \t]*")


class Functions:
    """The functions of a file.

    Args:
        text: the file; strings may be blanked.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        # With a line before the first, a match begins at the offset at which its line begins without.
        found = _DEFINES.finditer("\n" + text)
        self._found = [(m.start(), len(m[1]), m[2] or "") for m in found]

    def around(self, offset: int) -> str:
        """Name of the innermost function around an offset; empty at module or class level."""
        start = self._text.rfind("\n", 0, offset) + 1
        match = _INDENT.match(self._text, start)
        indent = len(match[0]) if match else 0
        position = bisect.bisect_right(self._found, (offset, 0, "")) - 1
        while position >= 0:
            _, depth, name = self._found[position]
            if depth < indent:
                return name
            position -= 1
        return ""
