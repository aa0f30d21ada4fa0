"""What the parts of resolving have in common: the tables, and each other."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from indexer.link.python.tables import Binding, Entity, Tables


class Resolving(ABC):
    """A part of resolving, which asks the others by what they have in common.

    Args:
        tables: the tree's definitions.
        native: id of the row for a name that is bound in C++, or None.
    """

    def __init__(self, tables: Tables, native: Callable[[str], int | None]) -> None:
        self.tables = tables
        self.native = native
        # What is being looked up: whoever meets it again has gone in a circle.
        self._stack: set[object] = set()

    @abstractmethod
    def resolve(self, target: str) -> Entity | None:
        """What a target stands for; None where it cannot be told."""

    @abstractmethod
    def _bound(self, binding: Binding) -> Entity | None:
        """What a name is bound to."""

    def _of_path(self, path: str) -> Entity:
        native = self.native(path)
        return Entity("native", native, path) if native else Entity("path", 0, path)
