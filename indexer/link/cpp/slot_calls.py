"""Calls through members that hold functions: `disp.cholesky_solve_helper(…)`, `context->ukernel(…)`.

A member that a call names and that is no method holds something that is called; what the tree puts there may run.
"""

from __future__ import annotations

from collections.abc import Iterable

from indexer.facts.cpp import CALL, MEMBER, is_expression_text
from indexer.link.cpp.declarations import Definition
from indexer.link.cpp.lookup import Lookup
from indexer.link.cpp.slots import Value

_MOST = 8
"""No call is given more functions than this."""

_NO_FUNCTIONS = ("constructor", "destructor", "lambda", "method")


class SlotCalls:
    """Remembers what the same call came to.

    Args:
        lookup: over all definitions.

    Attributes:
        names: of members that a call may go through.
    """

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup
        slots = lookup.slots
        self.names = slots.names
        if slots.alike:
            self.names |= {last for last in lookup.by_last if last not in lookup.methods}
        tables = slots.tables()
        # A member's name is hardly that of two tables.
        self._types = {
            name: of_type.partition("<")[0].rpartition("::")[2]
            for fields in lookup.fields.values() if tables
            for name, (of_type, _, _) in fields.items() if name in tables
        }  # fmt: skip
        self._known: dict[tuple[str, str | None, int], tuple[int, ...]] = {}

    def resolve(
        self, member: str, receiver: str, form: int, place: tuple[str, int], caller: int
    ) -> tuple[int, ...]:
        """The functions that a call may run which no method explains; none where that is not known.

        What calls itself through a table has another's put there.

        Args:
            member: as called.
            receiver: the type it is called on, `this`, an expression whose type is not known, or "".
            form: as in `CallColumns`.
            place: as in `Resolver.resolve`.
            caller: id of the function that calls.
        """
        lookup = self._lookup
        if form == CALL or receiver == "this":
            of_class: str | None = lookup.owner(place[0])
            if of_class not in lookup.classes:
                return ()
        elif form != MEMBER:
            return ()
        elif not receiver or is_expression_text(receiver):
            if member in lookup.methods:
                return ()
            of_class = None
        else:
            of_class = lookup.find_class(receiver, *place)
            if of_class is None:
                return ()  # a class that the tree does not have
        key = (member, of_class, place[1])
        known = self._known.get(key)
        if known is None:
            found = self._of(*key)
            known = self._known[key] = tuple(dict.fromkeys([d.id for d in found]))[:_MOST]
        return tuple([identity for identity in known if identity != caller])

    def _of(self, member: str, of_class: str | None, file_id: int) -> list[Definition]:
        lookup, slots = self._lookup, self._lookup.slots
        if of_class is not None and not slots.alike.isdisjoint(lookup.bases(of_class)):
            named = lookup.by_last.get(member, {})
            return [d for space in named.values() for d in space if self._is_function(d)]
        holders = slots.holders(member)
        if of_class is None and len(holders) == 1:
            of_class = holders[0]
        if of_class is None:
            if not holders:
                return []  # of a class that another library has, such as PyTypeObject
        elif (
            set(holders).isdisjoint(lookup.bases(of_class))
            and lookup.find_field(member, of_class, file_id) is None
        ):
            return []
        last = of_class.rpartition("::")[2] if of_class is not None else ""
        found = self._meant(slots.assigned(member, last, self._types))
        if of_class is not None:
            position = slots.members.get(of_class, {}).get(member, -1)
            found += self._meant(
                value
                for of_type, value in slots.lists.get(position, ())
                if lookup.find_class(of_type, *value.place) == of_class
            )
        return found

    def _meant(self, values: Iterable[Value]) -> list[Definition]:
        found: list[Definition] = []
        for value in values:
            found += filter(self._is_function, self._lookup.find(value.function, *value.place))
        return found

    def _is_function(self, definition: Definition) -> bool:
        is_static = definition.signature.startswith("static ")
        return not definition.is_of_test and (
            definition.kind not in _NO_FUNCTIONS or (definition.kind == "method" and is_static)
        )
