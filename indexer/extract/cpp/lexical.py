"""Reading C++ by its tokens: text without comments and literals, brackets, and what encloses an offset.

PyTorch's macros (`TORCH_IMPL_FUNC(f)(…) {`, `REGISTER_NO_CPU_DISPATCH(x)` without a semicolon), Objective-C and `#if`
branches that each open the same brace leave error nodes in a syntax tree; brackets can be counted all the same. The
functions here never raise, whatever the bytes.
"""

from __future__ import annotations

import functools
import re
from bisect import bisect_right
from itertools import accumulate
from typing import NamedTuple

from indexer.extract.cpp.characters import GREATER, LESS, MINUS, SEMICOLON, UNDERSCORE
from indexer.extract.cpp.dead_code import live

_NOISE = re.compile(  # each branch starts with one byte, which lets the search skip everything else
    rb"/(?:/[^\\\n]*(?:\\.[^\\\n]*)*|\*[^*]*\*+(?:[^/*][^*]*\*+)*/)"
    rb'|"(?:(?<=R")([^()\\\s"]{0,16})\(.*?\)\1"|[^"\\\n]*(?:\\.[^"\\\n]*)*")'
    rb"|'(?<![0-9A-Za-z]')(?:[^'\\\n]|\\.){1,8}'"
    rb"|\$\{\w+\}",  # a placeholder of a template (tools/autograd/templates)
    re.DOTALL,
)
_SPACES = bytes(c if c in b"\r\n" else 32 for c in range(256))
_BRACKET = re.compile(rb"[()\[\]{}]")
_LONGEST = 4000  # bytes of template arguments
_ITEM = re.compile(rb"[()\[\]{},<>]")


# Comments and raw strings that nothing ends are looked for to the end of the file, each of them.
_MOST_UNENDED = 50


def _ended(data: bytes) -> bytes:
    """The text, with an end for its comments and raw strings where very many have none."""
    if data.count(b"/*", data.rfind(b"*/") + 1) > _MOST_UNENDED:
        data += b"*/"
    if data.count(b'R"(', data.rfind(b')"') + 1) > _MOST_UNENDED:
        data += b')"'
    return data


_MOST_ESCAPED = 500


def without_escapes(data: bytes) -> bytes:
    """A file's bytes without escaped quotes in lines of hundreds: behind each a literal may begin that nothing ends.

    Args:
        data: the file's bytes.

    Returns:
        As many bytes, with two spaces in the place of each such quote.
    """
    if data.count(b'\\"') < _MOST_ESCAPED:
        return data
    return b"\n".join(
        line.replace(b'\\"', b"  ") if line.count(b'\\"') >= _MOST_ESCAPED else line
        for line in data.split(b"\n")
    )


def _blank(match: re.Match[bytes]) -> bytes:
    text = match.group()
    if text[:1] == b"/":
        return text.translate(_SPACES)
    if text[:1] == b"$":
        return b"__" + text[2:-1] + b"_"
    return text[:1] + text[1:-1].translate(_SPACES) + text[-1:]


def _blank_all_but_placeholders(match: re.Match[bytes]) -> bytes:
    return match.group() if match.group()[:1] == b"$" else _blank(match)


def without_noise(data: bytes) -> bytes:
    """A text as `blanked` gives it, with a template's placeholders (`${name}`) left as they are.

    Args:
        data: of a file, or a part of it that begins outside of comments and literals.
    """
    return live(_NOISE.sub(_blank_all_but_placeholders, _ended(data))[: len(data)])


@functools.lru_cache(maxsize=2)
def blanked(data: bytes) -> bytes:
    """A text with comments, the contents of literals and what is never compiled blanked: same length, same lines.

    A template's `${name}` becomes a name of the same length.

    Args:
        data: of a file, or a part of it that begins outside of comments and literals.
    """
    return live(_NOISE.sub(_blank, _ended(data))[: len(data)])


DEEPEST = 250
"""Brackets in brackets that are followed; people write some twenty, and a bound keeps it linear."""


def closing(text: bytes, opening: int, limit: int = 400_000) -> int:
    """The offset of the bracket that closes the one at `opening`, or -1 where none does.

    Args:
        text: blanked text.
        opening: offset of a `(`, `[` or `{`.
        limit: how far to look.
    """
    depth = 0
    for match in _BRACKET.finditer(text, opening, min(len(text), opening + limit)):
        if match.group() in b"([{":
            depth += 1
            if depth > DEEPEST:
                return -1
        else:
            depth -= 1
            if depth <= 0:
                return match.start()
    return -1


class Argument(NamedTuple):
    """One argument of a call or macro use, `start:end` without surrounding white space."""

    start: int
    end: int


def arguments(text: bytes, opening: int, end: int | None = None) -> list[Argument]:
    """Where the arguments of the list that opens at `opening` stand; commas inside brackets do not separate.

    Template argument lists are not brackets to the preprocessor, so a comma in `f<a, b>` separates in a macro use; it
    does not in a call, where `<` directly after a name and closed before the next bracket counts as one.

    Args:
        text: blanked text.
        opening: offset of the opening bracket.
        end: offset of its closing bracket, if known.
    """
    close = closing(text, opening) if end is None else end
    if close < 0:
        return []
    found: list[Argument] = []
    start, depth, angles = opening + 1, 0, 0
    for match in _ITEM.finditer(text, opening + 1, close):
        at, char = match.start(), match.group()
        if char in b"([{":
            depth += 1
        elif char in b")]}":
            depth -= 1
        elif depth:
            continue
        elif char == b"<":
            if angles or text[at - 1 : at].isalnum() or text[at - 1 : at] == b"_":
                angles += template_end(text, at, close) > at
        elif char == b">":
            angles -= angles > 0 and text[at - 1 : at] != b"-"
        elif not angles:
            found.append(_trimmed(text, start, at))
            start = at + 1
    last = _trimmed(text, start, close)
    if found or last.end > last.start:
        found.append(last)
    return found


def macro_arguments(text: bytes, opening: int, end: int | None = None) -> list[Argument]:
    """Like `arguments`, as the preprocessor splits them: only round brackets protect a comma.

    Args:
        text: blanked.
        opening: offset of the `(`.
        end: offset of the `)`, where it is known already.
    """
    close = closing(text, opening) if end is None else end
    if close < 0:
        return []
    found: list[Argument] = []
    start, depth = opening + 1, 0
    for match in _ITEM.finditer(text, opening + 1, close):
        char = match.group()
        if char == b"(":
            depth += 1
        elif char == b")":
            depth -= 1
        elif char == b"," and not depth:
            found.append(_trimmed(text, start, match.start()))
            start = match.end()
    last = _trimmed(text, start, close)
    if found or last.end > last.start:
        found.append(last)
    return found


def _trimmed(text: bytes, start: int, end: int) -> Argument:
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip(b" \t\r\n\\"))
    right = len(piece) - len(piece.rstrip(b" \t\r\n\\"))
    return Argument(min(start + left, end), max(end - right, min(start + left, end)))


def template_end(text: bytes, opening: int, limit: int) -> int:
    """The offset of the `>` that closes the `<` at `opening` before `limit`, or -1: then it is a comparison.

    Args:
        text: blanked.
        opening: offset of the `<`.
        limit: the offset to which is looked.
    """
    depth, brackets = 0, 0
    for at in range(opening, min(limit, opening + _LONGEST)):
        char = text[at]
        if char == LESS and not brackets:
            depth += 1
        elif char == GREATER and not brackets and text[at - 1] != MINUS:
            depth -= 1
            if not depth:
                return at
        elif char in b"([{":
            brackets += 1
        elif char in b")]}":
            brackets -= 1
            if brackets < 0:
                return -1
        elif char == SEMICOLON or (
            char in b"&|" and text[at + 1 : at + 2] == text[at : at + 1] and not brackets
        ):
            return -1
    return -1


def template_start(text: bytes, closing_angle: int) -> int:
    """Where a template's arguments begin.

    Args:
        text: comments and literals blanked.
        closing_angle: offset of the `>` that closes them.

    Returns:
        The offset of the `<`; -1 where none stands within reach in the same statement and brackets.
    """
    depth, brackets = 0, 0
    for at in range(closing_angle, max(-1, closing_angle - _LONGEST), -1):
        char = text[at]
        if char == GREATER and not brackets and text[at - 1] != MINUS:
            depth += 1
        elif char == LESS and not brackets:
            depth -= 1
            if not depth:
                return at
        elif char in b")]}":
            brackets += 1
        elif char in b"([{":
            brackets -= 1
            if brackets < 0:
                return -1
        elif char == SEMICOLON and not brackets:
            return -1
    return -1


def next_code(text: bytes, at: int) -> int:
    """The offset of the first byte of `text` from `at` on that is no white space and no backslash; its end for none."""
    size = len(text)
    while at < size and text[at] in b" \t\r\n\\":
        at += 1
    return at


def previous_code(text: bytes, at: int) -> int:
    """The offset of the last byte of code before an offset.

    Args:
        text: comments and literals blanked.
        at: the offset; the byte there does not count.

    Returns:
        -1 where there is none. White space, backslashes and lines like `#endif` are passed over.
    """
    while True:
        at -= 1
        while at >= 0 and text[at] in b" \t\r\n\\":
            at -= 1
        start = text.rfind(b"\n", 0, at + 1) + 1
        if at < 0 or text[start : at + 1].lstrip()[:1] != b"#":
            return at
        at = start


@functools.lru_cache(maxsize=4)
def line_offsets(data: bytes) -> tuple[int, ...]:
    """The byte offset at which each line of `data` begins; the first is 0, also of an empty text."""
    if b"\r" in data:  # which `splitlines` would take for a line's end too
        return (0, *(match.end() for match in re.finditer(b"\n", data)))
    ends = accumulate(map(len, data.splitlines(keepends=True)))
    starts = (0, *ends)
    return starts if data.endswith(b"\n") else starts[:-1] or (0,)


def line_of(data: bytes, offset: int) -> int:
    """The 1-based line of the byte `offset` in `data`."""
    return bisect_right(line_offsets(data), offset)


def squeezed(text: bytes, limit: int = 400) -> str:
    """A piece of source on one line.

    Args:
        text: UTF-8; what is none is replaced.
        limit: the most characters; where there are more, `…` is the last.
    """
    line = b" ".join(text.replace(b"\\\n", b" ").split()).decode("utf-8", "replace")
    return line if len(line) <= limit else line[: limit - 1] + "…"


_EXPRESSION_WORDS = frozenset((b"return", b"else", b"do", b"case", b"co_return", b"template"))


def follows_type(text: bytes, at: int) -> bool:
    """Whether a type stands before a name, which then is declared there and not used.

    Args:
        text: comments and literals blanked.
        at: offset of the name, or of a part of it that `::` stands before.

    Returns:
        Also True where nothing stands before it.
    """
    while at > 0 and (text[at - 1 : at].isalnum() or text[at - 1] in b"_:"):
        at -= 1
    before = previous_code(text, at)
    if before < 0:
        return True
    if text[before] in b"*&>~":
        return text[before - 1 : before + 1] not in (b"->", b"&&")
    if not (text[before : before + 1].isalnum() or text[before] == UNDERSCORE):
        return False
    start = before
    while start >= 0 and (text[start : start + 1].isalnum() or text[start] == UNDERSCORE):
        start -= 1
    return text[start + 1 : before + 1] not in _EXPRESSION_WORDS


def word_before(text: bytes, at: int) -> str:
    """The (qualified) name that ends before an offset, white space passed over.

    Args:
        text: comments and literals blanked.
        at: the offset; the byte there does not count.

    Returns:
        The name without a leading `::`; "" where there is none.
    """
    end = at
    while end > 0 and text[end - 1] in b" \t\r\n":
        end -= 1
    start = end
    while start > 0 and (text[start - 1 : start].isalnum() or text[start - 1] in b"_:"):
        start -= 1
    return text[start:end].decode("utf-8", "replace").lstrip(":")
