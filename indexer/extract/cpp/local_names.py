"""What names mean in a function's body alone: its using-directives and aliases, and names that are no functions there.

A parameter, a lambda that a variable holds and a template's parameter are called like a function of their name.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from indexer.extract.cpp.outline import ClassBody, Function

_USING = re.compile(rb"using\b(?<!\wusing)\s+([^;{}()]*);")
_NAMESPACE = re.compile(rb"namespace\b(?<!\wnamespace)\s+(\w+\s*=[\w:\s]+);")
_BRACKET = re.compile(rb"[{}]")
_ITEM = re.compile(rb"[()\[\]{}]|::?")
_LAMBDA = re.compile(rb"auto\b(?<!\wauto)[\s&]+(\w+)\s*=\s*\[")
# The name of a template's parameter: what stands before a comma, a default value or the end.
_PARAMETER = re.compile(rb"(?:class|typename)\b(?:\s*\.\.\.)?\s*(\w+)\s*(?=[,>=])")
_BEFORE_NAME = re.compile(rb"(?:(\w+)\s+|[&*>\]]\s*|\.\.\.\s*)$")
_AFTER_NAME = re.compile(rb"\s*(?:\[[^\]]*\]\s*)?(?:[,)]|=[^=])")
_NO_TYPES = frozenset(b"const volatile struct enum return typename template".split())
_ENDS = re.compile(rb"[;{}]")
_NONE: frozenset[bytes] = frozenset()
_FAR = 1000  # bytes of a class's template parameters


class LocalNames:
    """Of one file.

    Args:
        text: of the file, comments and literals blanked.
        classes: those of the file.
    """

    def __init__(self, text: bytes, classes: list[ClassBody]) -> None:
        self._text = text
        self._usings = sorted(
            (match.start(), word + b" " + match.group(1))
            for word, pattern in ((b"using", _USING), (b"namespace", _NAMESPACE))
            for match in _each(word, pattern, text)
        )
        self._lambdas = [(match.start(), match.group(1)) for match in _each(b"auto", _LAMBDA, text)]
        self._templates = [
            (body.at, body.end, names) for body in classes if (names := self._of_class(body.at))
        ]

    def _of_class(self, at: int) -> frozenset[bytes]:
        """The parameters of the template that a class is whose name stands at an offset."""
        before = self._text[max(0, at - _FAR) : at]
        if b"template" not in before:
            return _NONE
        last = 0
        for match in _ENDS.finditer(before):
            last = match.end()
        return frozenset(_PARAMETER.findall(before, last))

    def usings(self, function: Function) -> list[tuple[int, int, bytes]]:
        """The using-directives, -declarations and aliases of namespaces in the body of `function`, in their order.

        Returns:
            Of each the offset where it begins, that at which its block ends, and `using` or `namespace` with what is
            written behind it.
        """
        if not self._usings:
            return []
        first = bisect_left(self._usings, (function.body, b""))
        last = bisect_left(self._usings, (function.end, b""))
        return [
            (at, self._block_end(at, function.end), using) for at, using in self._usings[first:last]
        ]

    def _block_end(self, at: int, end: int) -> int:
        depth = 0
        for match in _BRACKET.finditer(self._text, at, end):
            depth += 1 if match.group() == b"{" else -1
            if depth < 0:
                return match.start()
        return end

    def template_parameters(self, function: Function, head: bytes) -> frozenset[bytes]:
        """The names of the parameters of the templates that a function and the classes around it are.

        Args:
            function: of the file.
            head: the function's text up to its body.
        """
        names = _NONE if b"template" not in head else frozenset(_PARAMETER.findall(head))
        for start, end, of_class in self._templates:
            if start < function.at < end:
                names |= of_class
        return names

    def lambdas(self, function: Function) -> list[tuple[int, bytes]]:
        """The variables in the body of `function` that hold lambdas: the offset of each one's `auto`, and its name."""
        if not self._lambdas:
            return []
        first = bisect_left(self._lambdas, (function.body, b""))
        last = bisect_left(self._lambdas, (function.end, b""))
        return self._lambdas[first:last]

    def is_lambda(
        self, lambdas: list[tuple[int, bytes]], name: bytes, at: int, function: Function
    ) -> bool:
        """Whether one of these has a name at an offset of the body.

        Args:
            lambdas: of the function: where each begins, and its name.
            name: that is called.
            at: offset of the call.
            function: that it stands in.
        """
        return any(
            name == of_lambda and start < at < self._block_end(start, function.end)
            for start, of_lambda in lambdas
        )


def _each(word: bytes, pattern: re.Pattern[bytes], text: bytes) -> Iterator[re.Match[bytes]]:
    """Every match of an expression that begins with a word: looking for that first takes a tenth of the time."""
    at = text.find(word)
    while at >= 0:
        match = pattern.match(text, at)
        if match is not None:
            yield match
        at = text.find(word, at + len(word))


def usings_at(usings: list[tuple[int, int, bytes]], at: int) -> bytes:
    """Those of a body's usings that hold at an offset.

    Args:
        usings: as `LocalNames.usings` gives them.
        at: the offset in the file.

    Returns:
        One a line, in their order, white space folded; empty where none holds.
    """
    return b"\n".join(
        [b" ".join(using.split()) for start, end, using in usings if start < at < end]
    )


def is_parameter(head: bytes, name: bytes) -> bool:
    """Whether `head`, a function's text up to its body, declares a parameter called `name`."""
    at = head.find(name)
    while at >= 0:
        if _AFTER_NAME.match(head, at + len(name)):
            before = _BEFORE_NAME.search(head, max(0, at - 80), at)
            if before is not None and before.group(1) not in _NO_TYPES:
                return True
        at = head.find(name, at + 1)
    return False


def initializers(text: bytes, start: int, end: int) -> frozenset[int]:
    """The opening brackets of a constructor's initializers: they name members and bases, not functions.

    Args:
        text: of the file, comments and literals blanked.
        start: behind the constructor's name.
        end: of its head.
    """
    found: list[int] = []
    depth, colon = 0, False
    for match in _ITEM.finditer(text, start, end):
        item = match.group()
        if item in b"([{":
            if colon and not depth:
                found.append(match.start())
            depth += 1
        elif item in b")]}":
            depth -= 1
        elif item == b":" and not depth:
            colon = True
    return frozenset(found)
