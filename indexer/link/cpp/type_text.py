"""How types are written: what a head says that it returns, a name's template arguments."""

from __future__ import annotations

import re

from indexer.extract.cpp.parameters import name_and_bracket

_ARGUMENTS = r"<(?:[^<>]|<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>)*>"
NAME = rf"(?:::)?[A-Za-z_]\w*(?:{_ARGUMENTS})?(?:::[A-Za-z_~]\w*(?:{_ARGUMENTS})?)*"
"""An expression for a qualified name with its template arguments."""

TYPE = re.compile(rf"({NAME})\s*(?:const\b)?[\s&*]*$")
_TEMPLATE = re.compile(r"template\s*(" + _ARGUMENTS + r")\s*")
_PARAMETER = re.compile(r"(?:class|typename)\b(?:\s*\.\.\.)?\s*(\w+)\s*(?=[,>=])")
_OWNER = re.compile(rf"({NAME})?\s*::\s*$")
ITSELF = "decltype(*this)"
"""What says that a method gives the object that it is called on, as those that `TORCH_ARG` makes to set an option."""

DEDUCED = "decltype(auto)"
"""What says nothing: a function that hands on to its other overloads mostly gives what they do."""

_BEHIND = re.compile(r"\b(?:static|inline|constexpr)\s*$")
"""What may stand behind a type as well as before it ([dcl.spec], 1)."""
_IN_ARGUMENTS = re.compile(_ARGUMENTS)

SPECIALIZED = ("template <>", "template<>")
"""What the head of a specialization begins with."""

SIMPLE = frozenset(
    "bool char double float int int8_t int16_t int32_t int64_t long short size_t uint8_t uint16_t uint32_t uint64_t"
    " unsigned".split()
)
"""Types that have no methods."""


def returned(signature: str, name: str) -> tuple[str, tuple[str, ...]]:
    """What a function says that it returns, and the parameters of the template that it is; "" for nothing.

    Args:
        signature: as written.
        name: its qualified name.
    """
    at = name_and_bracket(signature, name.rpartition("::")[2])
    if at is None:
        return "", ()
    start, opening = at
    before = signature[:start]
    owner = _OWNER.search(before)
    if owner is not None:
        before = before[: owner.start()]
    parameters: tuple[str, ...] = ()
    while (template := _TEMPLATE.match(before)) is not None:
        parameters += tuple(_PARAMETER.findall(template.group(1)))
        before = before[template.end() :]
    for text in (ITSELF, DEDUCED):
        if before.rstrip().endswith(text):
            return text, parameters
    match = TYPE.search(_BEHIND.sub("", before))
    if match is None:
        return "", ()
    text = match.group(1)
    if text == "auto":
        _, arrow, behind = signature[opening:].rpartition("->")
        text = behind.strip() if arrow else ""
    return text, parameters


def split(written: str) -> tuple[str, tuple[str, ...]]:
    """The name of `written`, a type or function, without template arguments, and those of its last part."""
    if "<" not in written:
        return written, ()
    arguments: tuple[str, ...] = ()
    if written.endswith(">"):
        opening = _last_opening(written)
        arguments = tuple(_parts(written[opening + 1 : -1]))
        written = written[:opening]
    return _IN_ARGUMENTS.sub("", written).strip(), arguments


def _last_opening(text: str) -> int:
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        if text[at] == ">":
            depth += 1
        elif text[at] == "<":
            depth -= 1
            if not depth:
                return at
    return 0


def _parts(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for at, character in enumerate(text):
        if character in "<(":
            depth += 1
        elif character in ">)":
            depth -= 1
        elif character == "," and not depth:
            parts.append(text[start:at].strip())
            start = at + 1
    parts.append(text[start:].strip())
    return parts
