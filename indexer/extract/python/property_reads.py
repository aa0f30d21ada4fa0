"""Where a body that is read as text reads a property: `self.layout` calls a method, and no bracket says so.

What a property of another file is read on is not looked for: its name alone says nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from indexer.extract.python.definitions import Definitions
from indexer.extract.python.lexical import Span
from indexer.extract.python.local_names import Locals
from indexer.extract.python.scope import dotted
from indexer.extract.python.unit import PyUnit

_OWNER = re.compile(r"(?<![\w.])[^\W\d]\w*\Z")
_LONGEST = 40  # characters of such a name


class PropertyReads:
    """The places of one file where a name of a property of its classes stands behind a dot.

    Args:
        unit: the file.
        definitions: its functions and classes.
    """

    def __init__(self, unit: PyUnit, definitions: Definitions) -> None:
        self._code = unit.code
        self._definitions = definitions
        self._found: list[tuple[int, str]] = []
        self._known: dict[str, bool] = {}
        if unit.is_packaged and "property" in unit.code:
            names = sorted({name.rpartition(".")[2] for name in definitions.properties})
            if names:
                # What is assigned to, or called, is another function, or what the property gives.
                read = re.compile(rf"\.({'|'.join(names)})\b(?!\(| = )")
                self._found = [(match.start(), match[1]) for match in read.finditer(unit.code)]

    def within(self, span: Span, names: Locals) -> Iterator[tuple[int, str]]:
        """Where a function reads a property of what it knows the class of, and the target of that property."""
        if not self._found:
            return
        module = f"{names.scope.module}."
        first = bisect_left(self._found, (span.body,))
        for at, name in self._found[first : bisect_left(self._found, (span.end,), first)]:
            owner = _OWNER.search(self._code, max(at - _LONGEST, span.body), at)
            held = names.local(owner[0]) if owner else ""
            if held and held.startswith(module) and held.endswith("()"):
                path = f"{held[:-2]}.{name}"
                if self._is_property(path[len(module) :]):
                    yield at, path

    def _is_property(self, name: str) -> bool:
        """Whether an attribute of a class (`TypedStorage.device`) is a property, its own or inherited in the file."""
        known = self._known.get(name)
        if known is None:
            self._known[name] = False  # what a class that derives from itself gets
            known = self._known[name] = self._look_up(name)
        return known

    def _look_up(self, name: str) -> bool:
        if name in self._definitions.properties:
            return True
        scope, _, attribute = name.rpartition(".")
        if any(a.scope == scope and a.name == attribute for a in self._definitions.assignments):
            return False
        return any(
            self._is_property(f"{dotted(base)}.{attribute}")
            for found in self._definitions.classes
            if found.name == scope
            for base in found.node.bases
        )
