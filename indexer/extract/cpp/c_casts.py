"""Casts as C writes them, `(THPEvent*)_self`: what Python hands over is a PyObject*, which functions cast first.

They are told as `static_cast<THPEvent*>(_)` is ([expr.cast]). Only those to pointers and references: `(n) (x)` may be a
call.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from indexer.extract.cpp.call_text import NAME_BEFORE, TEMPLATE, TEMPLATE_BEFORE

_NAME = rb"(?:::\s*)?[A-Za-z_]\w*(?:\s*::\s*[A-Za-z_]\w*)*\s*(?:" + TEMPLATE + rb"\s*)?"
_CAST = re.compile(rb"\(\s*(?:const\s+)?(" + _NAME + rb")(?:\bconst\s*)?[*&]\s*\)\s*[\w(*&]")
_NAME_BEFORE = (
    rb"(?:" + TEMPLATE_BEFORE + rb"\s*)?" + NAME_BEFORE + rb"(?:\s*::\s*" + NAME_BEFORE + rb")*(?:\s*::)?"
)  # fmt: skip
_KEYWORDS_BEFORE = b"|".join(
    word[::-1] for word in (b"return", b"co_return", b"throw", b"else", b"do", b"case", b"delete")
)
_OF_ONE = rb"[^(){};?,]*"
# `((THPEvent*)_self)` backwards; with a name before the brackets it is the argument of a call.
_CAST_BEFORE = re.compile(
    rb"\s*\)"
    + rb"%b(?:\)%b(?:\)%b\(%b)*\(%b)*(?<=[\w&*])\s*" % ((_OF_ONE,) * 5)
    + rb"\)\s*[*&]\s*(?:tsnoc\b\s*)?("
    + _NAME_BEFORE
    + rb")(?:\s+tsnoc\b)?\s*\(\s*\((?!\s*(?!(?:"
    + _KEYWORDS_BEFORE
    + rb")\b)[\w>\])])"
)

_ANY_IN_BRACKETS = re.compile(rb"\(\s*\(\s*[A-Za-z_:][\w:<>,\s]*[*&]\s*\)")


def has_casts(text: bytes) -> bool:
    """Whether anything in `text`, a file's with comments and literals blanked, may be a cast in brackets."""
    return _ANY_IN_BRACKETS.search(text) is not None


def cast_at(text: bytes, at: int, end: int, open_types: Collection[bytes]) -> str:
    """A cast that begins at an offset, as C++ writes it; "" where none does.

    Args:
        text: of a file, comments and literals blanked.
        at: of the bracket around the type.
        end: of what is looked at.
        open_types: the parameters of the templates around it, which are no types.
    """
    match = _CAST.match(text, at, end)
    return "" if match is None else _told(match.group(1), open_types)


def cast_before(backwards: bytes, at: int, end: int, open_types: Collection[bytes]) -> str:
    """A cast in brackets that ends before an offset, as C++ writes it; "" where none does.

    Args:
        backwards: a file's text from its end to its beginning, comments and literals blanked.
        at: offset in it of the bracket that closes.
        end: of what is looked at.
        open_types: the parameters of the templates around it, which are no types.
    """
    match = _CAST_BEFORE.match(backwards, at, end)
    return "" if match is None else _told(match.group(1)[::-1], open_types)


def _told(name: bytes, open_types: Collection[bytes]) -> str:
    name = b"".join(name.split())
    return "" if name in open_types else f"static_cast<{name.decode('latin-1')}*>(_)"
