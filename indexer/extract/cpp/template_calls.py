"""Calls among template arguments: `launch<threads(), 4>(n)` calls `launch`, whatever stands between `<` and `>`."""

from __future__ import annotations

import re

from indexer.extract.cpp.lexical import template_start

# The end of such a list; each begins with fixed text, which a search is quick with.
_END = re.compile(rb"\)\s*(?:,[\w\s:,*&]*)?>\s*(?:\(|<<<)")
_CALL = re.compile(rb"((?:::)?[A-Za-z_]\w*(?:::\w+)*)\s*(?:<[^<>()]*>\s*)?\(")
_TO_SQUARE = bytes.maketrans(b"()", b"[]")


def without_brackets(text: bytes) -> tuple[bytes, list[tuple[int, bytes]]]:
    """The text with square brackets for the round ones among template arguments of calls, and the calls there.

    Args:
        text: of a file, comments and literals blanked.

    Returns:
        A text as long, in which a template's arguments have nothing that a call could begin with; where each call
        among these stands in it, and the name that is called.
    """
    ends = [text.index(b">", match.start()) for match in _END.finditer(text)]
    if not ends:
        return text, []
    plain = bytearray(text)
    calls: dict[int, bytes] = {}
    for end in ends:
        opening = template_start(text, end)
        if opening >= 0:
            within = text[opening:end]
            calls.update((opening + call.start(), call[1]) for call in _CALL.finditer(within))
            plain[opening:end] = within.translate(_TO_SQUARE)
    return bytes(plain), sorted(calls.items())
