"""Which methods can a call mean on an object whose type is not written?

Hardly any name is one class's alone. Where few classes have such a method, or all that do stand in the file of a class
template that calls it, each of them may be meant; where many have, the call could be anything's, and nothing is said.
"""

from __future__ import annotations

from indexer.link.cpp.declarations import Definition
from indexer.link.cpp.lookup import Lookup

_MANY = 3
"""A member called on something unknown is a candidate of at most so many classes; of more it could be anything's."""

_HOPELESS = 10
"""Not even the number of arguments tells the methods of so many classes apart."""

UNKNOWN_COUNT = 255
"""Of a call whose arguments could not be counted."""


class OpenReceivers:
    """Remembers what fits a method's name and number of arguments.

    Args:
        lookup: over all definitions.
    """

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup
        self._known: dict[tuple[str, int], tuple[list[Definition], ...]] = {}

    def of_anything(self, method: str, arguments: int, place: tuple[str, int]) -> list[Definition]:
        """Methods that a call may mean on something whose type is not written.

        Args:
            method: its name as called.
            arguments: how many, 255 for not known.
            place: the namespace, class or body of the caller, and its file's id.

        Returns:
            An empty list where it could be anything's.
        """
        owner, file_id = place
        in_class = self._lookup.owner(owner) in self._lookup.classes
        for choice in self.methods(method, arguments):
            found = [d for d in choice if self._lookup.may_mean(d, file_id)]
            # What a class template is made for may be any of its own file's, however many there are.
            is_own = in_class and found and all(d.file_id == file_id for d in found)
            if is_own or len({d.owner for d in found}) <= _MANY:
                # These count: a name that has so many meanings elsewhere is hardly this class's here.
                return [d for d in found if not self._is_above(d, file_id)]
        return []

    def _is_above(self, definition: Definition, file_id: int) -> bool:
        """Whether a method is a library's that is made with the caller's own, which knows nothing of it."""
        lookup = self._lookup
        return (
            definition.file_id in lookup.upper_files
            and file_id in lookup.lower_files
            and file_id not in lookup.test_files
        )

    def methods(self, method: str, arguments: int) -> tuple[list[Definition], ...]:
        """Methods that take so many arguments; then, for where those are too many, those that do so best.

        Args:
            method: its name as called.
            arguments: how many, 255 for not known.
        """
        key = (method, arguments)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._fitting(method, arguments)
        return known

    def _fitting(self, method: str, arguments: int) -> tuple[list[Definition], ...]:
        lookup = self._lookup
        if lookup.owners_of(method) > _HOPELESS:
            return ()
        count = None if arguments == UNKNOWN_COUNT else arguments
        named = lookup.methods.get(method, [])
        by_owner: dict[str, list[Definition]] = {}
        for definition in named:
            by_owner.setdefault(definition.owner, []).append(definition)
        # What fits one class's call says nothing about another's.
        fitting = lookup.overloads.fitting
        each = [d for one in by_owner.values() for d in fitting(one, count, is_guess=True)]
        return each, fitting(named, count, is_guess=True)
