"""C++ text by its outer names, symbols and brackets."""

from __future__ import annotations

import re
from typing import NamedTuple

_ITEM = re.compile(
    r'\s*(?:([A-Za-z_~][\w]*)|("(?:[^"\\]|\\.)*")|(::|->|<<=?|<=|>=|==|!=|&&|\|\||\.\.\.|[^\s\w])|(\d[\w.\']*))'
)
_ROUND = re.compile(r'[()]|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'')
_ANGLE = re.compile(r"->|<=|>=|<<|[()<>]")
_SQUARE = re.compile(r"[\[\]]")


class Item(NamedTuple):
    """A name, a symbol or a whole bracket at the outer level of a head.

    Args:
        kind: `w` word, `s` symbol, `q` string, `n` number, `(` `<` `[` a bracket with what it holds.
        text: as written.
        start: offset in the head.
        end: offset behind it.
    """

    kind: str
    text: str
    start: int
    end: int


def closing_round(text: str, opening: int) -> int:
    """The offset of the `)` for the `(` at `opening` in `text`; the end of the text if there is none."""
    depth = 0
    for match in _ROUND.finditer(text, opening):
        if match.group() == "(":
            depth += 1
        elif match.group() == ")":
            depth -= 1
            if depth == 0:
                return match.start()
    return len(text)


def _closing_angle(text: str, opening: int) -> int:
    """Offset of the `>` for the `<` at `opening`; -1 if there is none (it compares)."""
    if text.find(">", opening) < 0:
        return -1  # and each of thousands that nothing closes would be read to the end
    depth = 0
    at = opening
    while True:
        match = _ANGLE.search(text, at)
        if match is None:
            return -1
        token = match.group()
        at = match.end()
        if token == "(":
            at = closing_round(text, match.start()) + 1
        elif token == ")":
            return -1
        elif token == "<":
            depth += 1
        elif token == ">":
            depth -= 1
            if depth == 0:
                return match.start()


def _closing_square(text: str, opening: int) -> int:
    depth = 0
    for match in _SQUARE.finditer(text, opening):
        depth += 1 if match.group() == "[" else -1
        if depth == 0:
            return match.start()
    return len(text)


def items_of(text: str) -> list[Item]:
    """Split a head into its outer names, symbols and brackets, each bracket with all that stands in it.

    Args:
        text: the head; comments and literals blanked. What no item can be made of ends it.
    """
    items: list[Item] = []
    at = 0
    size = len(text)
    while at < size:
        match = _ITEM.match(text, at)
        if match is None:
            break
        at = match.end()
        kind = "wqsn"[(match.lastindex or 1) - 1]
        token = match.group(match.lastindex or 1)
        start = at - len(token)
        if kind == "s":
            if token == "(":
                at = min(closing_round(text, start) + 1, size)
                kind = "("
            elif token == "[":
                at = min(_closing_square(text, start) + 1, size)
                kind = "["
            elif token == "<" and items and items[-1].kind == "w" and items[-1].text != "operator":
                end = _closing_angle(text, start)
                if end >= 0:
                    at = end + 1
                    kind = "<"
        items.append(Item(kind, text[start:at], start, at))
    return items


def is_list(text: str) -> bool:
    """Whether a comma stands outside of all brackets: `typedef A B, *C;`.

    Args:
        text: of a declaration.
    """
    depth = 0
    for character in text:
        depth += (character in "<(") - (character in ">)")
        if character == "," and not depth:
            return True
    return False
