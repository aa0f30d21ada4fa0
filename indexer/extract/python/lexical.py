"""Python source as text: strings and comments blanked, functions delimited, bodies left out.

Parsing all of PyTorch's Python with `ast` takes 9 s of one core and walking it as much again;
most of that is the inside of functions, of which little is wanted. So the inside is read from
the text, and `ast` sees the rest: imports, classes, signatures, decorators, assignments.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import NamedTuple

# The alternatives begin with one of three characters, which lets `re` skip ahead quickly; the
# loops are unrolled so that an unterminated string costs no more than one look at the rest.
LITERAL = re.compile(
    r"#[^\n]*"
    r'|"(?:""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*"""|[^"\\\n]*(?:\\.[^"\\\n]*)*")'
    r"|'(?:''[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*'''|[^'\\\n]*(?:\\.[^'\\\n]*)*')",
    re.DOTALL,
)
"""A comment, or a string without its prefix."""

# Patterns begin with the line break before a line: that is what `re` finds fastest.
_DEFINES = r"([ \t]*)(?:async[ \t]+def|def|class)[ \t]+[^\W\d]\w*"
_DEFINITION = re.compile(r"\n" + _DEFINES)
_FIRST_DEFINITION = re.compile(_DEFINES)
_BRACKET = re.compile(r"[()\[\]{}:]")
_BRACKET_OR_COMMA = re.compile(r"[()\[\]{},]")
_PREFIXES = "rRbBuUfF"
# The end of the text in front of a string that has fields to fill, and such a field that calls something or asks an
# object for something: `{x.size()}`, `{self.device_type}`.
_FORMATS = re.compile(r"(?<!\w)(?:[fF][rR]?|[rR][fF])\Z")
_FIELD = re.compile(r"\{\{|\{([^\W\d][\w.]*\.\w+)(?=[}!:=])|\{([^{}\n]*\([^{}\n]*)\}")
INSIDE = "\x01"
"""What stands in blanked text where a string goes on from the line above."""


class Span(NamedTuple):
    """A function that stands in a module or a class, by offsets into the text.

    Args:
        start: of its line.
        name_end: behind its name, where the parameters begin.
        body: behind the colon.
        end: behind the last character that belongs to it.
        indent: how many characters its line is indented by.
    """

    start: int
    name_end: int
    body: int
    end: int
    indent: int


def blank(text: str) -> str:
    """The text with the same offsets and lines, but nothing in its strings and no comments.

    A string becomes quotes to the end of its line and `INSIDE` on the lines that follow: no
    bracket, no name, no white space. What an f-string calls stays: it runs where the string stands.
    """
    return LITERAL.sub(_blanked, text)


def _blanked(match: re.Match[str]) -> str:
    literal = match[0]
    if literal[0] == "#":
        return " " * len(literal)
    if "\n" in literal:
        first, *rest = literal.split("\n")
        code = "\n".join(['"' * len(first), *(INSIDE * len(line) for line in rest)])
    else:
        code = '"' * len(literal)
    if "{" in literal and ("(" in literal or "." in literal):
        start = match.start()
        if _FORMATS.search(match.string[max(start - 3, 0) : start]):
            return _with_calls(literal, code)
    return code


def _with_calls(literal: str, code: str) -> str:
    """A blanked f-string with those of its fields that call something, on one line each."""
    pieces: list[str] = []
    last = 0
    for field in _FIELD.finditer(literal):
        if field[1]:
            pieces += code[last : field.start(1)], field[1]
            last = field.end(1)
        called = blank(field[2] or "")
        if called and is_balanced(called):
            pieces += code[last : field.start(2)], called
            last = field.end(2)
    return "".join((*pieces, code[last:]))


def without_comments(text: str, *, is_signature: bool = False) -> str:
    """A piece of source on one line: comments removed, white space folded.

    Args:
        text: an expression, or what follows a function's name.
        is_signature: it is the latter, so that the first bracket is no tuple's.
    """
    if "#" in text:
        text = LITERAL.sub(lambda match: "" if match[0][0] == "#" else match[0], text)
    if "\n" in text:
        text = " ".join(text.split())
        text = text.replace("( ", "(").replace("[ ", "[").replace(", )", ",)").replace(" )", ")")
        text = text.replace(", ]", "]").replace(" ]", "]")
        if ",)" in text:
            text = _without_last_commas(text, is_signature)
    return text


def _without_last_commas(text: str, is_signature: bool) -> str:
    """The text without commas in front of closing brackets, but for those of tuples of one element."""
    code = blank(text)
    pieces = []
    start = 0
    opened: list[tuple[int, bool]] = []  # where, and whether a comma followed
    for match in _BRACKET_OR_COMMA.finditer(code):
        character, at = match[0], match.start()
        if character in "([{":
            opened.append((at, False))
        elif not opened:
            continue
        elif character != ",":
            opened.pop()
        elif code.startswith(")", at + 1):
            opening, has_more = opened[-1]
            before = code[opening - 1 : opening]
            is_call = before.isalnum() or before in ("_", ")", "]") if before else is_signature
            if has_more or is_call:
                pieces.append(text[start:at])
                start = at + 1
        else:
            opened[-1] = opened[-1][0], True
    return "".join((*pieces, text[start:]))


@functools.cache
def _dedent(indent: int) -> re.Pattern[str]:
    # A closing bracket may stand further out than the statement that it ends, and so may the
    # lines of a string.
    return re.compile(rf"\n[ \t]{{0,{indent}}}[^\s)\]}}{INSIDE}]")


def function_spans(code: str) -> list[Span]:
    """The functions of modules and classes, in order; what is nested in them is part of them.

    Args:
        code: blanked text.
    """
    spans = []
    match = _FIRST_DEFINITION.match(code) or _DEFINITION.search(code)
    while match:
        position = match.end()
        if code.startswith("class", match.end(1)):
            match = _DEFINITION.search(code, position)
            continue
        body = _behind_colon(code, position)
        if body is None:
            break
        indent = match.end(1) - match.start(1)
        dedent = _dedent(indent).search(code, body)
        position = dedent.start() if dedent else len(code)
        end = body + len(code[body:position].rstrip())
        spans.append(Span(match.start(1), match.end(), body, end, indent))
        match = _DEFINITION.search(code, position)
    return spans


def inner_spans(code: str, span: Span) -> Iterator[tuple[int, int]]:
    """Where the outermost functions and classes within a function begin and end.

    Args:
        code: blanked text.
        span: of the function.
    """
    match = _DEFINITION.search(code, span.body, span.end)
    while match:
        body = _behind_colon(code, match.end())
        if body is None:
            return
        dedent = _dedent(match.end(1) - match.start(1)).search(code, body, span.end)
        end = dedent.start() if dedent else span.end
        yield match.start(), end
        match = _DEFINITION.search(code, end, span.end)


def nested_spans(code: str, span: Span) -> Iterator[Span]:
    """The functions within a function, however deep, in their order.

    Args:
        code: blanked text.
        span: of the function.
    """
    for match in _DEFINITION.finditer(code, span.body, span.end):
        if code.startswith("class", match.end(1)):
            continue
        body = _behind_colon(code, match.end())
        if body is None:
            return
        indent = match.end(1) - match.start(1)
        dedent = _dedent(indent).search(code, body, span.end)
        end = dedent.start() if dedent else span.end
        yield Span(match.start(1), match.end(), body, end, indent)


def _behind_colon(code: str, position: int) -> int | None:
    depth = 0
    for match in _BRACKET.finditer(code, position):
        character = match[0]
        if character in "([{":
            depth += 1
        elif character != ":":
            depth -= 1
        elif depth == 0:
            return match.end()
    return None


def skeleton(text: str, spans: list[Span]) -> str:
    """The text with each function's body replaced by `pass`, on the same lines as before.

    Args:
        text: the source, decoded.
        spans: the functions in it, in their order, none within another.
    """
    pieces = []
    last = 0
    for span in spans:
        pieces.append(text[last : span.body])
        pieces.append(" pass" + "\n" * text.count("\n", span.body, span.end))
        last = span.end
        # A comment may follow on the last line of the body; it ends with the line.
    pieces.append(text[last:])
    return "".join(pieces)


def is_balanced(code: str) -> bool:
    """Whether `code`, a blanked text, closes every kind of bracket as often as it opens it."""
    count = code.count
    return (
        count("(") == count(")") and count("[") == count("]") and count("{") == count("}")
    )  # fmt: skip


def doc_literal(text: str, code: str, position: int, end: int) -> re.Match[str] | None:
    """The string that stands at the beginning of a body, without its prefix.

    Args:
        text: the source.
        code: the same, blanked.
        position: offset behind the colon of the head.
        end: offset behind the body.

    Returns:
        None where something else stands there.
    """
    head = code[position : min(end, position + 400)].lstrip(" \t\n\r\f\\")
    start = end if not head else position + code[position:end].index(head[:12])
    prefixed = start
    while prefixed < end and text[prefixed] in _PREFIXES and prefixed - start < 2:
        prefixed += 1
    return LITERAL.match(text, prefixed) if code.startswith('""', prefixed) else None


def docstring(text: str, code: str, position: int, end: int) -> str:
    """The first paragraph of the string that stands at the beginning of a body, or nothing.

    Args:
        text: the source.
        code: the same, blanked.
        position: offset behind the colon of the head.
        end: offset behind the body.
    """
    match = doc_literal(text, code, position, end)
    if match is None:
        return ""
    literal = match[0]
    quotes = 3 if literal[:3] in ('"""', "'''") and len(literal) >= 6 else 1
    return first_paragraph(literal[quotes:-quotes])


# `__init__(input_size,hidden_size,num_layers=1)` of RNN (torch/nn/modules/rnn.py), or with ` -> Tensor` behind it.
_SIGNATURE = re.compile(r"\s*[\w.]+\([^\n]*\)(?: -> [^\n]+)?[ \t]*\n[ \t]*\n")


def first_paragraph(text: str) -> str:
    """The lines of `text`, a docstring, up to an empty one, as one line; behind a signature, if more is said.

    Returns:
        300 characters at most; `...` stands for the rest.
    """
    lines = []
    length = 0
    signature = _SIGNATURE.match(text)
    behind = text[signature.end() :].lstrip() if signature else ""
    for line in (behind or text.lstrip()).splitlines():
        line = line.strip()
        if not line:
            break
        if length > 200:
            lines.append("...")  # a sentence that just stops reads as if it were whole
            break
        lines.append(line)
        length += len(line)
    joined = " ".join(lines)
    return joined if len(joined) <= 300 else joined[:297] + "..."
