"""What a string expression of C++ or Objective-C++ may come to, as far as its function and file tell it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice, product
from typing import NamedTuple

from indexer.extract.cpp.lexical import (
    Argument,
    arguments,
    blanked,
    closing,
    follows_type,
    next_code,
)
from indexer.extract.cpp.scopes import Scope, Scopes, scopes_of

LITERAL = re.compile(rb'@?"((?:[^"\\\n]|\\.)*)"')
HOLE = "\0"
"""Stands in a pattern for the value of the enclosing function's parameter."""

MAX_PATTERNS = 24
"""How many values are followed; more are not told apart."""

_IDENTIFIER = re.compile(rb"[A-Za-z_]\w*$")
_CALL = re.compile(rb"(?:[\w:]+::)?(\w+)\s*(?:<[^;()]*>)?\s*\(")
_FORMAT = re.compile(r"\{[^{}]*\}|%[-+ 0-9.]*l*[@a-zA-Z]")
_PARAMETER = re.compile(rb"\b([A-Za-z_]\w*)\s*(?:=([^=]*))?$")
_BOOLEANS = {b"true": True, b"false": False, b"YES": True, b"NO": False}
_MAX_DEPTH = 10


class Value(NamedTuple):
    """What an expression may be; `parameter` is the function's parameter that it is made from, or -1."""

    patterns: tuple[str, ...]
    parameter: int = -1


class Strings:
    """Values of string expressions in one file.

    Args:
        data: the file's bytes.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.text = blanked(data)
        self.scopes: Scopes = scopes_of(data)
        self._given: dict[
            bytes, bool
        ] = {}  # what a function that is looked into is given for its parameters

    def value(self, argument: Argument, scope: Scope, depth: int) -> Value:
        """What an expression may be.

        Args:
            argument: where it begins, and the offset behind it.
            scope: that it stands in.
            depth: how many expressions led to it; beyond some it may be anything.

        Returns:
            With `*` in its patterns for what is not known.
        """
        start, end = argument
        piece = self.text[start:end].strip()
        if not piece or depth > _MAX_DEPTH:
            return Value(("*",))
        if piece[:1] == b"(":
            opening = next_code(self.text, start)
            if (close := closing(self.text, opening)) == start + len(
                self.text[start:end].rstrip()
            ) - 1:
                return self.value(Argument(opening + 1, close), scope, depth + 1)
        if (question := self._split(start, end, b"?")) is not None:
            colon = self._split(question[1], end, b":")
            if colon is not None:
                chosen = self._given.get(_condition(self.text[start : question[0]]))
                if chosen is not None:
                    side = (question[1], colon[0]) if chosen else (colon[1], end)
                    return self.value(Argument(*side), scope, depth + 1)
                left = self.value(Argument(question[1], colon[0]), scope, depth + 1)
                right = self.value(Argument(colon[1], end), scope, depth + 1)
                patterns = tuple(dict.fromkeys(left.patterns + right.patterns))
                return Value(patterns, max(left.parameter, right.parameter))
        if (plus := self._split(start, end, b"+")) is not None:
            left = self.value(Argument(start, plus[0]), scope, depth + 1)
            right = self.value(Argument(plus[1], end), scope, depth + 1)
            joined = tuple(squeeze(a + b) for a in left.patterns for b in right.patterns)
            return Value(
                joined[:MAX_PATTERNS], left.parameter if left.parameter >= 0 else right.parameter
            )
        literal = LITERAL.match(self.data, next_code(self.text, start), end)
        if literal is not None and not self.data[literal.end() : end].strip():
            return Value((literal.group(1).decode("utf-8", "replace"),))
        if literal is not None:
            return Value((_literals(self.data[start:end]),))
        if _IDENTIFIER.match(piece):
            return self._variable(piece, scope, start, depth)
        return self._call(Argument(start, end), scope, depth)

    def _call(self, argument: Argument, scope: Scope, depth: int) -> Value:
        start, end = argument
        if self.text[next_code(self.text, start) : end][:1] == b"[":  # [NSString stringWith…:…]
            colon = self.text.find(b":", start, end)
            close = self.text.rfind(b"]", start, end)
            if colon >= 0 and close > colon:
                inner = self.text[colon + 1 : close]
                name = re.match(rb"\s*(\w+)\.c_str\(\)\s*$", inner)
                if name is not None:
                    return self._variable(name.group(1), scope, start, depth)
                literal = LITERAL.search(self.data, colon, close)
                if literal is not None:
                    return Value(
                        (squeeze(_FORMAT.sub("*", literal.group(1).decode("utf-8", "replace"))),)
                    )
            return Value(("*",))
        call = _CALL.match(self.text, next_code(self.text, start), end)
        if call is None:
            return Value(("*",))
        listed = arguments(self.text, call.end() - 1)
        function = call.group(1)
        if function in (b"string", b"NSStringFromString") and listed:
            return self.value(listed[0], scope, depth + 1)
        if function in (b"format", b"str") and listed:
            values = [self.value(item, scope, depth + 1) for item in listed]
            parameter = max(value.parameter for value in values)
            texts: list[str] = []
            for chosen in islice(product(*(value.patterns for value in values)), MAX_PATTERNS):
                text = "".join(chosen) if function == b"str" else _filled(chosen[0], chosen[1:])
                texts.append(squeeze(text))
            return Value(tuple(dict.fromkeys(texts)), parameter)
        returned = self._returned(function, listed, depth)
        if returned:
            return Value(returned)
        # Another function's result may be one of its arguments: kernelFor(X, "copy", "copy_nonarray").
        values = [
            v
            for v in (self.value(i, scope, depth + 1) for i in listed)
            if v.patterns[0].strip("*" + HOLE)
        ]
        return Value(tuple(dict.fromkeys(p for value in values for p in value.patterns)) or ("*",))

    def _returned(self, function: bytes, given: Sequence[Argument], depth: int) -> tuple[str, ...]:
        """What a function of the same file returns for some arguments."""
        for match in re.finditer(rb"\b" + re.escape(function) + rb"\s*\(", self.text):
            close = closing(self.text, match.end() - 1)
            opening = next_code(self.text, close + 1) if close >= 0 else -1
            if opening < 0 or self.text[opening : opening + 1] != b"{" or depth > 4:
                continue
            end = closing(self.text, opening)
            scope = self.scopes.at(opening + 1)
            found: list[str] = []
            outer, self._given = self._given, self._constants(match.end() - 1, given)
            for back in re.finditer(rb"\breturn\b([^;{}]*);", self.text[opening:end]):
                span = Argument(opening + back.start(1), opening + back.end(1))
                found += self.value(span, scope, depth + 2).patterns
            self._given = outer
            # A hole of its own would be taken for a parameter of who calls it.
            found = [squeeze(p.replace(HOLE, "*")) for p in found]
            return tuple(dict.fromkeys(p for p in found if p.strip("*")))[:MAX_PATTERNS]
        return ()

    def _constants(self, head: int, given: Sequence[Argument]) -> dict[bytes, bool]:
        """The conditions that a call decides: parameters that it gives `true` or `false` or leaves so, and their `!`.

        Args:
            head: where the parameters of the function begin.
            given: the call's arguments.
        """
        found: dict[bytes, bool] = {}
        for index, (start, end) in enumerate(arguments(self.text, head)):
            parameter = _PARAMETER.search(self.text, start, end)
            if parameter is None:
                continue
            default = (parameter.group(2) or b"").strip()
            known = _BOOLEANS.get(default)
            if index < len(given):
                value = self.text[given[index].start : given[index].end].strip()
                known = _BOOLEANS.get(value, self._given.get(value))
            if known is not None:
                found[parameter.group(1)] = known
                found[b"!" + parameter.group(1)] = not known
        return found

    def _variable(self, name: bytes, scope: Scope, at: int, depth: int) -> Value:
        """What the enclosing function sets a variable to; else which parameter it is."""
        found: list[str] = []
        parameter = -1
        if scope.function_open >= 0:
            before = self.text[scope.function_open : at]
            for match in re.finditer(rb"\b" + name + rb"\s*(?:(\+?=)(?!=)\s*|([({]))", before):
                start = scope.function_open + match.end()
                if match.group(2):
                    if not follows_type(self.text, scope.function_open + match.start()):
                        continue
                    end = closing(self.text, start - 1)
                    if end < 0:
                        continue
                else:
                    end = self.text.find(b";", start)
                value = self.value(Argument(start, end), scope, depth + 1)
                if match.group(1) == b"+=":
                    # It may be conditional, and several may follow: whatever is added is not known.
                    found = list(
                        dict.fromkeys(squeeze(pattern + "*") for pattern in found or ["*"])
                    )
                else:
                    found += value.patterns
                    parameter = max(parameter, value.parameter)
            head = self.text[scope.function_start : scope.function_open]
            own = head.find(scope.function.rsplit("::", 1)[-1].split("(")[0].encode())
            opening = scope.function_start + head.find(b"(", max(own, 0))
            for index, item in enumerate(arguments(self.text, opening)):
                declared = self.text[item.start : item.end]
                if not found and re.search(rb"\b" + name + rb"\s*(?:=.*)?$", declared, re.DOTALL):
                    parameter = index
        if found:
            return Value(tuple(dict.fromkeys(found))[:MAX_PATTERNS], parameter)
        return Value((HOLE,) if parameter >= 0 else ("*",), parameter)

    def _split(self, start: int, end: int, sign: bytes) -> tuple[int, int] | None:
        """Where an operator stands outside of brackets: its start and end."""
        depth = 0
        for at in range(start, end):
            char = self.text[at]
            if char in b"([{":
                depth += 1
            elif char in b")]}":
                depth -= 1
            elif not depth and char == sign[0]:
                around = self.text[max(at - 1, 0) : at + 2]
                if around.count(sign) == 1 and b"=" not in around:
                    return at, at + 1
        return None


def _condition(text: bytes) -> bytes:
    """A condition as it is looked up: without the spaces, and the brackets around it."""
    return b"".join(text.split()).strip(b"()")


def _filled(template: str, values: Sequence[str]) -> str:
    """A fmt template with its placeholders replaced in order; `*` for those with a format or index of their own."""
    waiting = iter(values)
    return _FORMAT.sub(lambda match: next(waiting, "*") if match.group() == "{}" else "*", template)


def _literals(piece: bytes) -> str:
    """Adjacent literals are one; whatever else is there is not known."""
    return squeeze("*".join(m.decode("utf-8", "replace") for m in LITERAL.findall(piece)) + "*")


def squeeze(pattern: str) -> str:
    """The same `pattern` with adjacent `*` made one."""
    return re.sub(r"\*+", "*", pattern)
