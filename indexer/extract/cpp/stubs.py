"""DispatchStubs of one file: declarations, definitions, registrations, uses.

The forms and what each registers for are those of aten/src/ATen/native/DispatchStub.h (1.13: also
`REGISTER_NO_AVX512_DISPATCH`, there in the same file).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from indexer.extract.cpp.characters import COLON, DOT
from indexer.extract.cpp.expansion import expanded_uses
from indexer.extract.cpp.lexical import (
    Argument,
    closing,
    follows_type,
    macro_arguments,
    next_code,
    previous_code,
    squeezed,
    template_end,
)
from indexer.extract.cpp.scopes import Scope, Scopes
from indexer.extract.cpp.unit import CppUnit
from indexer.facts.stubs import StubDeclaration, StubFact, StubRegistration, StubUse

_FORM = re.compile(
    rb"\b((?:ALSO_)?REGISTER_(?:\w+_)?DISPATCH|DECLARE_DISPATCH|DEFINE_DISPATCH)\s*\("
)
_STUB = re.compile(rb"_stub\b")
# The device may be one of two: `LayerNormKernel(x.is_cuda() ? kCUDA : kCPU, …)`.
_KERNEL_CALL = re.compile(
    rb"ernel\w*\s*\(\s*((?:[^?,;{}]{1,200}\?\s*[\w:]*(?:\bk[A-Z]|DeviceType::)\w+\s*:\s*)?[\w:]+(?:\(\))?(?:(?:\.|->)\w+(?:\([^()]*\))?|\[\w+\])*)\s*[,)]"
)
_DEVICE = re.compile(
    rb"(?:.*DeviceType::\w+|(?:.*:\s*)?k[A-Z]\w+|.*(?:type|device)(?:\(\))?)$",
    re.DOTALL,
)
_NAMES_DEVICE = re.compile(r"device|type\(\)|\bk[A-Z]|DeviceType", re.IGNORECASE)
_RELEVANT = re.compile(rb"_stub\b|_DISPATCH\b")
_CAST = re.compile(rb"(?:static_cast|reinterpret_cast|const_cast)\s*<")
_C_CAST = re.compile(rb"\(\s*[\w:]+(?:\s*\*)?\s*\)\s*(?=[&\w(])")
_NAME = re.compile(rb"(?:::\s*)?[A-Za-z_]\w*(?:\s*::\s*[A-Za-z_]\w*)*")
_CUDA = (".cu", ".cuh", ".hip", ".cut")


def stubs(unit: CppUnit) -> Iterator[StubFact]:
    """Every fact about DispatchStubs in a file.

    Args:
        unit: the file. Its syntax tree is not used: stub macros stand without semicolons and in other macros.
    """
    data = unit.data
    signs = b"_stub" in data or b"_DISPATCH" in data
    if not signs or _RELEVANT.search(data) is None:
        calls = _KERNEL_CALL.finditer(data) if signs or b"evice" in data else ()
        if not any(_DEVICE.match(call.group(1)) for call in calls):
            return
    text, scopes = unit.text, unit.scopes
    expanded = list(expanded_uses(unit.path, data, _RELEVANT))
    made = [(use.offset, use.offset + use.length) for use in expanded]
    yield from _Reader(unit, text, scopes, skipped=made).read()
    for use in expanded:
        inner = _Reader(
            unit,
            use.text,
            Scopes(use.text),
            use.macro,
            unit.line(use.offset),
            scopes.at(use.offset),
        )
        yield from inner.read()


class _Reader:
    """Reads a text: a whole file, or what a macro's use comes to (then lines and scope are the use's)."""

    def __init__(
        self,
        unit: CppUnit,
        text: bytes,
        scopes: Scopes,
        macro: str = "",
        line: int = 0,
        outer: Scope | None = None,
        skipped: Sequence[tuple[int, int]] = (),
    ) -> None:
        self.unit = unit
        self.text = text
        self.scopes = scopes
        self.macro = macro
        self.fixed_line = line
        self.outer = outer
        self.skipped = skipped

    def read(self) -> Iterator[StubFact]:
        taken = list(self.skipped)
        for match in _FORM.finditer(self.text):
            if self._defining(match.start()):
                continue
            opening = match.end() - 1
            end = closing(self.text, opening)
            if end < 0:
                continue
            taken.append((match.start(), end))
            yield from self._statement(match.group(1).decode(), match.start(), opening, end)
        taken.sort()
        starts = [start for start, _ in taken]
        for start, end, device in sorted(self._names()):
            index = bisect_right(starts, start) - 1
            if (index >= 0 and start < taken[index][1]) or self._defining(start):
                continue
            fact = self._use(start, end, device)
            if fact is not None:
                yield fact
                yield from self._handed_on(fact)

    def _handed_on(self, use: StubUse) -> Iterator[StubUse]:
        """Who hands a functor that calls a stub to a template: `normal_impl_<NormalStub, Generator>(self, …)`."""
        functor, _, last = use.caller.rpartition("::")
        if last != "operator()" or use.how != "call":
            return
        name = re.escape(functor.rpartition("::")[2].encode())
        for match in re.finditer(rb"[<,]\s*(" + name + rb")\s*[,>]", self.text):
            scope, function = self._scope(match.start(1))
            if function and function != use.caller and not self._defining(match.start(1)):
                line = self._line(match.start(1))
                yield StubUse(use.stub, scope, function, "argument", use.device, use.file, line)

    def _names(self) -> Iterator[tuple[int, int, str]]:
        """Names that may be a stub's: where they start and end, and the device where a call's argument tells it."""
        for match in _STUB.finditer(self.text):
            start = _name_start(self.text, match.start())
            if start < match.start():
                yield start, match.end(), ""
        for match in _KERNEL_CALL.finditer(self.text):
            if _DEVICE.match(match.group(1)) is not None:
                end = self.text.index(b"(", match.start())
                name = self.text[match.start() : end].rstrip()
                if not name.endswith(b"_stub"):
                    start = _name_start(self.text, match.start())
                    yield start, match.start() + len(name), squeezed(match.group(1))

    def _defining(self, at: int) -> bool:
        """Whether a place is the body of a `#define` (read where it is used) or another directive."""
        if self.outer is not None:
            return False
        return self.scopes.define_at(at) is not None or (
            self.text[self.text.rfind(b"\n", 0, at) + 1 : at].lstrip()[:1] == b"#"
        )

    def _line(self, at: int) -> int:
        return self.fixed_line or self.unit.line(at)

    def _scope(self, at: int) -> tuple[str, str]:
        """The namespaces and classes around a place, and the function it stands in."""
        scope = self.scopes.at(at)
        if self.outer is None:
            return scope.prefix, scope.qualified
        prefix = "::".join(part for part in (self.outer.prefix, scope.prefix) if part)
        if scope.function:
            return prefix, f"{prefix}::{scope.function}" if prefix else scope.function
        return prefix, self.outer.qualified

    def _piece(self, argument: Argument) -> bytes:
        return self.text[argument.start : argument.end]

    def _statement(self, form: str, at: int, opening: int, end: int) -> Iterator[StubFact]:
        listed = macro_arguments(self.text, opening, end)
        scope, _ = self._scope(at)
        line = self._line(at)
        if form in ("DECLARE_DISPATCH", "DEFINE_DISPATCH"):
            if not listed:
                return
            # A comma between `<>` separates for the preprocessor, so the name is always the last one.
            name = squeezed(self._piece(listed[-1])).replace(" ", "")
            type_ = squeezed(self.text[listed[0].start : listed[-2].end]) if len(listed) > 1 else ""
            qualified = f"{scope}::{name}" if scope else name
            kind = "declare" if form.startswith("DECLARE") else "define"
            yield StubDeclaration(qualified, kind, type_, self.macro, self.unit.path, line)
            return
        backend = _backend(form, self.unit.path)
        kernel = Argument(end, end)
        if form == "REGISTER_ARCH_DISPATCH" and len(listed) > 2:
            arch = squeezed(self._piece(listed[1]))
            backend = "CPU" if arch == "CPU_CAPABILITY" else arch
            kernel = Argument(listed[2].start, listed[-1].end)
        elif len(listed) > 1:
            kernel = Argument(listed[1].start, listed[-1].end)
        if not listed:
            return
        stub = squeezed(self._piece(listed[0])).replace(" ", "")
        name, template_arguments, where = kernel_name(self.text, kernel)
        if where >= 0 and name != "lambda":
            where = -1
        yield StubRegistration(
            stub,
            scope,
            backend,
            name,
            template_arguments,
            form,
            self.macro,
            self.unit.path,
            line,
            self._line(where) if where >= 0 else 0,
        )

    def _use(self, at: int, end: int, device: str) -> StubUse | None:
        text = self.text
        name = b"".join(text[at:end].split()).decode("utf-8", "replace")
        after = next_code(text, end)
        follows = text[after : after + 1]
        before = previous_code(text, at)
        how = "argument"
        if before >= 0 and (text[before] == DOT or text[before - 1 : before + 1] == b"->"):
            return None  # a member
        if follows == b"(":
            how = "call"
            if follows_type(text, at):
                return None  # `void f_kernel(DeviceType device_type)` declares the name
            if not device:
                listed = macro_arguments(text, after)
                device = squeezed(text[listed[0].start : listed[0].end], 80) if listed else ""
            if _NAMES_DEVICE.search(device) is None:
                return None  # a function of its own: `copy_stub(out, in, n)` in native/cpu/PaddingKernel.cpp
        elif follows not in (b",", b")", b".", b";", b">", b"}") or (
            follows == b";" and (before < 0 or text[before] not in b"=,&?:")
        ):
            return None
        scope, function = self._scope(at)
        if self.macro or (not function and how == "argument"):
            how = "macro"
        return StubUse(name, scope, function, how, device, self.unit.path, self._line(at))


def _name_start(text: bytes, at: int) -> int:
    """Where the (qualified) name that goes on at `at` starts."""
    while at > 0 and (text[at - 1 : at].isalnum() or text[at - 1] in b"_:"):
        if text[at - 1] == COLON and text[at - 2 : at - 1] != b":" and text[at : at + 1] != b":":
            break
        at -= 1
    return at


def _backend(form: str, path: str) -> str:
    """What a form registers for, by its name and, for the plain one, by the kind of file (DispatchStub.h, end)."""
    middle = (
        form.removeprefix("ALSO_").removeprefix("REGISTER_").removesuffix("DISPATCH").strip("_")
    )
    if form.startswith("ALSO_") or middle in ("ALL_CPU", "NO_CPU", "ARCH"):
        # ALSO_REGISTER_AVX512_DISPATCH registers for whichever CPU capability is being compiled, AVX512 included.
        return "CPU"
    if middle.startswith("NO_"):
        return middle[3:]
    if middle:
        return {"PRIVATEUSE1": "PrivateUse1"}.get(middle, middle)
    if path.endswith(_CUDA):
        return "CUDA"
    return "MPS" if path.endswith(".mm") else "CPU"


def kernel_name(text: bytes, argument: Argument) -> tuple[str, str, int]:
    """What a registration's kernel argument names.

    Args:
        text: blanked text.
        argument: where the argument stands; empty where the form takes none.

    Returns:
        the name without `&`, casts and brackets (`nullptr` for none, `lambda` for a lambda), its template
        arguments, and the offset at which it starts (-1 without one).
    """
    start, end = argument
    if start >= end:
        return "nullptr", "", -1
    while True:
        start = next_code(text, start)
        if start >= end:
            return "nullptr", "", -1
        char = text[start : start + 1]
        if char in (b"&", b"+", b"*"):
            start += 1
        elif (cast := _CAST.match(text, start, end)) is not None:
            angle = template_end(text, cast.end() - 1, end)
            opening = text.find(b"(", angle, end) if angle >= 0 else -1
            if opening < 0:
                break
            start = opening + 1
        elif (c_cast := _C_CAST.match(text, start, end)) is not None:
            start = c_cast.end()
        elif char == b"(":
            start += 1
        else:
            break
    if text[start : start + 1] == b"[":
        return "lambda", "", start
    match = _NAME.match(text, start, end)
    if match is None:
        return squeezed(text[start:end], 120), "", start
    # CPU_CAPABILITY names an inline namespace, which is no part of a qualified name (native/cpu/*.cpp).
    name = (
        b"".join(match.group().split()).decode("utf-8", "replace").removeprefix("CPU_CAPABILITY::")
    )
    if name in ("nullptr", "NULL"):
        return "nullptr", "", -1
    after = next_code(text, match.end())
    template_arguments = ""
    if after < end and text[after : after + 1] == b"<":
        angle = template_end(text, after, end)
        if angle >= 0:
            template_arguments = squeezed(text[after : angle + 1])
    return name, template_arguments, start
