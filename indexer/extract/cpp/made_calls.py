"""The calls of functions that macros make: read from what a use comes to, and told of the use's line."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from indexer.facts.cpp import CallColumns


class MadeCalls:
    """Gathers the calls of one file's made functions, each once for a function: all stand on the line of a use."""

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

    def add(self, calls: CallColumns, functions: Sequence[int | None], line: int) -> None:
        """Take over the calls of one use.

        Args:
            calls: read from its expansion.
            functions: the number among the file's made functions of each caller; None for no function.
            line: of the use.
        """
        numbers = [self._numbers.setdefault(text, len(self._numbers)) for text in calls.texts]
        add = [column.append for column in self._columns]
        # A dictionary keeps the order of the text: AT_DISPATCH repeats its argument for each type.
        for caller, callee, receiver, form, count, using in dict.fromkeys(
            zip(calls.callers, calls.callees, calls.receivers, calls.forms, calls.arguments, calls.usings,
                strict=True)
        ):  # fmt: skip
            function = functions[caller]
            if function is None:
                continue
            row = (function, numbers[callee], numbers[receiver], form, count, line, numbers[using])
            for append, value in zip(add, row, strict=True):
                append(value)

    def columns(self) -> CallColumns | None:
        """All of them; None where there are none."""
        if not self._columns[0]:
            return None
        return CallColumns(tuple(self._numbers), *self._columns)
