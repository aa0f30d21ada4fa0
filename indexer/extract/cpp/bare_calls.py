"""What a body calls or hands on though no name in it has a call's brackets behind it.

Messages to Objective-C's objects, attributes of Python's modules, calls among template arguments, objects that are
declared without an initializer, and the names of functions and classes that are handed on.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from indexer.extract.cpp.alias_arguments import given_functions, used_of
from indexer.extract.cpp.call_rows import CallRows
from indexer.extract.cpp.call_text import (
    NEVER_CALLS,
    UNKNOWN_COUNT,
    count_arguments,
    declared_objects,
    first_part,
    written,
)
from indexer.extract.cpp.handed_types import HandedTypes, static_objects
from indexer.extract.cpp.local_names import usings_at
from indexer.extract.cpp.messages import OBJECTIVE_C, Message, messages
from indexer.extract.cpp.named_functions import NamedFunctions
from indexer.extract.cpp.outline import Function
from indexer.extract.cpp.python_names import PYTHON_TYPE, PythonNames
from indexer.extract.cpp.unit import CppUnit
from indexer.facts.cpp import CALL, CONSTRUCT, HANDED, NAMED, WITH_TEMPLATE_ARGUMENTS


class BareCalls:
    """Of one file.

    Args:
        unit: the file.
        backwards: its text from its end to its beginning, with square brackets among template arguments.
        among_arguments: calls among template arguments: offset and name of each.
        named: the functions that it may name.
        rows: what is found is added to them.
    """

    def __init__(
        self,
        unit: CppUnit,
        backwards: bytes,
        among_arguments: list[tuple[int, bytes]],
        named: NamedFunctions,
        rows: CallRows,
    ) -> None:
        self._unit = unit
        self._backwards = backwards
        self._among_arguments = among_arguments
        self._named = named
        self._rows = rows
        self._declared = declared_objects(unit.text, backwards)
        self._objects = static_objects(unit.text)
        self._given = given_functions(unit.structure)
        self._python = PythonNames(unit.data, unit.text)

    def read(
        self,
        number: int,
        function: Function,
        head: bytes,
        open_types: frozenset[bytes],
        usings: list[tuple[int, int, bytes]],
    ) -> None:
        """Add what one function's body calls or hands on.

        Args:
            number: the function's, among those of the file.
            function: with the body.
            head: its text up to the body.
            open_types: the parameters of the templates around it, which name neither functions nor classes.
            usings: as `LocalNames.usings` gives them.
        """
        row, text = self._row, self._unit.text
        for at, message in self._messages(function):
            row(number, at, message, CALL)
        if self._python.imports or self._python.methods:
            self._of_python(number, function)
        for at, name in self._among_arguments:
            if function.body <= at < function.end and name not in NEVER_CALLS:
                row(number, at, written(name), CALL)
        first = bisect_left(self._declared, (function.body,))
        last = bisect_left(self._declared, (function.end,), first)
        for at, name in self._declared[first:last]:
            if not open_types or first_part(name[::-1]) not in open_types:
                row(number, at, written(name), CONSTRUCT, 0, usings)
        for at, name in self._named.of(function, head):
            if not open_types or first_part(name[::-1]) not in open_types:
                row(number, at, written(name), NAMED, UNKNOWN_COUNT, usings)
        for at, given in used_of(self._given, text, function):
            row(number, at, given, NAMED + WITH_TEMPLATE_ARGUMENTS)
        handed = HandedTypes(text, self._backwards, function.body, function.end)
        for name, at in handed.read(self._objects):
            row(number, at, name.decode("latin-1"), HANDED)
        for at, name in handed.values:
            row(number, at, written(name), NAMED)

    def _row(
        self,
        number: int,
        at: int,
        name: str,
        form: int,
        count: int = UNKNOWN_COUNT,
        usings: list[tuple[int, int, bytes]] | None = None,
    ) -> None:
        """Add that a name stands at an offset of a function's body; `usings` where they say what it means."""
        rows = self._rows
        line = bisect_right(self._unit.line_starts, at)
        using = rows.number(usings_at(usings, at).decode("latin-1")) if usings else 0
        rows.add((number, rows.number(name), 0, form, count, line, using))

    def _of_python(self, number: int, function: Function) -> None:
        rows, text = self._rows, self._unit.text
        own = function.head.name.rpartition("::")[2]
        for at, imported, opening in (
            *self._python.within(function.body, function.end),
            *self._python.of_objects(own, function.body, function.end),
        ):
            count = count_arguments(text, opening) if opening >= 0 else UNKNOWN_COUNT
            line = bisect_right(self._unit.line_starts, at)
            name, receiver = rows.number(imported), rows.number(PYTHON_TYPE)
            rows.add((number, name, receiver, CALL, count, line, 0))

    def _messages(self, function: Function) -> Iterable[Message]:
        """What a function sends to Objective-C's objects."""
        unit = self._unit
        if not unit.path.endswith(OBJECTIVE_C):
            return ()
        owner = function.head.name.rpartition("::")[0]
        return messages(unit.text, function.start, function.body, function.end, owner)
