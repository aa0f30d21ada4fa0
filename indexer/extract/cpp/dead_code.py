"""Code that no compiler sees: what stands behind `#if 0`, or in the `#else` of an `#if 1`.

Other conditions are not evaluated, since an index covers every platform.
"""

from __future__ import annotations

import re

_CONSTANT = re.compile(
    rb"^[ \t]*#[ \t]*if[ \t]+(?:(?P<false>(?:0|false)\b(?:[ \t]*&&[^|\n]*)?)"
    rb"|(?:1|true)\b(?:[ \t]*\|\|[^&\n]*)?)[ \t\r]*$",
    re.MULTILINE,
)
_DIRECTIVE = re.compile(rb"^[ \t]*#[ \t]*(if|else|elif|endif)(?:n?def)?\b", re.MULTILINE)
_MAYBE = (b"if 0", b"if 1", b"if false", b"if true")
_SPACES = bytes(c if c in b"\r\n" else 32 for c in range(256))


def live(text: bytes) -> bytes:
    """The text with what is never compiled blanked: same length, same lines.

    Args:
        text: C++ without comments.
    """
    if not any(word in text for word in _MAYBE):
        return text
    at, parts = 0, []
    while (match := _CONSTANT.search(text, at)) is not None:
        start, end = _dead(text, match.end(), is_dead=match["false"] is not None)
        parts += [text[at:start], text[start:end].translate(_SPACES)]
        at = end
    return b"".join((*parts, text[at:]))


def _dead(text: bytes, behind: int, *, is_dead: bool) -> tuple[int, int]:
    """The branches of an `#if`, from behind its condition, that are not compiled; nothing where they do not end."""
    start = behind if is_dead else -1
    depth = 0
    for match in _DIRECTIVE.finditer(text, behind):
        word = match[1]
        if word == b"if":
            depth += 1
        elif word == b"endif":
            depth -= 1
            if depth < 0:
                return (start, match.start()) if start >= 0 else (behind, behind)
        elif depth == 0 and is_dead:
            return start, match.start()
        elif depth == 0 and start < 0:
            start = match.end()
    return behind, behind
