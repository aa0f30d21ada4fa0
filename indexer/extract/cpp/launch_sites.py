"""Launches of GPU kernels as they are spelled in C++: which kernel, with which configuration."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from indexer.extract.cpp.callables import callable_name
from indexer.extract.cpp.characters import GREATER, HASH, LESS, OPENING_BRACKET, SEMICOLON
from indexer.extract.cpp.lexical import (
    Argument,
    arguments,
    closing,
    follows_type,
    next_code,
    previous_code,
    squeezed,
    template_end,
    template_start,
)
from indexer.extract.cpp.scopes import Scope

_FAR = 40_000  # bytes of a function in front of a launch that may set what it launches
_CHEVRON = re.compile(rb"<<<(?!<)")
_CALLS = (  # each starts with fixed text, which a search finds fast; what stands before it is read backwards
    ("runtime", re.compile(rb"Launch(?:Cooperative)?\w*Kernel\w*")),
    ("runtime", re.compile(rb"shmemx_collective_launch\b")),
    ("helper", re.compile(rb"gpu_\w*kernel\w*")),
    ("helper", re.compile(rb"launch_\w+")),
    ("cub", re.compile(rb"cub::(?:Device\w+::\w+|[a-z]\w*)")),
    ("thrust", re.compile(rb"thrust::(?:[a-z]\w*::)*[a-z]\w*")),
    ("macro", re.compile(rb"LAUNCH[A-Z0-9_]*\b")),
)
_RUNTIME = re.compile(r"(?:cu|cuda|hip)(?:Module|Ext)?Launch|nvshmemx_collective_launch$")
_NOT_LAUNCHING = re.compile(r"_CHECK|_BOUNDS")
_POLICY = re.compile(rb"polic|\bpar\b|\bpar[.(]|thrust::device\b|thrust::cuda::")
# Behind a variable's name: `… = &kernel<T>;`, also of a pointer to a function and under a cast.
_INITIALISED = re.compile(
    rb"(?:\s*\)\s*\([^()]*\))?\s*=\s*(?:\(\s*[\w:\s*]+\)\s*)?"
    rb"(?:(?:static|reinterpret)_cast\s*<[^=;]*?>\s*\(\s*)?[&*\s]*"
    rb"(?P<target>(?:::)?[A-Za-z_]\w*(?:(?:\s*<[^;={}()]*>)?\s*::\s*(?:template\s+)?\w+)*)"
    rb"(?P<arguments>\s*<[^;]*>)?\s*\)?\s*;"
)
_PASSED = re.compile(rb"\s*[,)=]")
_DECLARING = re.compile(
    rb"\b(?:auto|CUfunction_st|CUfunction|void)(?=\s*[*&]?\s*\(?\s*[*&]?\s*([A-Za-z_0-9]+))"
)
_BEFORE_NAMES = frozenset((b" ", b"\t", b"\n", b"\r", b"\f", b"\v", b"*", b"&", b")"))
_NAME_TAIL = re.compile(rb"[A-Za-z_0-9:]")


class Site(NamedTuple):
    """One launch in a text; see `Launch` for the fields."""

    offset: int
    kind: str
    kernel: str
    template_arguments: str = ""
    grid: str = ""
    block: str = ""
    shared: str = ""
    stream: str = ""
    variable: str = ""


def chevrons(text: bytes) -> Iterator[Site]:
    """Each `kernel<…><<<grid, block, shared, stream>>>`.

    Args:
        text: blanked.
    """
    for match in _CHEVRON.finditer(text):
        at = match.start()
        end = _chevron_end(text, match.end())
        if end < 0:
            continue
        kernel, template_arguments = _kernel_before(text, at)
        if not kernel:
            continue
        # Arguments are split as in a call; the list ends at `>>>`.
        parts = [
            squeezed(text[a.start : a.end], 200) for a in _configuration(text, match.end(), end)
        ]
        parts += [""] * (4 - len(parts))
        yield Site(at, "launch", kernel, template_arguments, parts[0], parts[1], parts[2], parts[3])


def _configuration(text: bytes, start: int, end: int) -> list[Argument]:
    return arguments(text, start - 1, end)


def _chevron_end(text: bytes, at: int) -> int:
    """The offset of the `>>>` that ends a launch's configuration, or -1."""
    depth = 0
    limit = min(len(text), at + 3000)
    while at < limit:
        char = text[at]
        if char in b"([{":
            depth += 1
        elif char in b")]}":
            depth -= 1
            if depth < 0:
                return -1
        elif char == GREATER and not depth and text[at : at + 3] == b">>>":
            return at
        elif (char == SEMICOLON and not depth) or (char == LESS and text[at : at + 3] == b"<<<"):
            return -1
        at += 1
    return -1


def _kernel_before(text: bytes, at: int) -> tuple[str, str]:
    """The name (and template arguments) of the expression that ends before `at`."""
    last = previous_code(text, at)
    template_arguments = ""
    if last >= 0 and text[last] == GREATER:
        opening = template_start(text, last)
        if opening < 0:
            return "", ""
        template_arguments = squeezed(text[opening : last + 1])
        last = previous_code(text, opening)
    if last >= 0 and text[last] in b")]":
        return _bracketed(text, last), template_arguments
    end = last + 1
    start = end
    while start > 0:
        if _NAME_TAIL.match(text, start - 1):
            start -= 1
        elif text[start - 1] == GREATER and text[start : start + 2] == b"::":
            opening = template_start(text, start - 1)  # a class's arguments: `C<T>::kernel`
            if opening < 0:
                break
            start = opening
        elif text[start - 1] == HASH and text[start:end].strip(b"#"):
            start -= 1  # `name##_kernel` in a macro's definition
        else:
            break
    name = text[start:end]
    word = text[:start].rstrip()
    if word.endswith(b"template"):  # `C<T>::template kernel<U>`
        outer, _ = _kernel_before(text, len(word) - 8)
        return f"{outer}{squeezed(name)}", template_arguments
    return re.sub(r"<.*?>(?=::)", "", squeezed(name).replace(" ", "")), template_arguments


def _bracketed(text: bytes, last: int) -> str:
    """The kernel in `(kernel<…>)` or `table[i]`."""
    depth = 0
    for at in range(last, max(-1, last - 2000), -1):
        if text[at] in b")]}":
            depth += 1
        elif text[at] in b"([{":
            depth -= 1
            if not depth:
                if text[at] == OPENING_BRACKET:
                    return _kernel_before(text, at)[0]
                inner = text[at + 1 : last]
                match = re.match(rb"\s*(?:\([^()]*\)\s*)?[&*\s]*([A-Za-z_][\w:]*)", inner)
                return match.group(1).decode() if match else squeezed(inner, 120)
    return ""


def named_calls(text: bytes) -> Iterator[Site]:
    """Launches by a function's name.

    Args:
        text: blanked.
    """
    for kind, pattern in _CALLS:
        for match in pattern.finditer(text):
            site = _named_call(text, kind, match)
            if site is not None:
                yield site


def _named_call(text: bytes, kind: str, match: re.Match[bytes]) -> Site | None:
    start = _name_start(text, match.start())
    name = text[start : match.end()].decode("utf-8", "replace")
    last = name.rsplit("::", 1)[-1]
    opening, template_arguments = _call_opening(text, match.end())
    if kind == "cub":
        # cub's own functions are named without a call too: CUB_WRAPPER(cub::DeviceReduce::Sum, …). Those of
        # aten/src/ATen/cuda/cub.cuh give nothing back where they launch: `int n = cuda::cub::get_num_bits(max)`.
        if "::Device" in name or (opening >= 0 and text[previous_code(text, start)] not in b"=(,"):
            return Site(start, "library", name, template_arguments)
        return None
    if opening < 0 or _is_declaration(text, start, opening):
        return None
    if (
        kind == "helper"
        and not match.group().startswith(b"gpu_")
        and not last.startswith("launch_")
    ):
        return None
    if kind == "helper":
        return Site(start, "jit" if "jit" in last else "helper", name, template_arguments)
    listed = arguments(text, opening)
    parts = [squeezed(text[a.start : a.end], 200) for a in listed[:9]]
    if kind == "thrust" and parts and _POLICY.search(parts[0].encode()):
        return Site(start, "library", name, template_arguments)
    if (
        kind == "macro"
        and last.isupper()
        and _NOT_LAUNCHING.search(last) is None
        and len(parts) > 1
    ):
        grid, block, shared, stream = (parts[1:5] + [""] * 4)[:4]
        return Site(start, "macro", parts[0], "", grid, block, shared, stream, last)
    if kind == "runtime" and _RUNTIME.match(last):
        return _runtime(start, last, text, listed, parts)
    return None


def _runtime(at: int, function: str, text: bytes, listed: list[Argument], parts: list[str]) -> Site:
    """A call of the driver's or runtime's launching function; the order of arguments is CUDA's (and HIP's) API's."""
    parts = parts + [""] * 9
    kernel, template_arguments = "", ""
    index = 1 if function.startswith(("cudaLaunchKernelEx", "cuLaunchKernelEx")) else 0
    if len(listed) > index:
        start, end = listed[index]
        kernel = callable_name(text, start, end, "lambda") or squeezed(text[start:end], 120)
        angle = text.find(b"<", text.find(kernel.rsplit("::", 1)[-1].encode(), start, end), end)
        if (
            angle >= 0
            and text[angle - 1 : angle].isalnum()
            and (last := template_end(text, angle, end)) > 0
        ):
            template_arguments = squeezed(text[angle : last + 1])
    if function.endswith("GGL"):
        grid, block, shared, stream = parts[1:5]
    elif index:
        grid, block, shared, stream = parts[0], "", "", ""
    elif function.startswith(("cuda", "hipLaunchKernel", "hipExtLaunchKernel", "nvshmemx")):
        grid, block, shared, stream = parts[1], parts[2], parts[4], parts[5]
    else:
        grid = ", ".join(parts[1:4])
        block = ", ".join(parts[4:7])
        shared, stream = parts[7], parts[8]
    return Site(at, "runtime", kernel, template_arguments, grid, block, shared, stream, function)


def _name_start(text: bytes, at: int) -> int:
    while at > 0 and (text[at - 1 : at].isalnum() or text[at - 1] in b"_:"):
        at -= 1
    return at


def _call_opening(text: bytes, end: int) -> tuple[int, str]:
    """The `(` of a call whose name ends at `end`, past its template arguments; -1 without one."""
    at = next_code(text, end)
    template_arguments = ""
    if text[at : at + 1] == b"<":
        angle = template_end(text, at, len(text))
        if angle < 0:
            return -1, ""
        template_arguments = squeezed(text[at : angle + 1])
        at = next_code(text, angle + 1)
    return (at if text[at : at + 1] == b"(" else -1), template_arguments


def _is_declaration(text: bytes, start: int, opening: int) -> bool:
    """Whether a name with brackets declares a function."""
    close = closing(text, opening)
    after = next_code(text, close + 1) if close > 0 else 0
    if text[after : after + 1] == b"{":
        return True  # also behind `__launch_bounds__(…)`, which is no type
    if not follows_type(text, start):
        return False
    # A macro's use without `;` may stand on the line before: then the name begins a statement.
    before = previous_code(text, start)
    return text[after : after + 1] != b";" or b"\n" not in text[max(before, 0) : start]


def variable_target(text: bytes, site: Site, scope: Scope) -> Site:
    """The site with the kernel that its local variable was set to, where the enclosing function says so.

    Args:
        text: blanked.
        site: a launch.
        scope: what encloses it.
    """
    if (
        site.kind not in ("launch", "runtime", "macro")
        or "::" in site.kernel
        or scope.function_start < 0
    ):
        return site
    name = site.kernel.encode()
    if not re.fullmatch(rb"\w+", name):
        return site
    if text.find(name, scope.function_start, site.offset) < 0:
        return site
    body = text[max(scope.function_open, site.offset - _FAR) : site.offset]
    last = None
    for at in _words(body, name):
        if last is None or at >= last.end():
            last = _INITIALISED.match(body, at + len(name)) or last
    if last is not None:
        target = squeezed(last.group("target")).replace("template ", "").replace(" ", "")
        given = squeezed(last.group("arguments") or b"")
        target = re.sub(r"<.*>(?=::)", "", target)
        if target not in ("nullptr", "NULL"):
            return site._replace(kernel=target, template_arguments=given, variable=site.kernel)
    head = text[scope.function_start : scope.function_open]
    passed = any(
        head[at - 1 : at] in _BEFORE_NAMES and _PASSED.match(head, at + len(name)) is not None
        for at in _words(head, name)
    )
    if passed or any(found.group(1) == name for found in _DECLARING.finditer(body)):
        return site._replace(variable=site.kernel)
    return site


def _words(text: bytes, name: bytes) -> Iterator[int]:
    """Where a name stands as a word of its own, or as one's beginning."""
    at = text.find(name)
    while at >= 0:
        before = text[at - 1 : at] if at else b""
        if not (before.isalnum() or before == b"_"):
            yield at
        at = text.find(name, at + 1)
