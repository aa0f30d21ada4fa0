"""Namespaces that a macro opens: `HIDDEN_NAMESPACE_BEGIN(torch, stable)`, since PyTorch 2.9."""

from __future__ import annotations

import re

_SIGN = b"HIDDEN_NAMESPACE_"
_USE = re.compile(rb"^[ \t]*HIDDEN_NAMESPACE_(BEGIN|END)[ \t]*\(([\w\s,]*)\)", re.MULTILINE)


def with_namespaces(data: bytes) -> bytes:
    """The text with such a macro's uses as what they come to: same length, same lines.

    The macro stands in torch/headeronly/macros/Macros.h and takes one to three names, which nest. A file is read
    without what it includes, so that the brackets it hides are not there to be counted: all of torch::stable and
    torch::headeronly would have names of the global namespace.

    Args:
        data: a file's bytes.
    """
    if _SIGN not in data:
        return data
    return _USE.sub(_written_out, data)


def _written_out(match: re.Match[bytes]) -> bytes:
    text = match.group()
    word, names = match.group(1), b"::".join(name.strip() for name in match.group(2).split(b","))
    made = b"}" if word == b"END" else b"namespace " + names + b" {"
    # The names are shorter than the macro's: what is left is filled, the lines of its arguments kept.
    lines = text.count(b"\n")
    return made.ljust(len(text) - lines) + b"\n" * lines
