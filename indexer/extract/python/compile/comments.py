"""The comments that stand beside a line of Python."""

from __future__ import annotations

import re

_MARKS = re.compile(r"^#+:?\s?|\s*#\s*(?:noqa|type: ignore|pyre-|mypy:|lint).*$")
_TRAILING = re.compile(r"(?<=\s)#(?!\s*(?:noqa|type:|pyre|mypy|pragma))\s*([^\"']*)$")
_MOST = 400


class Comments:
    """Finds comments by their place.

    Args:
        text: the file.
    """

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")

    def beside(self, line: int, end_line: int = 0) -> str:
        """The comment above a statement and the one behind it, on one line, of bounded length.

        Args:
            line: 1-based first line of the statement.
            end_line: its last line.
        """
        above: list[str] = []
        number = line - 2
        while number >= 0 and self._lines[number].lstrip().startswith("#"):
            above.append(_MARKS.sub("", self._lines[number].strip()))
            number -= 1
        parts = [part.strip() for part in reversed(above)]
        if end_line:
            trailing = _TRAILING.search(self._lines[end_line - 1])
            if trailing is not None:
                parts.append(trailing[1].strip())
        text = " ".join(" ".join(part for part in parts if part).split())
        return text if len(text) <= _MOST else text[: _MOST - 1] + "…"
