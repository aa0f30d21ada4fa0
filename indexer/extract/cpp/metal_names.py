"""The names by which C++ and Objective-C++ look Metal's functions up, as far as the file tells them.

A name may be put together when PyTorch runs (`"foo_" + scalarToMetalTypeString(t)`): what is not known is `*`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from indexer.extract.cpp.characters import COLON, COMMA, SEMICOLON
from indexer.extract.cpp.lexical import (
    Argument,
    arguments,
    follows_type,
    line_of,
    next_code,
    previous_code,
)
from indexer.extract.cpp.metal_values import HOLE, LITERAL, MAX_PATTERNS, Strings, Value, squeeze
from indexer.extract.cpp.scopes import Scope
from indexer.facts.launches import Launch

# MetalShaderLibrary's (aten/src/ATen/native/mps/MetalShaderLibrary.h), MPSDevice's (1.13) and Metal's own functions.
_LOOKUP = re.compile(
    rb"\b(?:getPipelineStateForFunc|getKernelFunction|getCachedKernelFunctionPtr|getMTLFunction|metalIndexingFunction"
    rb"|metalIndexingPSO)\s*\("
    rb"|\b(?:newFunctionWithName|pipelineState|specializedPipelineState|kernelState|specializedState)\s*:(?!:)"
)
_DECLARATION = re.compile(rb"\([^()]*\)\s*\w+\s*[{;\w]")
_SIGNS = (
    b"getPipelineStateForFunc",
    b"getKernelFunction",
    b"getCachedKernelFunctionPtr",
    b"getMTLFunction",
    b"metalIndexing",
    b"newFunctionWithName",
    b"ipelineState:",
    b"kernelState:",
    b"specializedState:",
    b"Metal",
)
_CANDIDATE = re.compile(r"[A-Za-z]\w*_[\w*]*$")
_WORD = re.compile(r"[A-Za-z]\w+$")
_CALLED = re.compile(rb"\b([A-Za-z_]\w*)\s*$")
_MAX_WRAPPERS = 50


def lookups(path: str, data: bytes) -> Iterator[Launch]:
    """Each place where a function of a Metal library is asked for.

    A name that is a parameter of the enclosing function is looked for in that function's calls in the same file;
    then the launch is the call's. Strings that are passed to functions of other files and look like a kernel's name
    are given as kind `name`; linking keeps those that are one. What is a whole argument is given with that function
    and the argument's number besides, as `variable`: linking puts the name together where the function of the other
    file does so (`lib.exec_unary_kernel(iter, "exp")` asks for `exp_dense_*`, mps/OperationUtils.mm).

    Args:
        path: of the file, relative to the tree.
        data: the file's bytes.
    """
    if not any(sign in data for sign in _SIGNS[:-1]) and not (
        path.endswith(".mm") and _SIGNS[-1] in data
    ):
        return
    reader = _Reader(path, data)
    yield from reader.read()


def _handed(function: str, index: int) -> str:
    """How a launch says which argument of which function its name starts with."""
    return f"{function}({index})"


class _Reader:
    def __init__(self, path: str, data: bytes) -> None:
        self.path = path
        self.data = data
        self.strings = Strings(data)
        self.text = self.strings.text
        self.scopes = self.strings.scopes
        self.seen: set[tuple[int, str]] = set()
        self.told: set[str] = set()

    def read(self) -> Iterator[Launch]:
        wrappers: list[tuple[str, int, tuple[str, ...]]] = []
        spans: list[tuple[int, int]] = []
        for match in _LOOKUP.finditer(self.text):
            at = match.start()
            if self.scopes.define_at(at) is not None:
                continue
            argument = self._argument(match)
            scope = self.scopes.at(at)
            if argument is None or scope.function_start < 0 or at < scope.function_open:
                continue
            spans.append((argument.start, argument.end))
            value = self.strings.value(argument, scope, 0)
            self._add_wrapper(wrappers, scope, value)
            yield from self._launches(at, scope, value, "pipeline")
        done = 0
        while done < len(wrappers) and done < _MAX_WRAPPERS:
            name, index, templates = wrappers[done]
            done += 1
            for at, opening in self._calls(name):
                listed = arguments(self.text, opening)
                scope = self.scopes.at(at)
                if index >= len(listed) or scope.function_open < 0:
                    continue
                spans.append((listed[index].start, listed[index].end))
                value = self.strings.value(listed[index], scope, 0)
                filled = [t.replace(HOLE, p) for t in templates for p in value.patterns]
                value = Value(
                    tuple(dict.fromkeys(map(squeeze, filled)))[:MAX_PATTERNS], value.parameter
                )
                self._add_wrapper(wrappers, scope, value)
                yield from self._launches(at, scope, value, "pipeline")
        if self.path.endswith(".mm"):
            yield from self._passed_on(spans)

    def _add_wrapper(
        self, wrappers: list[tuple[str, int, tuple[str, ...]]], scope: Scope, value: Value
    ) -> None:
        if value.parameter >= 0:
            name = scope.function.rsplit("::", 1)[-1].split("(")[0]
            wrapper = (name, value.parameter, value.patterns)
            if wrapper not in wrappers:
                wrappers.append(wrapper)

    def _launches(self, at: int, scope: Scope, value: Value, kind: str) -> Iterator[Launch]:
        for template in value.patterns:
            pattern = squeeze(template.replace(HOLE, "*"))
            if (
                (at, pattern) in self.seen
                or not pattern
                or (value.parameter >= 0 and not pattern.strip("*"))
            ):
                continue
            self.seen.add((at, pattern))
            if pattern.strip("*"):
                self.told.add(scope.qualified)
            variable = ""
            if value.parameter >= 0 and template.startswith(HOLE):
                variable = _handed(
                    scope.function.rsplit("::", 1)[-1].split("(")[0], value.parameter
                )
            yield self._launch(at, scope, pattern, kind, variable)

    def _launch(self, at: int, scope: Scope, pattern: str, kind: str, variable: str) -> Launch:
        return Launch(
            pattern,
            "",
            scope.prefix,
            scope.qualified,
            kind,
            "",
            "",
            "",
            "",
            variable,
            "",
            False,
            "metal",
            self.path,
            line_of(self.data, at),
        )

    def _passed_on(self, spans: list[tuple[int, int]]) -> Iterator[Launch]:
        """String arguments of other calls that are spelled like a kernel's name."""
        told = frozenset(self.told)
        for match in LITERAL.finditer(self.data):
            start = match.start()
            if (
                self.text[start : start + 1] not in (b'"', b"@")
                or self.scopes.define_at(start) is not None
            ):
                continue
            if any(low <= start < high for low, high in spans):
                continue
            scope = self.scopes.at(start)
            if scope.function_open < 0 or start < scope.function_open:
                continue
            whole = match.group(1).decode("utf-8", "replace")
            if _WORD.match(whole) and (call := self._call_of(start, match.end())):
                yield self._launch(start, scope, whole, "name", call)
            if scope.qualified in told:
                continue
            before = previous_code(self.text, start)
            if before < 0 or self.text[before] not in b"(,=?:+":
                continue
            value = self.strings.value(Argument(start, self._expression_end(start)), scope, 0)
            for pattern in value.patterns:
                if _CANDIDATE.match(pattern) and len(pattern.replace("*", "")) > 4:
                    yield from self._launches(start, scope, Value((pattern,)), "name")

    def _call_of(self, start: int, end: int) -> str:
        """Which function is called with a literal, or a choice with one, and as which argument; "" where none is."""
        after = next_code(self.text, end)
        before = previous_code(self.text, start)
        if self.text[after : after + 1] not in (b",", b")", b":") or self.text[
            before : before + 1
        ] not in (b",", b"(", b"?", b":"):
            return ""
        depth, index, at = 0, 0, before
        while at >= 0 and at > start - 1000:
            char = self.text[at]
            if char in b")]}":
                depth += 1
            elif char in b"([{":
                if not depth:
                    break
                depth -= 1
            elif char in b";":
                return ""
            elif char == COMMA and not depth:
                index += 1
            at -= 1
        name = _CALLED.search(self.text[max(0, at - 200) : at])
        if self.text[at : at + 1] != b"(" or name is None or name.group(1).isupper():
            return ""
        return _handed(name.group(1).decode(), index)

    def _expression_end(self, start: int) -> int:
        depth = 0
        for at in range(start, min(len(self.text), start + 1000)):
            char = self.text[at]
            if char in b"([{":
                depth += 1
            elif char in b")]}":
                depth -= 1
                if depth < 0:
                    return at
            elif char in b",;:?" and not depth and self.text[at - 1 : at + 2].count(b":") < 2:
                return at
        return start

    def _argument(self, match: re.Match[bytes]) -> Argument | None:
        if match.group().endswith(b"("):
            listed = arguments(self.text, match.end() - 1)
            if not listed or follows_type(self.text, match.start()):
                return None
            return listed[0]
        start = next_code(self.text, match.end())
        if _DECLARATION.match(self.text, start) is not None:
            return None  # `- (…)pipelineState:(const std::string&)kernel`: a declaration
        depth, at = 0, start
        while at < len(self.text) and at < start + 2000:
            char = self.text[at]
            if char in b"([{":
                depth += 1
            elif char in b")]}":
                depth -= 1
                if depth < 0:
                    break
            elif not depth and char == COLON and self.text[at - 1 : at + 2].count(b":") == 1:
                # The next part of the message: `… constantValues:`.
                word = re.search(rb"\s\w+$", self.text[start:at])
                if word is not None and b"?" not in self.text[start:at]:
                    at = start + word.start()
                    break
            elif not depth and char == SEMICOLON:
                break
            at += 1
        return Argument(start, at)

    def _calls(self, name: str) -> Iterator[tuple[int, int]]:
        for match in re.finditer(
            rb"\b" + re.escape(name.encode()) + rb"\s*(?:<[^;()]*>)?\s*\(", self.text
        ):
            if self.scopes.define_at(match.start()) is None and not follows_type(
                self.text, match.start()
            ):
                yield match.start(), match.end() - 1
