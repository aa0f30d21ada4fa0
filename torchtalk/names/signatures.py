"""Of several functions of one name those that a signature means: `Node::input(size_t i)`, `Scalar(double)`."""

from __future__ import annotations

import re
from collections.abc import Iterable

_DROPPED = re.compile(r"\b(?:const|volatile|struct|class|typename)\b|=.*")
_WORD = re.compile(r"[A-Za-z_]\w*")
_NAMED = re.compile(r"[\s&*>][A-Za-z_]\w*$")
_BUILT_IN = frozenset("bool char double float int long short signed unsigned".split())
_QUALIFIED = re.compile(r"(?:\w+\s*::\s*)+")
_OPENS, _CLOSES = "<([{", ">)]}"


def taking(name: str, last: str, signatures: Iterable[tuple[int, str]]) -> list[int]:
    """The functions whose parameters are of the types that a name has in its brackets.

    Args:
        name: as asked for, with types and perhaps names of parameters in round brackets.
        last: the last part of what the functions are called.
        signatures: id and head of each.

    Returns:
        Their ids; none where the name has no brackets, or types that no function takes.
    """
    behind = re.compile(rf"(?<!\w){re.escape(last)}\s*(?:<[^()]*>)?\s*\(")
    wanted = _parameters(name, behind)
    if not wanted:
        return []
    return [identity for identity, text in signatures if _parameters(text, behind) == wanted]


def _parameters(text: str, behind: re.Pattern[str]) -> list[list[str]]:
    """The words of each parameter's type in the brackets behind a function's name, without namespaces."""
    match = behind.search(text)
    if match is None:
        return []
    found: list[str] = []
    depth, start = 0, match.end()
    for at in range(match.end(), len(text)):
        sign = text[at]
        if sign in _CLOSES and depth == 0:
            found.append(text[start:at])
            break
        if sign == "," and depth == 0:
            found.append(text[start:at])
            start = at + 1
        depth += (sign in _OPENS) - (sign in _CLOSES)
    return [words for one in found if (words := _type(one))]


def _type(parameter: str) -> list[str]:
    text = _QUALIFIED.sub("", _DROPPED.sub("", parameter)).strip()
    words = _WORD.findall(text)
    has_name = _NAMED.search(text) is not None and words[-1] not in _BUILT_IN
    return words[:-1] if has_name else words
