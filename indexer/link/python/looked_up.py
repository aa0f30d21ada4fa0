"""Which functions may run where a table is looked up that decorators fill."""

from __future__ import annotations

from collections.abc import Iterator

from indexer.facts.python import DECORATED, DECORATOR, FILLS, LOOKS_UP, TABLE
from indexer.link.python.resolver import Resolver

_OPERATORS = "torch.ops."  # whose decorators are their own: `py_impl`
_REGISTER = ".register"  # of a function that `functools.singledispatch` makes


class LookedUp:
    """The ends of such tables: who fills them, what is decorated, who reads them.

    Args:
        resolver: finds the decorators.
    """

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._fills: dict[int, list[str]] = {}
        self._decorated: dict[str, list[int]] = {}
        self._readers: dict[str, list[tuple[int, int]]] = {}

    def add(self, function: int, target: str, kind: int, line: int) -> None:
        """Take in what a file says of one of its functions.

        Args:
            function: its id.
            target: of the table, or of the decorator.
            kind: `FILLS`, `DECORATED` or `LOOKS_UP`; others are passed over.
            line: 1-based, where it is looked up.
        """
        if kind == FILLS:
            self._fills.setdefault(function, []).append(target)
        elif kind == DECORATED:
            self._decorated.setdefault(target, []).append(function)
        elif kind == LOOKS_UP:
            self._readers.setdefault(target, []).append((function, line))

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
                for table in self._fills.get(decorator.id, ()):
                    if table.endswith(f"{_REGISTER}{TABLE}") == is_own:
                        held.setdefault(table, set()).update(functions)
        for table, found in sorted(held.items()):
            if table in self._readers:
                yield table, sorted(found), self._readers[table]
