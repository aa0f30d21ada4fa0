"""Metal's kernels, in .metal files and in strings, and the names that C++ and Objective-C look them up by."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indexer.extract.cpp.expansion import expanded_uses
from indexer.extract.cpp.lexical import arguments, blanked, closing, line_of, next_code
from indexer.extract.cpp.metal_names import lookups
from indexer.extract.cpp.preprocess import MacroTable, expand, parse_defines
from indexer.extract.cpp.scopes import Scopes, scopes_of
from indexer.facts.cpp import MacroUse
from indexer.facts.launches import Kernel, LaunchFact

_MARK = rb"(?:\bkernel|\[\[\s*kernel\b[^\]]*\]\])\s+(?:\[\[[^\]]*\]\]\s*)?"
_NAME = rb"((?:::\s*)?[A-Za-z_][\w{}]*(?:\s*::\s*[\w{}]+)*)"
_KERNEL = re.compile(
    rb"(?:" + _MARK + rb"void|\bvoid\s+kernel)\s+" + _NAME + rb"\s*(<[^;{}()]*>)?\s*\("
)
# An instantiation that repeats no parameters: `[[kernel]] decltype(fold<half, 4>) fold<half, 4>;` (since 2.9).
_OF_SAME_TYPE = re.compile(_MARK + rb"decltype\s*\(\s*" + _NAME + rb"\s*<")
# What a file with Metal in it, or with a lookup, holds: Metal, metal_stdlib, METAL, getPipelineState….
_SIGNS = (b"etal", b"METAL", b"ipelineState", b"newFunctionWithName")
# What only Metal's own text holds: its library and the attributes of parameters (c10/metal/indexing.h, since 2.7).
_METAL_SIGNS = (b"metal_stdlib", b"[[buffer(", b"[[thread_position_in_grid]]")
_HOST_NAME = re.compile(rb'host_name\s*\(\s*((?:"[^"\n]*"[\s\\]*)+)\)')
_TELLING = re.compile(rb"\bkernel\s+void\b|\bvoid\s+kernel\b|\[\[\s*kernel\b|\bhost_name\b")
_RAW_STRING = re.compile(rb'R"([^()\\\s"]{0,16})\((.*?)\)\1"', re.DOTALL)
_QUOTED = re.compile(rb'"([^"]*)"')
_ATTRIBUTE = re.compile(rb"\[\[.*?\]\]", re.DOTALL)
_TEMPLATE_ARGUMENTS = re.compile(rb"<[^;{}()]*>")
_LAST_NAME = re.compile(rb"\b[A-Za-z_]\w*\s*$")
# A use of a macro begins a line, and what is not spelled in capitals a statement.
_USE = re.compile(rb"^[ \t]*([A-Za-z][A-Za-z0-9_]{2,})\s*\(", re.MULTILINE)
_NAMED_USE = re.compile(r"(?<![\w\"])([A-Za-z][A-Za-z0-9_]{2,})\s*\(")
_STATEMENT_BEGINS = re.compile(r"(?:\A|[;})])\s*\Z")
_BEHIND_STATEMENT = re.compile(rb"(?:[;{})]|^[ \t]*#[^\n]*)\s*\Z|\A\s*\Z", re.MULTILINE)
_PLACEHOLDER = re.compile(r"\{\w*\}")


def metal(path: str, data: bytes) -> Iterator[LaunchFact | MacroUse]:
    """Metal's kernels in a file, and the pipelines that it asks for by name.

    Args:
        path: relative to the tree; a .metal file is read as Metal, others as C++ that may hold Metal in strings, or
            be a header of Metal's.
        data: the file's bytes.
    """
    if path.endswith(".metal"):
        yield from _kernels(path, data, 0, data)
        yield from _macros_of_headers(path, data)
        return
    if not any(sign in data for sign in _SIGNS):
        return
    if (
        b"kernel void" in data
        or b"void kernel" in data
        or b"host_name" in data
        or b"[[kernel" in data
    ):
        for match in _RAW_STRING.finditer(data):
            if b"kernel" in match.group(2):
                yield from _kernels(path, match.group(2), match.start(2), data)
        if any(sign in data for sign in _METAL_SIGNS):
            yield from _kernels(path, data, 0, data)
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


def expanded_kernels(path: str, line: int, macro: str, text: str) -> list[Kernel]:
    """The kernels in what a use of a header's macro comes to.

    Args:
        path: of the use's file.
        line: of the use.
        macro: its name.
        text: the expansion.
    """
    data = text.encode("utf-8", "replace")
    found = _read(data, Scopes(blanked(data)))
    return [k._replace(macro=macro, file=path, line=line) for _, k, _ in found]


def _macros_of_headers(path: str, data: bytes) -> Iterator[MacroUse]:
    """Uses outside of functions of macros that another file defines: `REGISTER_UNARY_OP(exp, float, float);`."""
    if _USE.search(data) is None:
        return
    scopes = scopes_of(data)
    text = scopes.text
    table = MacroTable(parse_defines(data, path))
    read_to = 0
    for match in _USE.finditer(text):
        at = match.start(1)
        if at < read_to or scopes.define_at(at) is not None or scopes.at(at).function_start >= 0:
            continue
        plain = not match.group(1).isupper()
        if plain and _BEHIND_STATEMENT.search(text, max(0, at - 400), at) is None:
            continue
        end = closing(text, match.end() - 1) + 1
        if not end or (plain and text.startswith(b"{", next_code(text, end))):
            continue
        read_to = end
        name, line = match.group(1).decode(), line_of(data, at)
        written = data[at:end].decode("utf-8", "replace")
        if name in table:
            written = expand(written, table, path, line)
        inner = blanked(written.encode("utf-8", "replace")).decode("utf-8", "replace")
        for use in _NAMED_USE.finditer(inner):
            before = inner[: use.start(1)]
            if not use.group(1).isupper() and (
                _STATEMENT_BEGINS.search(before) is None or before.count("{") > before.count("}")
            ):
                continue
            stop = closing(inner.encode("utf-8", "replace"), use.end() - 1) + 1
            if stop and use.group(1) not in table:
                yield MacroUse(
                    path, use.group(1), written[use.start(1) : stop], "", "", line, False
                )


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


def _statement_start(text: bytes, at: int) -> int:
    return max(text.rfind(b";", 0, at), text.rfind(b"}", 0, at)) + 1


def _host_name(original: bytes, start: int, end: int, function: str) -> str:
    """The name that a library has a function by."""
    host = _HOST_NAME.search(original, start, end)
    if host is None:
        return function
    return b"".join(_QUOTED.findall(host.group(1))).decode("utf-8", "replace")


def _of_same_type(original: bytes, scopes: Scopes) -> Iterator[tuple[int, Kernel, list[bytes]]]:
    """Instantiations whose type is that of what they instantiate."""
    text = scopes.text
    if b"decltype" not in text:
        return
    for match in _OF_SAME_TYPE.finditer(text):
        if scopes.define_at(match.start()) is not None:
            continue
        written = b"".join(match.group(1).split()).removeprefix(b"::").decode()
        function = _PLACEHOLDER.sub("*", written)
        start = _statement_start(text, match.start())
        name = _host_name(original, start, match.end(), function)
        kernel = Kernel(name, function, "metal", False, True, "", "", False, "", 0)
        yield match.start(1), kernel, []


def _read(original: bytes, scopes: Scopes) -> Iterator[tuple[int, Kernel, list[bytes]]]:
    yield from _of_same_type(original, scopes)
    text = scopes.text
    for match in _KERNEL.finditer(text):
        if scopes.define_at(match.start()) is not None:
            continue
        written = b"".join(match.group(1).split()).removeprefix(b"::").decode()
        function = _PLACEHOLDER.sub("*", written)
        close = closing(text, match.end() - 1)
        after = next_code(text, close + 1) if close >= 0 else len(text)
        while text[after : after + 2] == b"[[":
            end = text.find(b"]]", after)
            if end < 0:
                break
            after = next_code(text, end + 2)
        start = _statement_start(text, match.start())
        before = text[start : match.start()]
        name = _host_name(original, start, match.end(), function)
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
