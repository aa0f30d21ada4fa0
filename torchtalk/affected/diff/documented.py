"""Changed lines of Python without their docstrings: what these say is for readers, and no error says it."""

from __future__ import annotations

import re
from collections.abc import Collection

from torchtalk.affected.diff.quiet import says_nothing

Lines = tuple[int, int]

# The loops are unrolled: of a text without an end each character is looked at once.
_TRIPLE = re.compile(
    r"^[ \t]*[rRuU]?(?:\"\"\"[^\"\\]*(?:(?:\\.|\"(?!\"\"))[^\"\\]*)*\"\"\""
    r"|'''[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*''')[ \t]*$",
    re.DOTALL | re.MULTILINE,
)
# What a statement goes on behind: a bracket, a comma, an operator, another text.
_GOES_ON = re.compile(r"[(\[{,\\=+\-*/%|&\"']\s*(?:#.*)?$")


def without_docs(
    lines: Collection[str], above: Collection[str], first: int = 0, docs: Collection[Lines] = ()
) -> str:
    """Some lines, without docstrings that stand in them as a whole, or on lines that are known to be such.

    A text in three quotes is a docstring, or another comment, where it is a statement of its own: behind `f(` it is an
    argument.

    Args:
        lines: one behind the other.
        above: those before them, as far as known.
        first: number of the first of them, where docstrings are known.
        docs: first and last line of each docstring of their file.
    """
    there = [
        "" if any(begin <= at <= end for begin, end in docs) else text
        for at, text in enumerate(lines, first)
    ]
    text = "\n".join(there)
    kept: list[str] = []
    last = 0
    for match in _TRIPLE.finditer(text):
        before = [*above, *text[: match.start()].split("\n")]
        code = next((line for line in reversed(before) if not says_nothing(line, "python")), "")
        if not _GOES_ON.search(code):
            kept.append(text[last : match.start()])
            last = match.end()
    return "".join((*kept, text[last:]))
