"""Variables that are declared with `auto`, one by one or as what something consists of ([dcl.struct.bind])."""

from __future__ import annotations

import re
from typing import NamedTuple

from indexer.facts.cpp import COPIED_OBJECT, NAMED_OBJECT, OPEN_OBJECT, VIEWED_OBJECT

_AUTO = re.compile(rb"auto\b(?<!\wauto)((?:\s+const\b)?[\s&*]*)\b(\w+)\s*(=(?!=)|:(?!:))\s*(?!\[)")
_BINDING = re.compile(
    rb"auto\b(?<!\wauto)(?:\s+const\b)?[\s&*]*\[([\w\s,]*)\](?:\s*(=(?!=)|:(?!:))\s*)?"
)
_NAME = re.compile(rb"\w+")


class Auto(NamedTuple):
    """A variable that is declared with `auto`.

    Args:
        at: where its name stands.
        initial: where its initializer does.
        is_each: whether it is of each element of that.
        form: how it has what it is made from: the sign of an object that is called by its name, `COPIED_OBJECT`,
            `NAMED_OBJECT` or `VIEWED_OBJECT`; `OPEN_OBJECT` of `const auto*`, which alone says something of what it
            points to, and of a part.
        part: `[0]` and so on for a part of it; "" for the whole.
    """

    at: int
    initial: int
    is_each: bool
    form: str
    part: str


def autos_of(text: bytes) -> tuple[dict[bytes, list[Auto]], dict[bytes, list[int]]]:
    """The `auto` variables of a file by their names.

    Args:
        text: of the file, comments and literals blanked.

    Returns:
        Each in the order of the file; and where the declarations of those stand that are parts (`auto& [key, value]`).
    """
    found: dict[bytes, list[Auto]] = {}
    bound: dict[bytes, list[int]] = {}
    at = text.find(b"auto")
    while at >= 0:
        match = _AUTO.match(text, at)
        if match is not None:
            one = Auto(match.start(2), match.end(), match.group(3) == b":", _form(text, match), "")
            found.setdefault(match.group(2), []).append(one)
        elif (match := _BINDING.match(text, at)) is not None:
            is_each = match.group(2) == b":"
            for number, name in enumerate(_NAME.finditer(text, match.start(1), match.end(1))):
                bound.setdefault(name.group(), []).append(at)
                if match.group(2) is not None:
                    part = f"[{number}]"
                    one = Auto(name.start(), match.end(), is_each, OPEN_OBJECT, part)
                    found.setdefault(name.group(), []).append(one)
        at = text.find(b"auto", at + 4)
    return found, bound


def _form(text: bytes, match: re.Match[bytes]) -> str:
    declarator = match.group(1)
    is_const = b"const" in declarator or text[match.start() - 6 : match.start()] == b"const "
    if is_const:
        return OPEN_OBJECT if b"*" in declarator else VIEWED_OBJECT
    return NAMED_OBJECT if b"&" in declarator else COPIED_OBJECT
