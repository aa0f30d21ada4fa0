"""The heads that most definitions have, each read by one expression; `heads.py` reads all others item by item.

What is recognised here would be read the same there: only plain forms are, without quotes, attributes, initializers
and whatever else may stand in a head.
"""

from __future__ import annotations

import re

from indexer.extract.cpp.head import CAPITALS, NEVER_NAMES, SPECIFIERS, Head, default_bases

_INSIDE = r"[\w\s:,*&.=]"
_ANGLE = rf"<{_INSIDE}+(?:<{_INSIDE}+(?:<{_INSIDE}+>{_INSIDE}*)*>{_INSIDE}*)*>"
_ROUND = r"\([^()\"']*(?:\([^()\"']*(?:\([^()\"']*\)[^()\"']*)*\)[^()\"']*)*\)"
_WORD = r"[A-Za-z_]\w*\b"
_CHAIN = rf"{_WORD}(?:{_ANGLE})?(?:::{_WORD}(?:{_ANGLE})?)*"
_TEMPLATE = rf"(?P<template>template\s*{_ANGLE}\s*)?"
_ACCESS = r"\s*(?:(?:public|private|protected)\s*:(?!:)\s*)*"
_FUNCTION = re.compile(
    rf"{_ACCESS}(?P<start>){_TEMPLATE}(?P<before>(?:::)?{_CHAIN}[\s*&]+(?:{_CHAIN}[\s*&]+)*?)"
    rf"(?P<owner>(?:{_WORD}::)*)(?P<name>{_WORD})\s*{_ROUND}\s*(?:(?:const|noexcept|override|final)\b\s*)*$"
)
_NAMESPACE = re.compile(rf"\s*(?P<start>)namespace\b\s*(?P<name>(?:{_WORD}(?:::{_WORD})*)?)\s*$")
_MACRO = re.compile(rf"\s*(?P<name>{_WORD})\s*{_ROUND}\s*$")
_CLASS = re.compile(
    rf"{_ACCESS}(?P<start>){_TEMPLATE}(?:class|struct)\s+(?:[A-Z][A-Z0-9]*_[A-Z0-9_]+\s+)?(?P<name>{_WORD})"
    r"\s*(?:\bfinal\s*)?(?::(?!:)(?P<bases>[\w\s:,]*))?$"
)
_NAMES = re.compile(r"[A-Za-z_]\w*")
_BASE_PART = re.compile(r"[A-Za-z_]\w*|::")
_ACCESS_WORDS = frozenset(("public", "private", "protected", "virtual", "typename"))
_OTHERWISE = frozenset(
    ("class", "struct", "union", "enum", "namespace", "operator", "typedef", "__global__")
)
"""Words that make another kind of head, where they stand outside of brackets."""
_NO_TYPES = SPECIFIERS | NEVER_NAMES


def plain_head(text: str, class_name: str) -> Head | None:
    """What a head of a plain form declares; None for all others.

    Args:
        text: as for `parse_head`.
        class_name: as for `parse_head`.
    """
    if "(" not in text:
        return _plain_namespace(text) or _plain_class(text)
    if "<=" in text or ">=" in text:
        return None
    macro = _MACRO.match(text)
    if macro is not None:
        name = macro["name"]
        if name in NEVER_NAMES or name in _OTHERWISE or name == class_name:
            return None
        start = macro.start("name")
        whole = text[start:].strip()
        return None if text.startswith("(*", macro.end("name")) else Head("macro", whole, start)
    return _plain_function(text, class_name)


def _plain_namespace(text: str) -> Head | None:
    found = _NAMESPACE.match(text)
    if found is None or found["name"] in ("inline", "namespace"):
        return None
    start = found.start("start")
    return Head("namespace", found["name"], start, start=start)


def _plain_class(text: str) -> Head | None:
    found = _CLASS.match(text)
    if found is None or found["name"] in _NO_TYPES or found["name"] in ("final", "sealed"):
        return None
    bases = []
    for written in (found["bases"] or "").split(","):
        base = "".join([p for p in _BASE_PART.findall(written) if p not in _ACCESS_WORDS])
        if base:
            bases.append(base)
    start = found.start("start")
    at = found.start("name")
    return Head(
        "class", found["name"], at, bases=default_bases(tuple(bases), text[:at]), start=start
    )


def _plain_function(text: str, class_name: str) -> Head | None:
    found = _FUNCTION.match(text)
    if found is None:
        return None
    before, owner, name = found["before"], found["owner"], found["name"]
    if name in NEVER_NAMES or name in _OTHERWISE or CAPITALS.match(name):
        return None
    whole = owner + name
    if whole == class_name or f"::{owner}".endswith(f"::{name}::"):
        return None  # a constructor
    words = set(_NAMES.findall(before))
    if not words.isdisjoint(_OTHERWISE) or "template" in words:
        return None
    # A type must stand before the name: what is no type says nothing.
    if all(w in _NO_TYPES or (w.startswith("__") and w.endswith("__")) for w in words):
        return None
    return Head("function", whole, found.start("name"), "function", start=found.start("start"))
