"""C++ text, token by token, and which bracket closes which."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from indexer.extract.cpp.lexical import DEEPEST

# A directive comes first: its own white space would be taken as space otherwise.
_TOKEN = re.compile(
    r"(?P<directive>(?<![^\n])[ \t]*\#(?:\\\r?\n|/\*.*?\*/|//[^\n]*|[^\n])*)"
    r"|(?P<space>[^\S\n]+|\n+|//[^\n]*|/\*.*?(?:\*/|\Z))"
    r'|(?P<string>(?:u8|[uUL])?R"(?P<raw>[^()\\\s]{0,16})\(.*?\)(?P=raw)"'
    r'|(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*"'
    r"|'(?:[^'\\\n]|\\.)+')"
    r"|(?P<word>[A-Za-z_]\w*)"
    r"|(?P<other>\d[\w.]*|::|->|&&|.)",
    re.DOTALL,
)
# What `closing` has to look at: brackets, and what brackets in it do not count.
_BRACKET = re.compile(
    r"[(){}\[\]]|(?<![^\n])[ \t]*\#(?:\\\r?\n|[^\n])*|//[^\n]*|/\*.*?(?:\*/|\Z)"
    r'|"(?:(?<=R")([^()\\\s"]{0,16})\(.*?\)\1"|(?:[^"\\\n]|\\.)*")'
    r"|'(?:[^'\\\n]|\\.)+'",
    re.DOTALL,
)
OPENING = {"(": ")", "[": "]", "{": "}"}
CLOSING = frozenset(")]}")


class Token(NamedTuple):
    """A token of C++ text.

    Args:
        kind: space (also comments), directive (a whole preprocessor line), string, word or other.
        text: as it stands.
        start: its offset.
    """

    kind: str
    text: str
    start: int


def tokens(text: str) -> Iterator[Token]:
    """The tokens of the C++ text `text`, white space among them; anything at all is some token."""
    for found in _TOKEN.finditer(text):
        # The named group inside a raw string is the last one only while that string is read.
        yield Token(found.lastgroup or "other", found.group(), found.start())


def closing(text: str, opening: int) -> int:
    """The offset of the bracket that closes the one at `opening` in `text`; the text's length if none does."""
    expected: list[str] = []
    for found in _BRACKET.finditer(text, opening):
        bracket = found.group()
        if bracket in OPENING:
            expected.append(OPENING[bracket])
            if len(expected) > DEEPEST:
                break
        elif bracket in CLOSING:
            # A wrong bracket (a macro that closes what another opened) ends all that is inside.
            while expected and expected.pop() != bracket:
                pass
            if not expected:
                return found.start()
    return len(text)
