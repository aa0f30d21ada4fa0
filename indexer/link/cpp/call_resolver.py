"""Which functions may a call mean? By scope, receiver and arguments; and whether it is an operator's."""

from __future__ import annotations

from indexer.extract.cpp.called_on import OF_CONTAINERS
from indexer.facts.cpp import (
    LAUNCH,
    MEMBER,
    NAMED,
    WITH_TEMPLATE_ARGUMENTS,
    is_expression_text,
)
from indexer.facts.edges import MOST_CANDIDATES
from indexer.link.cpp.ambiguity import METHODS, told_by
from indexer.link.cpp.called_names import CalledNames, is_overriding, may_override
from indexer.link.cpp.declarations import TENSOR, Definition
from indexer.link.cpp.expression_types import Types
from indexer.link.cpp.file_scope import OF_C
from indexer.link.cpp.lookup import Lookup
from indexer.link.cpp.narrowing import narrowed, needs_template_arguments, templates
from indexer.link.cpp.objects import CONSTANT, MUTABLE, OPEN, Objects
from indexer.link.cpp.open_receivers import UNKNOWN_COUNT, OpenReceivers
from indexer.link.cpp.type_text import SPECIALIZED

_TENSOR_NAME = TENSOR.rpartition("::")[2]

SURELY, MAYBE = 1, 2
"""How far a member call that is named like an operator is one: `operator_calls.is_member`. Where it may be one, the
tree's methods of that name that it can be have been looked at."""


class Resolver:
    """Remembers what the same call in the same place resolved to.

    Args:
        lookup: over all definitions.
    """

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup
        self._known: dict[tuple[object, ...], tuple[str, tuple[int, ...]]] = {}
        self.types = Types(lookup)
        self._receivers: dict[tuple[str, tuple[str, int]], str] = {}
        self._told: dict[tuple[str, tuple[str, int], str], str] = {}  # by the method that is called
        self._open = OpenReceivers(lookup)
        self._by_name = CalledNames(lookup)
        self._before: dict[tuple[int, str], tuple[int, ...]] = {}  # by the file's own function
        self._chosen: dict[tuple[object, ...], list[Definition]] = {}
        self._named: dict[str, dict[int, Definition]] = {}  # by the last part, then by id
        self._objects = Objects(lookup, self.types)
        self._definitions: dict[tuple[int, ...], list[Definition]] = {}  # of candidates
        self._is_told: dict[
            tuple[int, ...], bool
        ] = {}  # of candidates, whether their object decides
        self._on_object: dict[tuple[object, ...], tuple[str, tuple[int, ...]]] = {}
        self._methods: dict[int, Definition] = {}  # all of the tree's, by their ids
        self.names: dict[int, str] = {}  # of the candidates
        self.homes: dict[int, int] = {}  # the files of those that are methods

    def class_of(self, receiver: str, method: str, place: tuple[str, int]) -> str:
        """The type of an expression that a member is called on, "" where it is not known.

        Args:
            receiver: as kept.
            method: as called.
            place: as in `resolve`.
        """
        key = (receiver, place)
        known = self._receivers.get(key)
        if known is None:
            known = self._receivers[key] = self.types.receiver(receiver, place)
        if is_expression_text(receiver):
            if not known and receiver.removesuffix("->")[-1:] == ")":
                whole = (receiver, place, method)
                told = self._told.get(whole)
                if told is None:
                    told = self._told[whole] = self.types.receiver(receiver, place, method)
                known = told
            if (
                known and receiver.endswith("->") and not self._lookup.find_method(method, known[2:])
            ):  # fmt: skip
                known = self.types.pointed(receiver, place) or known
            # What another object's data member is, its class would say: no guess helps where that does not. Nor where a
            # namespace does not say what its variable is.
            is_told = receiver[0] != "." or "::" in receiver
            is_field = receiver.removesuffix("->")[-1:] not in ")]" and (
                is_told or (method in OF_CONTAINERS and not receiver.endswith("->"))
            )
            return receiver if is_field and not known else known
        if not self._lookup.find_method(method, known[2:]):
            # By a pointer's name alone it is not known whether `.` or `->` stands behind it.
            pointer = self._lookup.find_class(receiver, *place)
            if pointer is not None and self._lookup.find_method(method, pointer):
                return f"::{pointer}"
            if pointer is not None:
                return self.types.pointed(receiver, place) or known
        return known

    def resolve(
        self,
        callee: str,
        receiver: str,
        form: int,
        arguments: int,
        place: tuple[str, int],
        like: tuple[str, ...] | None = None,
    ) -> tuple[str, tuple[int, ...]]:
        """The kind of a call and the functions it may end at.

        Args:
            callee: as written.
            receiver: of a member: the type it is called on, `this`, or "".
            form: as in `CallColumns`.
            arguments: how many, 255 for not known.
            place: the namespace or class of the caller, or its body (`Lookup.body`), and its file.
            like: the caller's parameters' types, where it may hand these on to another class's overload.
        """
        key = (callee, receiver, form, arguments, place, like)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._resolve(callee, receiver, form, arguments, place, like)
        return known

    def on_object(
        self,
        callee: str,
        found: tuple[int, ...],
        form: int,
        on: tuple[int, str, str],
        place: tuple[str, int],
    ) -> tuple[str, tuple[int, ...]]:
        """Which candidates of a call are left once it is known whether the object is constant; with their kind.

        Args:
            callee: as written.
            found: the candidates.
            form: as in `CallColumns`.
            on: the caller's id, and what the member is called on, with the sign before it; "" for the caller's own.
            place: as in `resolve`.
        """
        is_told = self._is_told.get(found)
        if is_told is None:
            definitions = self._definitions[found]
            owner = definitions[0].owner
            is_told = self._is_told[found] = owner in self._lookup.classes and self._objects.differ(
                definitions
            )
        if not is_told or callee in OF_C:
            return "candidate", found
        caller, sign, receiver = on
        is_own = receiver in ("", "this")
        of = self._own_object(caller) if (is_own and not sign) or receiver[:1] == "." else OPEN
        if not is_own:
            of = self._objects.of(sign, receiver, place, of)
        key = found, of, form
        known = self._on_object.get(key)
        if known is None:
            left = self._objects.meant(self._definitions[found], of)
            kind = _kind(left, form & ~WITH_TEMPLATE_ARGUMENTS)
            if kind != "candidate" and any(
                d.signature.startswith(SPECIALIZED) for d in self._lookup.by_name[left[0].name]
            ):
                kind = "candidate"  # which specialization, if any, the template's arguments say
            known = self._on_object[key] = kind, tuple([d.id for d in left])
        return known

    def _own_object(self, caller: int) -> int:
        """Whether a method's own object is constant in it."""
        if not self._methods:
            of_names = self._lookup.methods.values()
            self._methods = {d.id: d for of_name in of_names for d in of_name}
        method = self._methods.get(caller)
        known = None if method is None else self._objects.qualifiers(method)
        return OPEN if known is None else CONSTANT if known[0] else MUTABLE

    def handed_on(self, caller: int, callee: str) -> tuple[str, ...] | None:
        """The types of a caller's parameters where it has the name of what it calls; None where it has another.

        `IRVisitor::visit(v)` in `Verifier::visit(StorePtr v)` is the overload for a `StorePtr`.

        Args:
            caller: its id.
            callee: the last part of the name that is called.
        """
        named = self._named.get(callee)
        if named is None:
            of_owners = self._lookup.by_last.get(callee, {}).values()
            named = self._named[callee] = {d.id: d for of_owner in of_owners for d in of_owner}
        found = named.get(caller)
        return None if found is None else self._lookup.overloads.types(found)

    def before_own(self, caller: int, own: int, callee: str) -> tuple[int, ...]:
        """What a call may mean that stands before the function of its file that has the name.

        What is not declared above a call is not seen there ([basic.lookup.unqual]): it means the header's, or there is
        a declaration, which is not kept. `aliasAnalysisFromSchema()` in register_prim_ops.cpp is register_ops_utils.h's
        up to where the file has one itself.

        Args:
            caller: its id; those of a file stand in the order of the file.
            own: the id of the function.
            callee: the last part of the name that is called.

        Returns:
            The ids of that and of the header's; none where the call is surely of it.
        """
        if own <= caller:
            return ()
        key = (own, callee)
        known = self._before.get(key)
        if known is None:
            known = self._before[key] = self._seen_before(own, callee)
        return known

    def _seen_before(self, own: int, callee: str) -> tuple[int, ...]:
        lookup = self._lookup
        named = lookup.by_last.get(callee, {})
        found = next((d for of_owner in named.values() for d in of_owner if d.id == own), None)
        if found is None or not found.is_hidden or found.owner in lookup.classes:
            return ()
        form = lookup.overloads.form(found)
        others = [
            d
            for d in named[found.owner]
            if not (d.is_hidden or d.is_of_source or d.is_of_test)
            and lookup.is_seen(d, found.file_id)
            and lookup.overloads.form(d) == form
        ]
        return self._candidates([*others, found])[1] if others else ()

    def is_operator(
        self, method: str, receiver: str, arguments: int, place: tuple[str, int], is_found: bool
    ) -> int:
        """Whether a member call that is named like an operator is one: 0 for no, else `SURELY` or `MAYBE`.

        Args:
            method: as called.
            receiver: the type it is called on, `this`, or "".
            arguments: how many, 255 for not known.
            place: as in `resolve`.
            is_found: whether it may be a method of the tree as well.
        """
        if receiver:
            lookup = self._lookup
            of_class = None if receiver == "this" else lookup.find_class(receiver, *place)
            if not is_found:
                # A namesake of the tensor's class, as cute's is, has operators' names for its own methods.
                is_other = (
                    of_class is None and receiver == _TENSOR_NAME and TENSOR in lookup.classes
                )
                return 0 if is_other or of_class not in (None, TENSOR) else SURELY
            return MAYBE if of_class == TENSOR and method in lookup.generated else 0
        if method not in self._lookup.generated:
            return 0 if is_found else SURELY
        # Where hardly another class has such a method, an object whose type is not written is mostly a tensor.
        found = self._open.methods(method, arguments)
        fitting = [d for d in found[0] if self._lookup.may_mean(d, place[1])] if found else []
        if found and len({d.owner for d in fitting}) <= 1:
            return MAYBE
        return 0 if is_found else SURELY

    def _candidates(self, found: list[Definition]) -> tuple[str, tuple[int, ...]]:
        ids = tuple([d.id for d in found])
        if ids not in self._definitions:
            self._definitions[ids] = found
            self.names.update((d.id, told_by(d.name, d.kind)) for d in found)
            self.homes.update((d.id, d.file_id) for d in found if d.kind in METHODS)
        return "candidate", ids

    def _resolve(
        self,
        callee: str,
        receiver: str,
        form: int,
        arguments: int,
        place: tuple[str, int],
        like: tuple[str, ...] | None,
    ) -> tuple[str, tuple[int, ...]]:
        is_template, form = form & WITH_TEMPLATE_ARGUMENTS != 0, form & ~WITH_TEMPLATE_ARGUMENTS
        owner, file_id = place
        if form == MEMBER and not receiver and "::" not in callee:
            return self._of_anything(callee, arguments, place, is_template)
        is_abstract = is_unsure = False
        if form == MEMBER:
            found, is_abstract = self._members(callee, receiver, owner, file_id, arguments)
        elif callee.startswith("std::"):
            return "", ()  # the standard library's, though the tree may add overloads of its own
        else:
            meant = self._by_name.meant(callee, form, arguments, place, is_template=is_template)
            found, is_abstract, is_unsure = meant
        if file_id not in self._lookup.test_files:
            found = [d for d in found if not d.is_of_test]
        if not found:
            return "", ()
        if is_template and form != NAMED:
            # A template's head may be a macro's, or stand where only its specializations are read.
            found = templates(found) or found
        elif not arguments and len(found) > 1:
            found = [
                d for d in found if d.signature[:8] != "template" or not needs_template_arguments(d)
            ] or found
        count = None if arguments == UNKNOWN_COUNT else arguments
        found = self._fitting(found, count, is_abstract, file_id)
        if like is not None:
            found = self._like(found, like, self._lookup.owner(owner))
        if form == NAMED:
            return self._meant(found, is_template)
        if is_abstract and len({(d.owner, d.file_id) for d in found}) == len(found):
            return "virtual", tuple([d.id for d in found])
        found = found[:MOST_CANDIDATES]
        kind = "candidate" if is_unsure else _kind(found, form)
        return self._candidates(found) if kind == "candidate" else (kind, (found[0].id,))

    def _of_anything(
        self, method: str, arguments: int, place: tuple[str, int], is_template: bool
    ) -> tuple[str, tuple[int, ...]]:
        """What a member call may end at whose receiver's type is not written."""
        found = self._open.of_anything(method, arguments, place)
        found = templates(found) if is_template else found
        if len(found) > 1:
            found = narrowed(self._lookup, found, place[1])[:MOST_CANDIDATES]
        return self._candidates(found) if found else ("", ())

    def _like(
        self, found: list[Definition], types: tuple[str, ...], of_class: str
    ) -> list[Definition]:
        """The overload with these types, where one of another class has them: its own would get other things."""
        lookup = self._lookup
        others = [d for d in found if d.owner in lookup.classes and d.owner != of_class]
        alike = [d for d in others if lookup.overloads.types(d) == types]
        return alike if len(alike) == 1 else found

    def _meant(self, found: list[Definition], is_template: bool) -> tuple[str, tuple[int, ...]]:
        """What a name means that stands without a call, of functions that fit."""
        if len(found) == 1:
            # What an alias gives a template is called there, like what a table of functions holds.
            return "virtual" if is_template else "reference", (found[0].id,)
        if len({d.name for d in found}) > 1:
            return "", ()
        return self._candidates(found[:MOST_CANDIDATES])

    def _fitting(
        self, found: list[Definition], arguments: int | None, is_abstract: bool, file_id: int
    ) -> list[Definition]:
        """Those that can take so many arguments, the likeliest first; of several the same is asked from many places."""
        lookup = self._lookup
        if len(found) == 1:
            return lookup.overloads.fitting(found, arguments)
        # Which file asks matters to a file's own alone.
        own = file_id if any(d.file_id == file_id for d in found) else 0
        key = tuple([d.id for d in found]), arguments, is_abstract, own
        known = self._chosen.get(key)
        if known is None:
            # What overrides a method has its parameters, and other overloads of the class need not.
            known = lookup.overloads.fitting(found, arguments, is_guess=is_abstract)
            if len(known) > 1:
                known = narrowed(lookup, known, file_id)
            self._chosen[key] = known
        return known

    def _members(
        self, callee: str, receiver: str, owner: str, file_id: int, arguments: int
    ) -> tuple[list[Definition], bool]:
        """Methods that a member call may mean whose receiver or class is written, and whether each overrides one.

        Where the class itself only declares it, or that overload, as an abstract one does, it is the derived ones'.
        """
        lookup = self._lookup
        if "::" in callee:  # x.Base::f()
            return lookup.find(callee, owner, file_id), False
        if receiver == "this":
            class_name: str | None = lookup.owner(owner)
            if class_name not in lookup.classes:
                return [], False
        else:
            class_name = lookup.find_class(receiver, owner, file_id)
        if class_name is None:
            return [], False
        if class_name == TENSOR and receiver != "this" and callee in lookup.generated:
            return lookup.by_name.get(f"{TENSOR}::{callee}", []), False
        found = lookup.find_any_base_s(callee, class_name)
        if not found:
            return lookup.find_overriding(callee, class_name), True
        if arguments == UNKNOWN_COUNT or lookup.overloads.fitting(found, arguments):
            return found, False
        others = [d for d in lookup.find_overriding(callee, class_name) if may_override(d)]
        return (others, True) if others else (found, False)


def _kind(found: list[Definition], form: int) -> str:
    if len(found) != 1:
        return "candidate"
    if form == LAUNCH:
        return "launch"
    definition = found[0]
    if definition.kind == "constructor":
        return "constructor"
    if definition.signature.startswith("virtual ") or is_overriding(definition):
        return "virtual"
    return "call"
