"""Metal's kernels, in .metal files and in strings, and the names that C++ and Objective-C look them up by."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indexer.extract.cpp.expansion import expanded_uses
from indexer.extract.cpp.lexical import blanked, closing, line_of, next_code
from indexer.extract.cpp.metal_names import lookups
from indexer.extract.cpp.scopes import Scopes, scopes_of
from indexer.facts.launches import Kernel, LaunchFact

_KERNEL = re.compile(
    rb"(?:(?:\bkernel|\[\[\s*kernel\s*\]\])\s+(?:\[\[[^\]]*\]\]\s*)?void|\bvoid\s+kernel)"
    rb"\s+([A-Za-z_][\w:{}]*)\s*(<[^;{}()]*>)?\s*\("
)
# What a file with Metal in it, or with a lookup, holds: Metal, metal_stdlib, METAL, getPipelineState….
_SIGNS = (b"etal", b"METAL", b"ipelineState", b"newFunctionWithName")
_HOST_NAME = re.compile(rb'host_name\s*\(\s*((?:"[^"\n]*"[\s\\]*)+)\)')
_TELLING = re.compile(rb"\bkernel\s+void\b|\bvoid\s+kernel\b|\[\[\s*kernel\s*\]\]|\bhost_name\b")
_RAW_STRING = re.compile(rb'R"([^()\\\s"]{0,16})\((.*?)\)\1"', re.DOTALL)
_QUOTED = re.compile(rb'"([^"]*)"')
_PLACEHOLDER = re.compile(r"\{\w*\}")


def metal(path: str, data: bytes) -> Iterator[LaunchFact]:
    """Metal's kernels in a file, and the pipelines that it asks for by name.

    Args:
        path: relative to the tree; a .metal file is read as Metal, others as C++ that may hold Metal in strings.
        data: the file's bytes.
    """
    if path.endswith(".metal"):
        yield from _kernels(path, data, 0, data)
        return
    if not any(sign in data for sign in _SIGNS):
        return
    if (
        b"kernel void" in data
        or b"void kernel" in data
        or b"host_name" in data
        or b"[[kernel]]" in data
    ):
        for match in _RAW_STRING.finditer(data):
            if b"kernel" in match.group(2):
                yield from _kernels(path, match.group(2), match.start(2), data)
    yield from lookups(path, data)


def _kernels(path: str, text: bytes, base: int, data: bytes) -> Iterator[Kernel]:
    """The kernels of a piece of Metal that starts at `base` of the file's bytes."""
    embedded = text is not data
    scopes = scopes_of(text)
    for offset, kernel in _read(text, scopes):
        yield kernel._replace(embedded=embedded, file=path, line=line_of(data, base + offset))
    for use in expanded_uses(path, text, _TELLING):
        line = line_of(data, base + use.offset)
        for _, kernel in _read(use.text, Scopes(blanked(use.text))):
            yield kernel._replace(embedded=embedded, macro=use.macro, file=path, line=line)


def _read(original: bytes, scopes: Scopes) -> Iterator[tuple[int, Kernel]]:
    text = scopes.text
    for match in _KERNEL.finditer(text):
        if scopes.define_at(match.start()) is not None:
            continue
        function = _PLACEHOLDER.sub("*", match.group(1).decode())
        close = closing(text, match.end() - 1)
        after = next_code(text, close + 1) if close >= 0 else len(text)
        while text[after : after + 2] == b"[[":
            end = text.find(b"]]", after)
            if end < 0:
                break
            after = next_code(text, end + 2)
        start = max(text.rfind(b";", 0, match.start()), text.rfind(b"}", 0, match.start())) + 1
        before = text[start : match.start()]
        host = _HOST_NAME.search(original, start, match.end())
        name = function
        if host is not None:
            name = b"".join(_QUOTED.findall(host.group(1))).decode("utf-8", "replace")
        yield (
            match.start(1),
            Kernel(
                name,
                function,
                "metal",
                text[after : after + 1] == b"{",
                b"template" in before,
                "",
                "",
                False,
                "",
                0,
            ),
        )
