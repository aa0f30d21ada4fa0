"""Metal's kernels, in .metal files and in strings, and the names that C++ and Objective-C look them up by."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indexer.extract.cpp.expansion import expanded_uses
from indexer.extract.cpp.lexical import arguments, blanked, closing, line_of, next_code
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
_ATTRIBUTE = re.compile(rb"\[\[.*?\]\]", re.DOTALL)
_TEMPLATE_ARGUMENTS = re.compile(rb"<[^;{}()]*>")
_LAST_NAME = re.compile(rb"\b[A-Za-z_]\w*\s*$")
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
    found = []
    for offset, kernel, parameters in _read(text, scopes):
        line = line_of(data, base + offset)
        found.append((kernel._replace(embedded=embedded, file=path, line=line), parameters))
    for use in expanded_uses(path, text, _TELLING):
        line = line_of(data, base + use.offset)
        for _, kernel, parameters in _read(use.text, Scopes(blanked(use.text))):
            kernel = kernel._replace(embedded=embedded, macro=use.macro, file=path, line=line)
            found.append((kernel, parameters))
    overloads: dict[str, list[tuple[int, list[bytes]]]] = {}
    for kernel, parameters in found:
        if kernel.is_definition:
            overloads.setdefault(kernel.function, []).append((kernel.line, parameters))
    for kernel, parameters in found:
        defined = overloads.get(kernel.function, [])
        if not kernel.is_definition and len(defined) > 1:
            kernel = kernel._replace(definition_line=_overload(parameters, defined))
        yield kernel


def _overload(parameters: list[bytes], defined: list[tuple[int, list[bytes]]]) -> int:
    """The line of the definition whose parameters are most like those of an instantiation.

    Those that a template's parameter makes differ (`T*`, `float*`), so that not all can be the same.
    """
    likeness = {}
    for line, own in defined:
        same = sum(a == b for a, b in zip(own, parameters, strict=False))
        likeness[line] = len(own) == len(parameters), same
    best = max(likeness.values())
    lines = [line for line, like in likeness.items() if like == best]
    return lines[0] if len(lines) == 1 else 0


def _parameters(text: bytes, opening: int) -> list[bytes]:
    """Types of parameters, without what a template's arguments, an attribute or a name says."""
    found = []
    for argument in arguments(text, opening):
        piece = _ATTRIBUTE.sub(b"", text[argument.start : argument.end])
        piece = _LAST_NAME.sub(b"", _TEMPLATE_ARGUMENTS.sub(b"", piece).replace(b"\\", b" "))
        found.append(b"".join(piece.split()))
    return found


def _read(original: bytes, scopes: Scopes) -> Iterator[tuple[int, Kernel, list[bytes]]]:
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
            _parameters(text, match.end() - 1),
        )
