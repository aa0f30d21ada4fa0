"""Data members of the classes that a function's body defines: `struct Work { TypePtr type; IValue value; };`.

No table has these classes, whose methods belong to the function. What `w.value` is, the body says itself.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection

from indexer.extract.cpp.fields import fields_of
from indexer.extract.cpp.lexical import closing
from indexer.extract.cpp.outline import Function
from indexer.facts.cpp import FIELD_SIGNS, OPEN_OBJECT, plain_object

_KEYS = (b"struct ", b"class ")
_CLASS = re.compile(rb"\b(?:struct|class)\s+(\w+)(?:\s+final)?\s*(?::(?!:)[^;{}()]*)?\{")
_ITEM = re.compile(rb"[{};]")
_HELD = re.compile(
    r"(?:\(_?\))?(?:\[[*&]?\]|(?:\.|->)(?:(?:at|back|begin|find|front|get|lock|top|value)\(_?\)|second(?!\w)))*"
)
"""From what holds an object to the object."""
_MEMBER = re.compile(r"(?:\.|->)([A-Za-z_]\w*)(?![\w(<:])")
_WORD = re.compile(r"\w+")


class LocalClasses:
    """Of one file.

    Args:
        text: of the file, comments and literals blanked.
    """

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._keys = sorted(match.start() for key in _KEYS for match in re.finditer(key, text))
        self._function: Function | None = None
        self._found: list[tuple[str, int, int, dict[str, str]]] = []

    def told(
        self, receiver: str, at: int, function: Function, open_types: Collection[bytes]
    ) -> str:
        """What a member is called on, with the type of the local class's data member that it begins with.

        Args:
            receiver: as it is kept: `Work.value`, `std::vector<Work>.back().value`, `.value` in one of its methods.
            at: where it stands.
            function: around it.
            open_types: the parameters of the templates around it: what is of such a type may be anything.

        Returns:
            The same text where it is of no such member; "" where that may be anything.
        """
        if function is not self._function:
            self._function, self._found = function, self._classes(function)
        for name, start, end, fields in self._found:
            behind, is_meant = 0, start < at < end
            if receiver[0] != ".":
                behind = _of_class(receiver, name)
                is_meant = behind > 0
            member = _MEMBER.match(receiver, behind) if is_meant else None
            if member is None or member[1] not in fields:
                continue
            of_type = fields[member[1]].rstrip(FIELD_SIGNS)
            words = {word.encode("latin-1") for word in _WORD.findall(of_type)}
            if not of_type or not words.isdisjoint(open_types):
                return ""
            return OPEN_OBJECT + of_type + receiver[member.end() :]
        return receiver

    def _classes(self, function: Function) -> list[tuple[str, int, int, dict[str, str]]]:
        """Name, beginning, end and members of each."""
        text, start, end = self._text, function.body, function.end
        first = bisect_left(self._keys, start)
        if first == len(self._keys) or self._keys[first] > end:
            return []
        found = []
        for match in _CLASS.finditer(text, start, end):
            close = closing(text, match.end() - 1)
            fields = self._fields(match.end(), close)
            if fields:
                found.append((match.group(1).decode("latin-1"), match.end(), close, fields))
        return found

    def _fields(self, start: int, end: int) -> dict[str, str]:
        text, depth, begin = self._text, 0, start
        found: dict[str, str] = {}
        for match in _ITEM.finditer(text, start, end):
            item, at = match.group(), match.start()
            if item == b"{":
                depth += 1
            elif item == b"}":
                depth -= 1
                if not depth and text[at + 1 : at + 3].strip()[:1] != b";":
                    begin = at + 1  # behind a method's body
            elif not depth:
                for field in fields_of(text, begin, at, ()):
                    found.setdefault(field.name, field.of_type)
                begin = at + 1
        return found


def _of_class(receiver: str, name: str) -> int:
    """Behind what a receiver begins with that is of a class, or is held by what holds such; 0 for another."""
    begin = len(receiver) - len(plain_object(receiver))
    if receiver.startswith(name, begin):
        end = begin + len(name)
        return end if receiver[end : end + 1] in (".", "-") else 0
    opening = receiver.find("<")
    if opening < 0 or (close := receiver.find(">", opening)) < 0:
        return 0
    given = receiver[opening + 1 : close].rpartition(",")[2].rstrip("*& ")
    held = _HELD.match(receiver, close + 1) if given == name else None
    return 0 if held is None else held.end()
