"""The variables outside of all functions in whose values lines of C++ stand: tables, or the text of a kernel.

`const auto erfcx_string = jiterator_stringify(` opens hundreds of lines (aten/src/ATen/native/cuda/Math.cuh), none of
which says what it belongs to. Which brackets are open around a line does.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_BRACKET = re.compile(rb"[()\[\]{}]")
_END = re.compile(rb"[;{}]")
# What has a value, or is made of what stands in braces behind it; a function has round brackets before its body.
_NAMED = re.compile(
    rb"[^()]*(?<!\w)(?P<name>[A-Za-z_]\w*)\s*(?:\[[^\]]{0,200}\]\s*){0,4}(?:=(?!=)[^;]*|\{)$"
)
# A text of several lines, contents blanked: Metal's kernels, or what is compiled at run time. What is declared with one
# in brackets has its type before it: `static MetalShaderLibrary lib(R"METAL(…)METAL");`.
_LITERAL = re.compile(
    rb"(?:(?<!\w)(?P<name>[A-Za-z_]\w*)\s*(?:\[[^\]]{0,200}\]\s*){0,4}=|(?<=[\w>*&][ \t])(?P<made>[A-Za-z_]\w*)[({])\s*"
    rb"(?P<text>(?:(?:u8|[uUL])?R?\"[^\"]*\"\s*)+)[;,)}]"
)
# One that is made of a list in brackets: `static std::map<K, V> versions({{"x", 1}});`. No parameters begin so.
_MADE = re.compile(rb"[^()]*[\w>*&]\s+[*&]*(?P<name>[A-Za-z_]\w*)\s*$")
_LISTED = re.compile(rb"\(\s*\{")
# What a value goes on with: `= std::string(R"(…)") + std::string(R"(…)")`.
_ADDED = re.compile(rb"\)\s*\+[\s\w:\"]*")
_DIRECTIVE = re.compile(rb"^[ \t]*#[^\n]*(?:(?<=\\)\n[^\n]*)*", re.MULTILINE)
_TEXT = re.compile(rb"[^\n]")
_ARGUMENTS = re.compile(rb"<[^<>]*>")
_SCOPE = re.compile(rb"\s*(?:(?:inline|template)\b\s*)*(?:namespace|class|struct|union|extern)\b")
_NO_NAMES = frozenset(b"operator typename template class struct union final else return".split())
_ENUMERATION = re.compile(rb"\s*enum\b")
_OPEN, _BRACE = frozenset(b"([{"), 123
_LONGEST = 2_000
"""Bytes before a bracket that are looked at for the name."""


class Valued(NamedTuple):
    """A variable with a value in brackets, or that is a text of several lines.

    Args:
        start: offset of the bracket that opens first, or of the text.
        end: offset behind the one that closes it, or behind the text.
        name: of the variable.
        is_text: it is a text, whose lines say nothing for themselves.
    """

    start: int
    end: int
    name: str
    is_text: bool = False


def valued(code: bytes) -> list[Valued]:
    """The variables of namespaces and classes whose values stand in brackets or are long texts, in their order.

    Args:
        code: of the file, comments and literals blanked.
    """
    code = _DIRECTIVE.sub(lambda match: _TEXT.sub(b" ", match[0]), code)
    texts = [match for match in _LITERAL.finditer(code) if b"\n" in match["text"]][::-1]
    found: list[Valued] = []
    depth = 0  # of what is no namespace or class
    start, behind, name = 0, 1, ""
    for match in (*_BRACKET.finditer(code), None):
        at = match.start() if match is not None else len(code)
        while texts and texts[-1].start() < at:
            text = texts.pop()
            if not depth:
                called = (text["name"] or text["made"]).decode("latin-1")
                found.append(Valued(*text.span("text"), called, is_text=True))
        if match is None:
            break
        if code[at] in _OPEN:
            if depth:
                depth += 1
                continue
            head = _head(code, at)
            if code[at] == _BRACE and _SCOPE.match(head):
                continue
            if name and _ADDED.fullmatch(
                code, behind - 1, at
            ):  # what is before a `+` may be very long
                start, depth = at, 1
                continue
            named = _NAMED.match(head) or (_LISTED.match(code, at) and _MADE.match(head))
            is_one = not _ENUMERATION.match(head) and named and named["name"] not in _NO_NAMES
            start, name = at, named["name"].decode("latin-1") if named and is_one else ""
            depth = 1
        elif depth:
            depth -= 1
            behind = at + 1
            if not depth and name:
                found.append(Valued(start, behind, name))
    return found


def _head(code: bytes, bracket: int) -> bytes:
    """What a statement has before a bracket, with the bracket where it is a brace, and no template arguments."""
    begun = max(0, bracket - _LONGEST)
    for end in _END.finditer(code, begun, bracket):
        begun = end.end()
    head = code[begun : bracket + (code[bracket] == _BRACE)]
    while b"<" in head and (shorter := _ARGUMENTS.sub(b"", head)) != head:
        head = shorter
    return head
