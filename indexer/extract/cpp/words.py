"""A word in a text, found without an expression of its own; and whether a line is the preprocessor's."""

from __future__ import annotations

_WORD = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")


def first_word(text: bytes, word: bytes, start: int, end: int) -> int:
    """Where a word stands first in a part of a text, and not as a part of another word.

    Args:
        text: the whole text.
        word: made of letters, digits and `_`.
        start: offset where the part begins.
        end: offset behind it.

    Returns:
        Its offset in the whole text; -1 for nowhere.
    """
    at = text.find(word, start, end)
    while at >= 0:
        after = at + len(word)
        if (at == 0 or text[at - 1] not in _WORD) and (
            after >= len(text) or text[after] not in _WORD
        ):
            return at
        at = text.find(word, after, end)
    return -1


def is_directive(text: bytes, at: int) -> bool:
    """Whether a line is the preprocessor's, or continues one that is.

    Args:
        text: of the file, comments and literals blanked.
        at: offset in the line, behind where its `#` would stand.
    """
    begin = text.rfind(b"\n", 0, at) + 1
    while text[max(0, begin - 3) : begin].endswith((b"\\\n", b"\\\r\n")):
        begin = text.rfind(b"\n", 0, begin - 1) + 1
    return text[begin:at].lstrip().startswith(b"#")
