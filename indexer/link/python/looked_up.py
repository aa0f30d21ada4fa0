"""Which functions may run where a table is looked up that decorators fill."""

from __future__ import annotations

from collections.abc import Iterator

from indexer.facts.python import ASKS, DECORATED, DECORATOR, FILLS, LOOKS_UP, TABLE
from indexer.link.python.resolver import Resolver

_OPERATORS = "torch.ops."  # whose decorators are their own: `py_impl`
_REGISTER = ".register"  # of a function that `functools.singledispatch` makes


class LookedUp:
    """The ends of such tables: who fills them, what is decorated, who reads them.

    Args:
        resolver: finds the decorators.

    Attributes:
        asking: by function, the names of methods that it asks an argument for.
    """

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self.asking: dict[int, list[str]] = {}
        self._fills: dict[int, list[str]] = {}
        self._decorated: dict[str, list[int]] = {}
        self._readers: dict[str, list[tuple[int, int]]] = {}

    def add(self, function: int, target: str, kind: int, line: int) -> None:
        """Take in what a file says of one of its functions.

        Args:
            function: its id.
            target: of the table, or of the decorator.
            kind: `FILLS`, `DECORATED`, `LOOKS_UP` or `ASKS`; others are passed over.
            line: 1-based, where it is looked up.
        """
        if kind == FILLS:
            self._fills.setdefault(function, []).append(target)
        elif kind == DECORATED:
            self._decorated.setdefault(target, []).append(function)
        elif kind == LOOKS_UP:
            self._readers.setdefault(target, []).append((function, line))
        elif kind == ASKS:
            self.asking[function] = target.removesuffix(TABLE).split("|")

    def tables(self) -> Iterator[tuple[str, list[int], list[tuple[int, int]]]]:
        """Each table that somebody reads: its target, what is in it, and who reads it in which line."""
        held: dict[str, set[int]] = {}
        for target, functions in self._decorated.items():
            if not self._fills or target.startswith(_OPERATORS):
                continue
            path = target[: -len(DECORATOR)]
            decorator = self._resolver.resolve(path)
            is_own = decorator is None and path.endswith(_REGISTER)
            if is_own:
                decorator = self._resolver.resolve(path[: -len(_REGISTER)])
            if decorator is not None and decorator.kind == "function":
                for table in self._filled_by(decorator.id):
                    if table.endswith(f"{_REGISTER}{TABLE}") == is_own:
                        held.setdefault(table, set()).update(functions)
        for table, found in sorted(held.items()):
            if table in self._readers:
                yield table, sorted(found), self._readers[table]

    def _filled_by(self, function: int) -> Iterator[str]:
        """The tables that a function fills, itself or by a method that it hands to what it decorates."""
        for table in self._fills.get(function, ()):
            if table in self._readers:
                yield table
                continue
            found = self._resolver.resolve(table[: -len(TABLE)])
            if found is not None and found.kind == "function":
                yield from (each for each in self._fills.get(found.id, ()) if each in self._readers)
