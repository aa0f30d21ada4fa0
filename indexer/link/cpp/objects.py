"""Is what a member is called on constant? Of methods that differ in that alone it decides ([over.match.funcs])."""

from __future__ import annotations

import re
from collections.abc import Sequence

from indexer.extract.cpp.items import closing_round
from indexer.extract.cpp.parameters import name_and_bracket
from indexer.facts.cpp import (
    ARROW,
    CONST_OBJECT,
    COPIED_OBJECT,
    FIELD_CONST,
    FIELD_OPEN,
    LED_OBJECT,
    MOVED_OBJECT,
    NAMED_OBJECT,
    OPEN_OBJECT,
    VIEWED_OBJECT,
)
from indexer.link.cpp.declarations import Definition
from indexer.link.cpp.expression import last_step
from indexer.link.cpp.expression_types import Types
from indexer.link.cpp.known_templates import CASTS, ELEMENTS, LISTS
from indexer.link.cpp.lookup import Lookup
from indexer.link.cpp.type_text import split
from indexer.link.cpp.written_types import Type

OPEN, MUTABLE, CONSTANT, TEMPORARY, NOTHING = range(5)
"""What is not known; an object that may be changed; one that may not; one that has no name and may be moved from; what
has no method of the tree's."""

Place = tuple[str, int]

_ARGUMENTS = r"<(?:[^<>]|<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>)*>"
_OWNER = re.compile(rf"(?:\w+\s*(?:{_ARGUMENTS})?\s*::\s*)+$")
_RETURNED = re.compile(
    r"(?:^|[\s>])(const\s+)?(?:typename\s+)?((?:::\s*)?\w+(?:\s*::\s*\w+)*)\s*"
    rf"({_ARGUMENTS})?\s*(\bconst\b)?([\s&*]*)$"
)
_OWNING = re.compile(r"(?:std::|c10::)?(?:shared_ptr|unique_ptr|intrusive_ptr)")
_BEHIND = re.compile(r"\s*(const\b)?\s*(&&|&)?")
_CHANGED = frozenset(("std::vector", "std::array", "std::deque"))
"""Lists whose elements are as constant as they are themselves."""

_OF_ALL = NAMED_OBJECT + MOVED_OBJECT
_ALIASES = 3
"""So many aliases are followed."""

_NO_TYPES = frozenset(("auto", "decltype", "constexpr", "inline", "static", "virtual", "explicit"))


class Objects:
    """Remembers what it found.

    Args:
        lookup: over the definitions.
        types: of expressions.
    """

    def __init__(self, lookup: Lookup, types: Types) -> None:
        self._lookup = lookup
        self._types = types
        self._qualifiers: dict[int, tuple[bool, str] | None] = {}
        self._given: dict[tuple[int, bool], int] = {}
        self._known: dict[tuple[str, Place, int], int] = {}

    def differ(self, found: Sequence[Definition]) -> bool:
        """Whether some of the methods `found` have the same parameters, and not the same object."""
        # Most have nothing behind their parameters, or all the same.
        if len({definition.signature.rpartition(")")[2] for definition in found}) == 1:
            return False
        known: dict[tuple[str, ...], tuple[bool, str] | None] = {}
        types = self._lookup.overloads.types
        for definition in found:
            if definition.kind == "constructor":
                return False
            qualifiers = self.qualifiers(definition)
            if known.setdefault(types(definition), qualifiers) != qualifiers:
                return True
        return False

    def meant(self, found: Sequence[Definition], of: int) -> list[Definition]:
        """Those of some functions that a call on an object means, as far as that alone decides.

        Args:
            found: functions that the call may mean.
            of: what the object is, `MUTABLE` and so on.
        """
        if of == OPEN or len(found) < 2:
            return [*found]
        alike: dict[tuple[str, tuple[str, ...]], list[Definition]] = {}
        for definition in found:
            types = self._lookup.overloads.types(definition)
            alike.setdefault((definition.name, types), []).append(definition)
        dropped: set[int] = set()
        for same in alike.values():
            ranked = [self._rank(definition, of) for definition in same]
            if None not in ranked and len(set(ranked)) > 1:
                best = min(rank for rank in ranked if rank is not None)
                if best < _NEVER:
                    dropped.update(
                        d.id for d, rank in zip(same, ranked, strict=True) if rank != best
                    )
        return [d for d in found if d.id not in dropped]

    def _rank(self, definition: Definition, of: int) -> int | None:
        """How well a method fits an object, 0 best ([over.ics.rank], 3.2.3 and 3.2.6); None for what is not known."""
        known = self.qualifiers(definition)
        if known is None:
            return None
        is_const, reference = known
        if of == TEMPORARY:
            return (
                _NEVER if reference == "&" and not is_const else 2 * (reference != "&&") + is_const
            )
        if reference == "&&" or (of == CONSTANT and not is_const):
            return _NEVER
        return int(is_const)

    def qualifiers(self, definition: Definition) -> tuple[bool, str] | None:
        """Whether `definition`, a method, is `const`, and its `&` or `&&`; None where a macro makes its head."""
        if definition.id not in self._qualifiers:
            signature = definition.signature
            at = name_and_bracket(signature, definition.name.rpartition("::")[2])
            found = None
            if at is not None:
                behind = _BEHIND.match(signature, closing_round(signature, at[1]) + 1)
                if behind is not None:
                    found = behind[1] is not None, behind[2] or ""
            self._qualifiers[definition.id] = found
        return self._qualifiers[definition.id]

    def of(self, sign: str, receiver: str, place: Place, own: int) -> int:
        """What the object is that a member is called on.

        Args:
            sign: that stands before the receiver.
            receiver: as kept, without that.
            place: the namespace, class or body that it is written in, and the file's id.
            own: what the object is that the caller is a method of.
        """
        first = sign[:1]
        if first == COPIED_OBJECT:
            return MUTABLE
        if first == VIEWED_OBJECT:
            return CONSTANT
        found = self._of(sign.lstrip(_OF_ALL), receiver, place, own)
        if first == MOVED_OBJECT:
            return TEMPORARY if found == MUTABLE else found if found == TEMPORARY else OPEN
        return MUTABLE if first == NAMED_OBJECT and found == TEMPORARY else found

    def _of(self, sign: str, receiver: str, place: Place, own: int) -> int:
        key = sign + receiver, place, own
        known = self._known.get(key)
        if known is None:
            self._known[key] = OPEN
            plain = receiver.removesuffix("->")
            known = self._step(sign, plain, plain != receiver, place, own)
            self._known[key] = known
        return known

    def _step(self, sign: str, expression: str, by_arrow: bool, place: Place, own: int) -> int:
        """What an expression is, or what it points to where `->` stands behind it."""
        before, operator, name, brackets, element = last_step(expression)
        if not before:
            if brackets:
                return self._called(name, brackets, by_arrow, place)
            if operator:
                around = self._types.declared_around(name, place)
                if around is None:
                    return OPEN
                of_scope = own if around[1][0] in self._lookup.classes else MUTABLE
                return self._field(name, around[1], by_arrow, of_scope)
            if sign == LED_OBJECT:
                return self._led(name, place)
            if name == "this" or not name or sign == OPEN_OBJECT:
                return OPEN
            return CONSTANT if sign == CONST_OBJECT else MUTABLE
        of = self._types.of(before, place)
        if of is None:
            return OPEN
        of_before = self._of(sign, before + ("->" if operator == "->" else ""), place, own)
        if element or name in ELEMENTS:
            of_list = self._list(sign, before, place, own)
            is_element = element != "[&]" and of_list is not None and len(of_list.arguments) == 1
            if of_list is not None and is_element:
                return self._element(
                    of_list, self._types.of(expression, place), by_arrow, of_before
                )
        if element:
            return OPEN
        if not of.is_class or (of.holder and operator == "."):
            return OPEN
        if not brackets:
            return self._field(name, (of.name, place[1]), by_arrow, of_before)
        found = self._lookup.find_method(split(name)[0], of.name)
        found = self._lookup.overloads.fitting(found, 0 if brackets == "()" else None)
        return self._all(self.meant(found, of_before), by_arrow)

    def _field(self, name: str, where: Place, by_arrow: bool, of: int) -> int:
        """What a data member is, by how it is declared, of an object of a class ([expr.ref], 6)."""
        sign = self._lookup.sign_of_field(name, *where)
        if sign is None or FIELD_OPEN in sign:
            return OPEN
        is_const = sign.startswith(FIELD_CONST)
        if by_arrow:
            if sign.endswith("*"):
                return CONSTANT if is_const else MUTABLE
            declared = self._lookup.find_field(name, *where)
            is_owning = declared is not None and _OWNING.fullmatch(declared[0].partition("<")[0])
            return MUTABLE if is_owning else OPEN
        if sign.endswith("*"):
            return OPEN
        if is_const:
            return CONSTANT
        if sign == "&":
            return MUTABLE
        return OPEN if of == OPEN else CONSTANT if of == CONSTANT else MUTABLE

    def _list(self, sign: str, expression: str, place: Place, own: int) -> Type | None:
        """The type of a list; None where overloads that an object may mean give different ones."""
        before, operator, name, brackets, _ = last_step(expression)
        if not before:
            is_told = not brackets and sign != OPEN_OBJECT
            return self._types.of(expression, place) if is_told else None
        of = self._types.of(before, place) if brackets else None
        if of is None or not of.is_class or (of.holder and operator == "."):
            return None
        of_before = self._of(sign, before + ("->" if operator == "->" else ""), place, own)
        found = self._lookup.find_method(split(name)[0], of.name)
        found = self.meant(
            self._lookup.overloads.fitting(found, 0 if brackets == "()" else None), of_before
        )
        return self._types.given_by(found[0], of) if len(found) == 1 else None

    def _element(self, of_list: Type, of: Type | None, by_arrow: bool, as_list: int) -> int:
        """What an element of a list is that has one argument."""
        argument = of_list.arguments[0]
        held = self._types.written(argument, of_list.place)
        if held is None or of is None or held.name != of.name:
            return OPEN
        if by_arrow:
            if "*" not in argument and of_list.name.rpartition("::")[2] in LISTS:
                return (
                    MUTABLE if _OWNING.fullmatch(held.holder) and "const" not in argument else OPEN
                )
            return OPEN if held.holder else CONSTANT if "const" in argument else MUTABLE
        is_plain = "*" not in argument and not held.holder and "const" not in argument
        is_same = is_plain and of_list.name in _CHANGED and as_list in (CONSTANT, MUTABLE)
        return as_list if is_same else OPEN

    def _led(self, written: str, place: Place) -> int:
        """What an object of a class leads to by its own `->`, or by that of what an alias stands for."""
        of = self._types.written(written, place)
        if of is None or not of.is_class:
            return OPEN
        name = of.name
        if of.holder:
            whole = self._lookup.alias_text(written, *place)
            for _ in range(_ALIASES):
                if whole is not None and "<" not in whole[0]:
                    whole = self._lookup.alias_text(*(whole[0], *whole[1]))
            if whole is None or "const" in whole[0] or "<" not in whole[0]:
                return OPEN
            if _OWNING.fullmatch(of.holder):
                return MUTABLE
            name = self._lookup.find_class(of.holder, *whole[1]) or ""
        elif any("const" in argument for argument in of.arguments):
            return OPEN
        given = {
            _given(d.signature, d.name, True, of_parameter=True)[0]
            for d in self._lookup.find_method(ARROW, name)
        }
        return given.pop() if len(given) == 1 else OPEN

    def _called(self, written: str, brackets: str, by_arrow: bool, place: Place) -> int:
        """What the call of a function, or an object that is made there, is."""
        name = split(written)[0]
        last = name.rpartition("::")[2]
        if last in CASTS or name.startswith("std::"):
            return MUTABLE if last.startswith("make_") and "const" not in written else OPEN
        found = self._lookup.find(name, *place)
        if found and found[0].kind == "constructor":
            return OPEN if by_arrow else TEMPORARY
        found = self._lookup.overloads.fitting(found, 0 if brackets == "()" else None)
        return self._all(found, by_arrow)

    def _all(self, found: Sequence[Definition], by_arrow: bool) -> int:
        """What each of some functions gives; `OPEN` where they differ."""
        given = {self._of_function(definition, by_arrow) for definition in found} - {NOTHING}
        return given.pop() if len(given) == 1 else OPEN

    def _of_function(self, definition: Definition, by_arrow: bool) -> int:
        key = definition.id, by_arrow
        if key not in self._given:
            found, of_type = _given(definition.signature, definition.name, by_arrow)
            if found == TEMPORARY and not self._is_class(of_type, definition):
                found = OPEN  # an alias may be one of a reference
            elif found == OPEN and by_arrow and of_type:
                found = self._led(of_type, (definition.owner, definition.file_id))
            self._given[key] = found
        return self._given[key]

    def _is_class(self, written: str, definition: Definition) -> bool:
        """Whether what a function says that it returns is a class's own name."""
        of_class = self._lookup.find_class(written, definition.owner, definition.file_id)
        return of_class is not None and of_class.rpartition("::")[2] == written.rpartition("::")[2]


_NEVER = 9


def _given(
    signature: str, name: str, by_arrow: bool, *, of_parameter: bool = False
) -> tuple[int, str]:
    """What a function gives by its head, or what that points to where `->` stands behind its call; with its class.

    What a template's parameter stands for may be constant, or a reference, where `of_parameter` does not say otherwise.
    """
    at = name_and_bracket(signature, name.rpartition("::")[2])
    if at is None:
        return OPEN, ""
    head = signature[: at[0]]
    owner = _OWNER.search(head)
    match = _RETURNED.search(head if owner is None else head[: owner.start()])
    if match is None:
        return OPEN, ""
    before, of_type, arguments, behind, signs = match.groups()
    signs = "".join(signs.split())
    if of_type in _NO_TYPES or (of_type.isupper() and len(of_type) < 3 and not of_parameter):
        return OPEN, ""
    if not signs and (of_type == "void" or (of_type.startswith("std::") and not by_arrow)):
        return NOTHING, ""
    is_const = before is not None or behind is not None
    if by_arrow:
        if signs == "*":
            return CONSTANT if is_const else MUTABLE, ""
        if "*" not in signs and arguments is None:
            return OPEN, of_type
        if "*" in signs or not _OWNING.fullmatch(of_type):
            return OPEN, ""
        return OPEN if "const" in arguments else MUTABLE, ""
    if "*" in signs:
        return OPEN, ""
    if signs == "&":
        return CONSTANT if is_const else MUTABLE, ""
    return OPEN if is_const else TEMPORARY, of_type
