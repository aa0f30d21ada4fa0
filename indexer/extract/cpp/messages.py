"""Messages of Objective-C in a function's body: `[[MetalContext sharedInstance] pipelineState:kernel]`.

Which method a message runs is decided by its receiver when it is sent; the text tells it where a class receives it, the
object itself (`self`), a variable that the function declares (`View* view`), or what a class's own method just gave
(`[[View alloc] init]`). A selector alone tells nothing: `isEqual:` and `featureValueForName:` are methods of Apple's
classes as well, whichever class of the tree defines them too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from indexer.extract.cpp.lexical import closing

OBJECTIVE_C = (".mm", ".m")
"""What files are called that may send some."""

_RECEIVER = re.compile(rb"[A-Za-z_]\w*")
_FIRST = re.compile(rb"\s+(\w+)\s*(:(?!:))?")
_PART = re.compile(rb"\s(\w+):(?!:)")
_LABEL = re.compile(rb"\s(\w+)\s*:(?!:)")
_SUBSCRIPTED = re.compile(rb"[\w)\]]\s*$")
_WORD_BEFORE = re.compile(rb"\b(?:return|case|else|in)\s*$")
_OBJECT = re.compile(rb"\b([A-Z]\w*)\s*\*\s*(?:_\w+\s+)?(\w+)\b")
_BRACKETS = re.compile(rb"[\[\](){}]")
_OPEN = frozenset((b"[", b"(", b"{"))
_NEAR = 40
_LONGEST = 4_000
"""Bytes of a message, and as deep others stand in it: more is no text that people write."""
_DEEPEST = 12
_OPENING, _CLOSING = b"([{", b")]}"
_BRACKET = ord("[")


class Message(NamedTuple):
    """What is sent.

    Args:
        at: where its bracket opens.
        method: its class and selector: `MetalContext::pipelineState:Constants:`.
    """

    at: int
    method: str


def messages(text: bytes, start: int, body: int, end: int, own_class: str) -> Iterator[Message]:
    """Yield the messages whose method the text tells.

    Args:
        text: blanked.
        start: of a function's head.
        body: where it opens.
        end: where it is closed.
        own_class: whose method the function is; "" for none.
    """
    at = text.find(b"[", body, end)
    objects = {b"self": {own_class}, b"super": {""}}
    for of, name in _OBJECT.findall(text, start, end) if at >= 0 else ():
        objects.setdefault(name, set()).add(of.decode("latin-1"))
    closed = _pairs(text, body, end) if at >= 0 else {}
    while at >= 0:
        before = text[max(body, at - _NEAR) : at]
        if not _SUBSCRIPTED.search(before) or _WORD_BEFORE.search(before):
            owner, selector = _sent(text, at, closed, objects)
            if owner and selector:
                yield Message(at, f"{owner}::{selector}")
        at = text.find(b"[", at + 1, end)


def labels(text: bytes, at: int) -> list[bytes]:
    """The parts of the selector of what is sent to an object that is named, whatever spaces stand before the colons.

    Args:
        text: blanked.
        at: where its bracket opens.

    Returns:
        The parts without their colons, among which may be words before the `:` of a condition's alternatives; none
        where no bracket closes it, or nothing is handed over.
    """
    close = closing(text, at, _LONGEST)
    return _LABEL.findall(_flat(text, at + 1, close)) if close > at else []


def _sent(
    text: bytes, at: int, closed: dict[int, int], objects: dict[bytes, set[str]], deep: int = 0
) -> tuple[str, str]:
    """The class that is sent what stands in a bracket, and the selector; empty where these are not told."""
    close = closed.get(at, -1)
    inner = at + 1
    while inner < min(close, at + _LONGEST) and text[inner : inner + 1].isspace():
        inner += 1
    if not at < close <= at + _LONGEST or inner == close or deep > _DEEPEST:
        return "", ""
    if text[inner] == _BRACKET:
        # What a class's method gives is mostly one of its objects; another class has no such method.
        owner, _ = _sent(text, inner, closed, objects, deep + 1)
        behind = closed.get(inner, close) + 1
    else:
        word = _RECEIVER.match(text, inner, close)
        if word is None:
            return "", ""
        owner = _class_of(word.group(), objects)
        behind = word.end()
    flat = _flat(text, behind, close)
    first = _FIRST.match(flat)
    if first is None:
        return "", ""  # `[self.device newBuffer:x]`, `[&] { … }`
    if first.group(2) is None:
        is_alone = not flat[first.end() :].strip()
        return owner, first.group(1).decode("latin-1") if is_alone else ""
    parts = [first.group(1), *_PART.findall(flat, first.end())]
    return owner, "".join(f"{part.decode('latin-1')}:" for part in parts)


def _class_of(name: bytes, objects: dict[bytes, set[str]]) -> str:
    """The class that a receiver is, or is an object of; the same name of two types is not told apart."""
    declared = objects.get(name)
    if declared is not None:
        return next(iter(declared)) if len(declared) == 1 else ""
    return name.decode("latin-1") if name[:1].isupper() else ""


def _pairs(text: bytes, start: int, end: int) -> dict[int, int]:
    """Where each bracket is closed."""
    found, waiting = {}, []
    for match in _BRACKETS.finditer(text, start, end):
        if match.group() in _OPEN:
            waiting.append(match.start())
        elif waiting:
            found[waiting.pop()] = match.start()
    return found


def _flat(text: bytes, start: int, end: int) -> bytes:
    """A text with blanks for what stands in brackets."""
    kept = bytearray()
    depth = 0
    for place in range(start, end):
        sign = text[place]
        depth -= sign in _CLOSING
        kept.append(32 if depth or sign in _CLOSING or sign in _OPENING else sign)
        depth += sign in _OPENING
    return bytes(kept)
