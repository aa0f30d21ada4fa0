"""The calls of functions that macros make: read from what a use comes to.

What comes out of a macro has no lines. A call that a use's own arguments have (the lambda of REGISTER_OPERATOR_FUNCTOR,
torch/csrc/jit/runtime/static/ops.h) stands where they name what is called; any other on the line of the use.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence

from indexer.facts.cpp import CallColumns

_WORD = re.compile(r"(\w+)(\s*[(<{])?")
"""A word, and whether it is called, or given template arguments."""


class MadeCalls:
    """Gathers the calls of one file's made functions, each once for a function and line."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {"": 0}
        self._columns = (
            array("i"),
            array("i"),
            array("i"),
            array("B"),
            array("B"),
            array("i"),
            array("i"),
        )

    def add(
        self, calls: CallColumns, functions: Sequence[int | None], line: int, text: str = ""
    ) -> None:
        """Take over the calls of one use.

        Args:
            calls: read from its expansion.
            functions: the number among the file's made functions of each caller; None for no function.
            line: of the use.
            text: of the use, its lines as they are.
        """
        numbers = [self._numbers.setdefault(text, len(self._numbers)) for text in calls.texts]
        add = [column.append for column in self._columns]
        lines = _lines(calls, line, text) if "\n" in text else [line] * len(calls.callers)
        # A dictionary keeps the order of the text: AT_DISPATCH repeats its argument for each type.
        for caller, callee, receiver, form, count, using, at in dict.fromkeys(
            zip(calls.callers, calls.callees, calls.receivers, calls.forms, calls.arguments, calls.usings,
                lines, strict=True)
        ):  # fmt: skip
            function = functions[caller]
            if function is None:
                continue
            row = (function, numbers[callee], numbers[receiver], form, count, at, numbers[using])
            for append, value in zip(add, row, strict=True):
                append(value)

    def columns(self) -> CallColumns | None:
        """All of them; None where there are none."""
        if not self._columns[0]:
            return None
        return CallColumns(tuple(self._numbers), *self._columns)


def _lines(calls: CallColumns, first: int, text: str) -> list[int]:
    """The line of each call of an expansion.

    Args:
        calls: in the order of the expansion.
        first: line of the use.
        text: of the use.
    """
    lines = [first] * len(calls.callers)
    of_callee: dict[int, list[int]] = {}
    for at, callee in enumerate(calls.callees):
        of_callee.setdefault(callee, []).append(at)
    written, called = _words(text)
    for callee, places in of_callee.items():
        name = calls.texts[callee].rpartition("::")[2]
        if name.isascii() and name.isidentifier():
            found = called.get(name) or written.get(name, [])
        else:
            pattern = rf"\b{re.escape(name)}"
            found = _places(rf"{pattern}\s*[(<{{]", text) or _places(rf"{pattern}\b", text)
        # As many as there are, they are the same ones in the same order; else the argument is there more than once,
        # or what the macro itself calls has the name of one.
        if len(found) > 0 and len(places) % len(found) == 0:
            for number, at in enumerate(places):
                lines[at] = first + text.count("\n", 0, found[number % len(found)])
    return lines


def _words(text: str) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
    """Where each word stands in a text, and where it does so that it may be called: all at once, not a search each."""
    written: dict[str, list[int]] = {}
    called: dict[str, list[int]] = {}
    for match in _WORD.finditer(text):
        written.setdefault(match[1], []).append(match.start())
        if match[2] is not None:
            called.setdefault(match[1], []).append(match.start())
    return written, called


def _places(pattern: str, text: str) -> list[int]:
    return [match.start() for match in re.finditer(pattern, text)]
