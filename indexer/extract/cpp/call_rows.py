"""The calls that are found in one file, on their way to columns."""

from __future__ import annotations

from array import array

from indexer.facts.cpp import CallColumns

_COLUMNS = 7


class CallRows:
    """The rows of one file.

    Attributes:
        add: takes one call more, as the values that `CallColumns` has of it, from `callers` to `usings`: a sequence of
            seven numbers.
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {"": 0}
        self._values: list[int] = []  # of each call what belongs to it, one behind the other
        self.add = self._values.extend

    def number(self, text: str) -> int:
        """The number that stands for `text` in the rows; "" is 0."""
        return self._numbers.setdefault(text, len(self._numbers))

    def columns(self) -> CallColumns | None:
        """All rows, in the order in which they were added; None where there is none."""
        values = self._values
        if not values:
            return None
        callers, callees, receivers, forms, arguments, lines, usings = (
            values[n::_COLUMNS] for n in range(_COLUMNS)
        )
        return CallColumns(
            tuple(self._numbers),
            array("i", callers),
            array("i", callees),
            array("i", receivers),
            array("B", forms),
            array("B", arguments),
            array("i", lines),
            array("i", usings),
        )
