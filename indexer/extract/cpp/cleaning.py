"""C++ text with comments, directives and all but one branch of each `#if` blanked, so that a head can be read."""

from __future__ import annotations

import re

_NOISE = re.compile(
    rb"/(?:/[^\n\\]*(?:\\[\s\S][^\n\\]*)*|\*[\s\S]*?(?:\*/|\Z))"
    rb"|\"[^\"\\\n]*(?:\\[\s\S][^\"\\\n]*)*\""
)
_DIRECTIVE = re.compile(rb"^[ \t]*#[ \t]*(\w*)([^\n\\]*(?:\\[\s\S][^\n\\]*)*)", re.MULTILINE)
_LONGEST_BRACES = 40
_SPACES = bytes(c if c in b"\r\n" else 32 for c in range(256))


def _blank(match: re.Match[bytes]) -> bytes:
    text = match.group()
    if text[:1] == b'"':
        return b'"' + b"_" * (len(text) - 2) + b'"'
    return text.translate(_SPACES)


def clean(text: bytes) -> bytes:
    """Blank comments, directives and all but one branch of each `#if`, keeping offsets.

    Of a finished `#if` the first branch stays; of one that the text ends in, the branch it ends in.

    Args:
        text: C++ text; what stands in literals counts as such.
    """
    if b"/" in text or b'"' in text:
        text = _NOISE.sub(_blank, text)
    if b"#" not in text:
        return text
    dropped: list[tuple[int, int]] = []
    frames: list[list[tuple[int, int]]] = []  # each frame: its branches so far, the last one open
    for match in _DIRECTIVE.finditer(text):
        dropped.append(match.span())
        word = match.group(1)
        if word.startswith(b"if"):
            dead = match.group(2).strip() == b"0"
            frames.append([(match.end(), match.end())] if dead else [])
            frames[-1].append((match.end(), -1))
            if dead:  # `#if 0`: the branch counts as any but the first
                frames[-1][0], frames[-1][1] = (match.end(), match.end()), (match.end(), -1)
        elif word in (b"else", b"elif"):
            if not frames:  # opened before the text: what stands here is another branch's
                frames.append([(0, 0)])
            else:
                frames[-1][-1] = (frames[-1][-1][0], match.start())
            frames[-1].append((match.end(), -1))
        elif word == b"endif" and frames:
            branches = frames.pop()
            branches[-1] = (branches[-1][0], match.start())
            dropped.extend(branches[1:])
    for branches in frames:
        dropped.extend(branches[:-1])
    out = bytearray(text)
    for start, end in dropped:
        if end > start:
            out[start:end] = text[start:end].translate(_SPACES)
    return bytes(out)


def with_braces(
    head: str, start: int, holes: tuple[tuple[int, int], ...], boundary: int, source: bytes
) -> str:
    """A head from an offset on with the braces whose place round brackets held: `options = {}`, `size_{size}`.

    Args:
        head: with round brackets for them.
        start: the offset in it.
        holes: where braces open and end in the source.
        boundary: where the head begins there.
        source: without comments.
    """
    parts = []
    for first, end in holes:
        if first - boundary >= start:
            inner = source[first + 1 : end - 1]
            held = inner.decode("latin-1") if len(inner) <= _LONGEST_BRACES else "..."
            parts += [head[start : first - boundary], "{", held, "}"]
            start = end - boundary
    return "".join((*parts, head[start:]))
