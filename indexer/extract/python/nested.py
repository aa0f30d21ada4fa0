"""Functions and classes within functions, in bodies that are read as text.

What decorates the functions, what their parameters are, what the classes derive from, and which class one stands in.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterator

from indexer.extract.python.lexical import INSIDE, Span
from indexer.extract.python.local_names import Locals
from indexer.extract.python.unit import PyUnit, Unparsable, parse

# A decorator without brackets; one with brackets is a call as any other.
_DECORATOR = re.compile(r"@([^\W\d][\w.]*)[ \t]*(?=\n)")
# A class with bases; one of a class stands in no function's body.
_CLASS = re.compile(r"class (?<=[ \t]class )\w+\(([^()]+)\)[ \t]*:")
_BASE = re.compile(r"(?<![\w.=\[])[^\W\d][\w.]*(?![\w.]|[ \t]*=[^=])")
_WITHIN = re.compile(r"class \w+[ \t]*(?:\(([^()]*)\))?[ \t]*:")
_INDENT = re.compile(r"[ \t]*")
# A head whose parameters say what they are.
_HEAD = re.compile(r"def \w+\(([^():]+:(?:[^()]|\([^()]*\))*)\)")


class Nested:
    """The decorators and typed parameters of one file's functions, each by where it stands.

    Args:
        unit: the file.
    """

    def __init__(self, unit: PyUnit) -> None:
        self._text = unit.text
        self._code = code = unit.code
        self._decorators = [
            (m.start(1), m[1])
            for m in _DECORATOR.finditer(code)
            if code[code.rfind("\n", 0, m.start()) + 1 : m.start()].isspace()
        ]
        self._bases = [
            (base.start(), base[0])
            for m in (_CLASS.finditer(code) if " class " in code else ())
            for base in _BASE.finditer(self._text, *m.span(1))
        ]
        self._heads = [m.span(1) for m in _HEAD.finditer(code)] if unit.is_packaged else []

    def decorators(self, span: Span) -> Iterator[tuple[int, str]]:
        """Where nested functions are first decorated so without brackets, and the decorator's name.

        Args:
            span: of the function that they are in.

        Yields:
            offset of the name into the text, and the name as written; each name once.
        """
        return _first(self._decorators, span)

    def bases(self, span: Span) -> Iterator[tuple[int, str]]:
        """Where classes within a body first name what they derive from, and the name.

        Args:
            span: of the function that they are in.

        Yields:
            offset of the name into the text, and the name as written; each name once.
        """
        return _first(self._bases, span)

    def derived_from(self, at: int, span: Span) -> list[str] | None:
        """The names of what the innermost class derives from that stands around an offset, within a function.

        Args:
            at: offset into the text.
            span: of the function.

        Returns:
            None where no class of the function's stands there.
        """
        code = self._code
        if code.find("class ", span.body, at) < 0:
            return None
        start = code.rfind("\n", 0, at) + 1
        limit = _indent(code, start)
        while start > span.body and limit > span.indent:
            end, start = start, code.rfind("\n", 0, start - 1) + 1
            indent = _indent(code, start)
            # What goes on from the line above, as a string does, says nothing of a block.
            if indent >= limit or code[start + indent] in f")]}}\n{INSIDE}" or start < span.body:
                continue
            limit = indent
            if (match := _WITHIN.match(code, start + indent, end)) is not None:
                return _BASE.findall(match[1] or "")
        return None

    def parameters(self, span: Span, names: Locals) -> dict[str, str]:
        """What the parameters of nested functions say that they are, where the body calls nothing else so.

        A name that two of them annotate differently is known for neither.

        Args:
            span: where the body is.
            names: what it calls something.

        Returns:
            a target by each name, or an empty string.
        """
        first = bisect_left(self._heads, (span.body,))
        if first == len(self._heads) or self._heads[first][0] >= span.end:
            return {}
        said: dict[str, str] = {}
        for start, end in self._heads[first : bisect_left(self._heads, (span.end,), first)]:
            for name, annotation in _annotated(self._text[start:end]):
                if annotation is not None:
                    target = names.annotation(annotation)
                    said[name] = target if said.get(name, target) == target else ""
                else:
                    said[name] = ""
        return {name: target for name, target in said.items() if name not in names.names}


def _annotated(parameters: str) -> Iterator[tuple[str, ast.expr | None]]:
    """Names and annotations of a nested function's parameters as they are written."""
    try:
        head = parse(f"def f({parameters}): pass").body[0]
    except Unparsable:
        return
    if isinstance(head, ast.FunctionDef):
        arguments = head.args
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            yield argument.arg, argument.annotation


def _indent(code: str, start: int) -> int:
    """By how many characters the line is indented that begins at an offset."""
    found = _INDENT.match(code, start)
    return found.end() - start if found else 0


def _first(places: list[tuple[int, str]], span: Span) -> Iterator[tuple[int, str]]:
    """Of the names in a body each where it stands first."""
    if not places:
        return
    first = bisect_left(places, (span.body,))
    seen = set()
    for at, name in places[first : bisect_left(places, (span.end,), first)]:
        if name not in seen:
            seen.add(name)
            yield at, name
