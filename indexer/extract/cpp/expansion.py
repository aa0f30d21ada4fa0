"""Uses of a file's own macros, expanded: what they make is read like text that stands there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from indexer.extract.cpp.lexical import blanked, closing, next_code
from indexer.extract.cpp.preprocess import MacroTable, expand, parse_defines
from indexer.extract.cpp.scopes import Define, Scopes, scopes_of

_MAX_ARGUMENTS = 20_000


class ExpandedUse(NamedTuple):
    """One use of a macro of the same file.

    Args:
        offset: where the use starts in the file.
        length: of the use, its arguments included.
        macro: the macro's name.
        text: what the use comes to, on one line.
    """

    offset: int
    length: int
    macro: str
    text: bytes


def telling_defines(scopes: Scopes, wanted: re.Pattern[bytes]) -> dict[str, list[Define]]:
    """The macros whose bodies match `wanted`, or use a macro whose body does, by name.

    Args:
        scopes: of the file.
        wanted: matched against the blanked body of each `#define`.
    """
    text = scopes.text
    found = {d.name for d in scopes.defines if wanted.search(text, d.body, d.end)}
    grew = bool(found)
    while grew:
        names = re.compile(
            rb"\b(?:" + b"|".join(re.escape(n.encode()) for n in sorted(found)) + rb")\b"
        )
        more = {d.name for d in scopes.defines if names.search(text, d.body, d.end)} - found
        found |= more
        grew = bool(more)
    by_name: dict[str, list[Define]] = {}
    for define in scopes.defines:
        if define.name in found:
            by_name.setdefault(define.name, []).append(define)
    return by_name


def expanded_uses(path: str, data: bytes, wanted: re.Pattern[bytes]) -> Iterator[ExpandedUse]:
    """Each use, outside of other macros, of the macros whose expansion matches `wanted`.

    Only macros that the file itself defines are seen: what a macro of a header makes is not known from one file.

    Args:
        path: of the file; of several definitions of a name, a use sees the last one before it.
        data: the file's bytes.
        wanted: as for `telling_defines`.
    """
    text = blanked(data)
    scopes = scopes_of(data)
    telling = telling_defines(scopes, wanted)
    if not telling:
        return
    definitions = parse_defines(data, path)
    table = MacroTable(definitions)
    # One that calls a parameter of its own makes what it is handed: `FOR_TILES(MAKE, half)`.
    handing = {
        d.name
        for d in definitions
        if d.name not in telling
        and any(re.search(rf"\b{re.escape(p)}\s*\(", d.body) for p in d.params or ())
    }
    word = rb"\b(?:%s)\b"
    names = re.compile(
        word % b"|".join(re.escape(n.encode()) for n in sorted({*telling, *handing}))
    )
    told = re.compile(word % b"|".join(re.escape(n.encode()) for n in sorted(telling)))
    line, counted = 1, 0
    for match in names.finditer(text):
        at, name = match.start(), match.group().decode()
        if scopes.define_at(at) is not None or _is_undef(text, at):
            continue
        end = match.end()
        opening = next_code(text, end)
        if text[opening : opening + 1] == b"(":
            end = closing(text, opening, _MAX_ARGUMENTS) + 1
            if not end:
                continue
        elif name in handing or not any(text[d.body - 1 : d.body] != b")" for d in telling[name]):
            continue
        if name in handing and told.search(text, opening, end) is None:
            continue
        line += data.count(b"\n", counted, at)
        counted = at
        expansion = expand(data[at:end].decode("utf-8", "replace"), table, path, line)
        yield ExpandedUse(at, end - at, name, expansion.encode())


def _is_undef(text: bytes, at: int) -> bool:
    """Whether the name at `at` stands in a directive (`#undef NAME`, `#ifdef NAME`)."""
    return text[text.rfind(b"\n", 0, at) + 1 : at].lstrip()[:1] == b"#"
