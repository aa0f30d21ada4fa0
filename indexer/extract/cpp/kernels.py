"""CUDA's kernels: functions declared `__global__`, wherever the attributes stand."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indexer.extract.cpp.lexical import closing, next_code, squeezed
from indexer.extract.cpp.scopes import Scopes, declared_name
from indexer.facts.launches import Kernel

GLOBAL = re.compile(rb"\b__global__\b")
_BOUNDS = re.compile(rb"\b(?:__launch_bounds__|C10_LAUNCH_BOUNDS_\w+)\s*\(")
_END = re.compile(rb"[;{(]")
_ALIAS = re.compile(rb"\s*__global__\s*$")


def aliases(scopes: Scopes) -> list[bytes]:
    """The macros, sorted, that a file defines to stand for `__global__` and nothing else; `scopes` are the file's."""
    return sorted(
        {d.name.encode() for d in scopes.defines if _ALIAS.match(scopes.text[d.body : d.end])}
    )


def kernel_declarations(
    text: bytes, scopes: Scopes, marker: re.Pattern[bytes]
) -> Iterator[tuple[int, Kernel]]:
    """Each `__global__` function of a text, and the offset of its name.

    Args:
        text: blanked.
        scopes: of that text; what stands in its `#define`s is left out.
        marker: `__global__`, or that and its aliases.
    """
    for match in marker.finditer(text):
        at = match.start()
        if (
            scopes.define_at(at) is not None
            or text[text.rfind(b"\n", 0, at) + 1 : at].lstrip()[:1] == b"#"
        ):
            continue
        end = _declaration_end(text, match.end())
        if marker.search(text, match.end(), end) is not None:
            continue  # what lies between is no declaration, and there may be endlessly many
        start = _declaration_start(text, at)
        head = text[match.end() : end]
        name = declared_name(head)
        if not name:
            continue
        offset = match.end() + _name_offset(head, name.rsplit("::", 1)[-1].encode())
        bounds = _BOUNDS.search(text, start, end)
        bound = ""
        if bounds is not None and (close := closing(text, bounds.end() - 1)) > 0:
            bound = squeezed(text[bounds.end() : close], 200)
        scope = scopes.at(at)
        before = text[start:at]
        qualified = f"{scope.prefix}::{name}" if scope.prefix else name
        yield (
            offset,
            Kernel(
                qualified,
                name.rsplit("::", 1)[-1],
                "cuda",
                text[end : end + 1] == b"{",
                b"template" in before,
                bound,
                "",
                False,
                "",
                0,
            ),
        )


def _name_offset(head: bytes, name: bytes) -> int:
    """Where the name stands that the parameters follow; 0 if it cannot be told."""
    at = head.find(name)
    while at >= 0:
        after = next_code(head, at + len(name))
        if (
            head[after : after + 1] in (b"(", b"<")
            and not head[at - 1 : at].isalnum()
            and head[at - 1 : at] != b"_"
        ):
            return at
        at = head.find(name, at + 1)
    return 0


def _declaration_start(text: bytes, at: int) -> int:
    start = max(text.rfind(b";", 0, at), text.rfind(b"}", 0, at), text.rfind(b"{", 0, at)) + 1
    # Directives between are no part of it, but their text does no harm: only `template` is looked for.
    return max(start, at - 4000)


def _declaration_end(text: bytes, at: int) -> int:
    """The offset of the `{` or `;` that ends a declaration."""
    while (match := _END.search(text, at)) is not None:
        if match.group() != b"(":
            return match.start()
        close = closing(text, match.start())
        if close < 0:
            return match.start()
        at = close + 1
    return len(text)
