"""What is a type that is written somewhere, and what do functions return? Aliases, templates' arguments, overloads."""

from __future__ import annotations

import re
from typing import NamedTuple

from indexer.link.cpp.declarations import Definition
from indexer.link.cpp.known_templates import POINTERS
from indexer.link.cpp.lookup import Lookup
from indexer.link.cpp.type_text import DEDUCED, ITSELF, SIMPLE, SPECIALIZED, TYPE, returned, split

_PARAMETER = re.compile(r"(?:const )?[A-Z]")
"""What hardly is a class: a template's parameter."""

_ELEMENT = re.compile(r"(?:\w+::)*\w+<(\w+)>::(?:\w+_)?(?:const_reference|value_type)(?:_\w+)?")
"""What a list's own types say of its elements: `typename List<T>::internal_const_reference_type` (List.h)."""

_DOWNCAST = re.compile(r"template ?<(?:typename|class) \w+> auto \w+\(\)(?: const)?$")

_MEMBER_TYPE = re.compile(r"(?:typename )?(\w+)::(\w+)")

_NAMED = re.compile(r"(?<![\w:])[A-Z]\w*(?!\w|::)")

_OF_LISTS = frozenset(
    "append assign at back begin capacity cbegin cend clear count data emplace emplace_back empty end erase find front"
    " get insert pop_back push_back rbegin rend reserve resize size swap top value".split()
)

_ITERATOR = re.compile(r"(std::\w+<.+>)::(?:const_)?(?:reverse_)?iterator")

_OF_TRAIT = re.compile(r"([\w:]+)<(\w+)>::type")


class Type(NamedTuple):
    """What an expression is.

    Args:
        name: of its class, qualified; of none of the tree, as written.
        arguments: of the template that it is, as written.
        is_class: whether the tree has it.
        holder: the smart pointer or the like that holds it, "" for none.
        place: the namespace or class, and the file, where it is written.
    """

    name: str
    arguments: tuple[str, ...]
    is_class: bool
    holder: str
    place: tuple[str, int]


class WrittenTypes:
    """Remembers what it found.

    Args:
        lookup: over the definitions.
    """

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup
        self._returned: dict[int, tuple[str, tuple[str, ...]]] = {}
        self._written: dict[tuple[str, tuple[str, int]], Type | None] = {}

    def written(self, text: str, place: tuple[str, int], depth: int = 0) -> Type | None:
        """What a type is that is written somewhere.

        Args:
            text: the type.
            place: the namespace, class or body that it is written in, and the file's id.
            depth: how many aliases have led here.

        Returns:
            None where that is not known.
        """
        key = (text, place)
        if key in self._written:
            return self._written[key]
        self._written[key] = None
        found = self._written[key] = self._read(text, place, depth)
        return found

    def _read(self, text: str, place: tuple[str, int], depth: int) -> Type | None:
        match = TYPE.search(text)
        if match is None or depth > 4:
            return None
        name, arguments = split(match.group(1))
        holds = bool(arguments) and POINTERS.fullmatch(name) is not None
        if holds:
            held = self.written(arguments[0], place, depth + 1)
            if held is not None:
                return held._replace(holder=name)
        if name.startswith("std::"):
            iterator = _ITERATOR.fullmatch(match.group(1)) if name.endswith("iterator") else None
            if iterator is not None:
                of_list = split(iterator.group(1))[1]
                element = self.written(of_list[0], place, depth + 1) if len(of_list) == 1 else None
                return None if element is None else element._replace(holder=name)
            return None if holds else Type(name, arguments, False, "", place)
        lookup = self._lookup
        found = lookup.find_class(name, *place)
        # A template's argument is named in full, by who sees it: `make_intrusive<Own>(…)`.
        if found is not None and name[:2] != "::" and not lookup.is_visible(found, place[1]):
            return None
        if found is None or not arguments:
            whole = lookup.alias_text(name, *place)
            if found is None and whole is None and "::" not in name:
                # All others use c10's names, at times by macros: `C10_FORALL_TYPES(C10_USING)` (ATen/core/jit_type.h).
                found = lookup.find_class(name, "c10", place[1])
                whole = lookup.alias_text(name, "c10", place[1])
            elif found is None and whole is None:
                whole = self._used_alias(name, place)
            if whole is not None and "<" in whole[0]:
                return None if arguments else self.written(*whole, depth + 1)
            if whole is not None and found is None:
                text = f"{whole[0]}<{', '.join(arguments)}>" if arguments else whole[0]
                return self.written(text, whole[1], depth + 1)
        if found is not None:
            return Type(found, arguments, True, "", place)
        return None

    def _used_alias(self, name: str, place: tuple[str, int]) -> tuple[str, tuple[str, int]] | None:
        """What an alias stands for that a namespace has by a using-directive: `at::TypePtr` is c10's."""
        space, _, last = name.removeprefix("::").rpartition("::")
        lookup = self._lookup
        scope = "" if name.startswith("::") else lookup.owner(place[0])
        if last not in lookup.alias_names or space in lookup.classes:
            return None
        while True:
            for used in lookup.used(f"{scope}::{space}" if scope else space, place[1]):
                whole = lookup.alias_text(last, used, place[1])
                if whole is not None:
                    return whole
            if not scope:
                return None
            scope = scope.rpartition("::")[0]

    def _given(self, written: str, place: tuple[str, int]) -> tuple[str, tuple[str, ...]]:
        """A name and its template arguments, whose classes are those that are seen from there."""
        name, arguments = split(written)
        if not arguments:
            return name, ()
        found = [self._lookup.find_class(given, *place) for given in arguments]
        return name, tuple(
            given if of_class is None else f"::{of_class}"
            for given, of_class in zip(arguments, found, strict=True)
        )

    def _taking(self, found: list[Definition], brackets: str) -> list[Definition]:
        """Those of several functions that can take arguments where there are some, and none where there are none."""
        if len(found) == 1:
            return found
        if brackets == "()":
            return self._lookup.overloads.fitting(found, 0)
        return [d for d in found if self._lookup.overloads.taken(d).most]

    def _agreed(
        self,
        found: list[Definition],
        arguments: tuple[str, ...],
        of: Type | None,
        wanted: str = "",
    ) -> Type | None:
        """What all of some functions return; None where one differs or is not known.

        A specialization returns what its template does ([temp.expl.spec]), whose arguments the call gives.

        Args:
            found: the functions.
            arguments: template arguments of the call.
            of: what they are methods of.
            wanted: the method that is called on it, which tells of different classes the one that has it.
        """
        agreed: Type | None = None
        if arguments and len(found) > 1:
            found = [d for d in found if not d.signature.startswith(SPECIALIZED)] or found
        for definition in found:
            text = self._returns(definition)[0]
            if text in ("void", DEDUCED) or (wanted and text in SIMPLE):
                continue  # nothing can be called on that
            one = self._of_function(definition, arguments, of)
            if wanted and one is not None and _has_none(one, wanted):
                continue
            if one is None or (wanted and not one.is_class):
                return None
            if wanted and not self._lookup.find_method(wanted, one.name):
                continue
            if agreed is not None and one.name != agreed.name:
                return None
            agreed = agreed or one
        return agreed

    def _returns(self, definition: Definition) -> tuple[str, tuple[str, ...]]:
        known = self._returned.get(definition.id)
        if known is None:
            known = self._returned[definition.id] = returned(definition.signature, definition.name)
        return known

    def given_by(self, definition: Definition, of: Type) -> Type | None:
        """What a method gives.

        Args:
            definition: the method.
            of: what it is called on.

        Returns:
            None where that is not known.
        """
        return self._of_function(definition, (), of)

    def _of_function(
        self, definition: Definition, arguments: tuple[str, ...], of: Type | None
    ) -> Type | None:
        text, parameters = self._returns(definition)
        if not text:
            return self._downcast(definition, arguments, of)
        if of is not None and not of.arguments and of.name in self._lookup.held:
            argument, where = self._lookup.held[of.name]
            of = of._replace(arguments=(argument,), place=where)  # as its base is
        place = (definition.owner, definition.file_id)
        if of is not None and text in (ITSELF, definition.owner.rpartition("::")[2]):
            # Within a template its own name means what it is made for ([temp.local]).
            if of.holder.rpartition("::")[2] == text:
                return of
            is_same = text == ITSELF or definition.owner == of.name
            return of._replace(holder="") if is_same else self.written(text, place)
        if text in parameters:
            position = parameters.index(text)
            if position < len(arguments):
                return self.written(arguments[position], place)
            # Those of the class, where a method stands outside of it: `Value Dict<Key, Value>::at(const Key&)`.
            is_class_s = of is not None and not arguments and len(of.arguments) == len(parameters)
            return self.written(of.arguments[position], of.place) if of and is_class_s else None
        element = _ELEMENT.fullmatch(text) if of is not None and len(of.arguments) == 1 else None
        if of is not None and element is not None and parameters in ((), (element.group(1),)):
            return self.written(of.arguments[0], of.place)
        trait = _OF_TRAIT.fullmatch(text) if arguments else None
        if trait is not None and trait.group(2) in parameters:
            # Some pointer to it: `typename detail::CastReturnType<T>::type cast()` (ATen/core/jit_type_base.h).
            position = parameters.index(trait.group(2))
            held = self.written(arguments[position], place) if position < len(arguments) else None
            return None if held is None else held._replace(holder=trait.group(1))
        if arguments and parameters:
            given = dict(zip(parameters, arguments, strict=False))
            text = re.sub(r"\w+", lambda match: given.get(match[0], match[0]), text)
        found = self.written(text, place)
        if (
            found is not None and of is not None and len(of.arguments) == 1 == len(found.arguments)
            and _PARAMETER.fullmatch(found.arguments[0])
        ):  # fmt: skip
            return found._replace(arguments=of.arguments, place=of.place)
        if found is not None and of is not None and len(of.arguments) == 1 and not parameters:
            return self._of_argument(found, of, place)
        if found is None and of is not None and text.isidentifier() and not parameters:
            # A template's own parameter: of a class with one argument it can be that alone.
            return self._parameter(text, of, place) if len(of.arguments) == 1 else None
        return found

    def _parameter(self, name: str, of: Type, place: tuple[str, int]) -> Type | None:
        """What the one parameter of a template is made for, or the type of that which an alias names.

        `value_type operator*()` of `slot_iterator_impl<ModulePolicy>`, where that is `typename Policy::value_type`.

        Args:
            name: of the parameter, or the alias.
            of: the object that a method is called on.
            place: where the method is.
        """
        lookup = self._lookup
        alias = lookup.alias_text(name, *place)
        member = None if alias is None else _MEMBER_TYPE.fullmatch(alias[0])
        if alias is None or member is None:
            return self.written(of.arguments[0], of.place)
        given = lookup.find_class(of.arguments[0], *of.place)
        if given is None or lookup.find_class(member[1], *alias[1]) is not None:
            return None
        return self.written(f"{given}::{member[2]}", ("", place[1]))

    def _of_argument(self, found: Type, of: Type, place: tuple[str, int]) -> Type:
        """What a method of a template gives: `std::vector<NodePtr<Op>> NodeFinder<Op>::find(…)`.

        What is no class that is seen from there is its parameter.

        Args:
            found: as it is written.
            of: what the method is called on, of one argument.
            place: where the method is.
        """
        lookup = self._lookup
        unknown = {
            word
            for argument in found.arguments
            for word in _NAMED.findall(argument)
            if lookup.find_class(word, *place) is None
            and lookup.alias_text(word, *place) is None
            and not POINTERS.fullmatch(word)
        }
        given = lookup.find_class(of.arguments[0], *of.place) if len(unknown) == 1 else None
        if given is None:
            return found
        name = re.compile(rf"\b{unknown.pop()}\b")
        return found._replace(arguments=tuple(name.sub(f"::{given}", a) for a in found.arguments))

    def _downcast(
        self, definition: Definition, arguments: tuple[str, ...], of: Type | None
    ) -> Type | None:
        """What a method gives that returns `auto`, by its one template argument: `type->expect<TensorType>()`.

        Where that is a class which derives from the object's, it is the object as one of that class.
        """
        if of is None or len(arguments) != 1 or not _DOWNCAST.match(definition.signature):
            return None
        lookup = self._lookup
        found = lookup.find_class(arguments[0], definition.owner, definition.file_id)
        if found is None or of.name not in lookup.bases(found)[1:]:
            return None
        return Type(found, (), True, "auto", (definition.owner, definition.file_id))


def _has_none(of: Type, method: str) -> bool:
    """Whether a type is one of the standard library's lists, which have no method of a name."""
    return not of.is_class and of.name.startswith("std::") and method not in _OF_LISTS
