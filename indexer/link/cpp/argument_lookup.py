"""What a name can mean for its arguments' sake ([basic.lookup.argdep]): functions of the namespaces of their types.

These types are not known: it gives functions that may be meant.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from indexer.link.cpp.declarations import Definition
from indexer.link.cpp.lookup import Lookup
from indexer.link.cpp.type_text import SPECIALIZED

_OF_TYPES = ("c10", "torch::stable")
_OWN_TYPE = re.compile(
    r"(?:const)?(?:(?:c10|torch::stable)::)?[A-Z]\w*[a-z]\w*(?:<.*>)?(?:const)?[&*]*"
)
"""A type of such a namespace, and not a template's parameter, which has one letter or no small one."""

_PLAIN_TYPE = re.compile(r"(?:const)?((?:\w+::)*\w+)(?:const)?[&*]*")
_TEMPLATE_TYPE = re.compile(r"(?:const(?=[A-Z]))?((?:\w+::)*\w+)<")
_ARGUMENT_TYPES = re.compile(r"[<,]((?:\w+::)*\w+)(?=[<>,&*])")
_TEMPLATE = re.compile(r"template\s*<\s*(?:typename|class)\s+(\w+)\s*[,>]")
_SEVERAL = 2
_NOTHING: dict[str, list[Definition]] = {}


class ArgumentDependent:
    """Remembers what it found.

    Args:
        lookup: over the definitions.
    """

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup
        self._of_own_types: dict[str, list[Definition]] = {}

    def found(self, name: str, file_id: int) -> list[Definition]:
        """Functions that the unqualified `name` may mean in the file `file_id` for its arguments' sake alone.

        [basic.lookup.argdep]: they stand in the namespace of a type that they take. That is c10, whose types all
        others use, or what an extension has of the stable interface, `using torch::stable::Tensor;`; or another that
        has a class of a parameter's type, `select_sdp_backend(params)` of sdp. What is named like an operator has too
        many namesakes.
        """
        lookup = self._lookup
        named = lookup.by_last.get(name, _NOTHING)
        spaces: Collection[str] = named.keys()
        if name in lookup.returned or name in lookup.generated:
            spaces = _OF_TYPES
        return [
            d for space in spaces if space and space not in lookup.classes for d in named.get(space, ())
            if d.kind == "function" and not d.is_local and lookup.is_seen(d, file_id)
            and self._takes_own(d)
        ]  # fmt: skip

    def added(
        self, name: str, found: list[Definition], arguments: int, file_id: int
    ) -> list[Definition]:
        """What the unqualified `name` may mean beside functions of the scopes around.

        `maximum(a, b)` in `at::native`, which has one of its own for `Vec2`, is `at::vec`'s for two of its vectors; a
        class's method hides all others ([basic.lookup.argdep], 3.1).

        Args:
            name: as called.
            found: those functions.
            arguments: how many there are.
            file_id: of the file.
        """
        lookup = self._lookup
        named = lookup.by_last.get(name, _NOTHING)
        if len(named) < _SEVERAL or found[0].kind != "function" or found[0].owner in lookup.classes:
            return []
        others = self._of_own_types.get(name)
        if others is None:
            others = self._of_own_types[name] = [
                d for space, functions in named.items() if space and space not in lookup.classes
                for d in functions
                if d.kind == "function" and not (d.is_of_source or d.is_local or d.is_of_test)
                and not d.signature.startswith(SPECIALIZED)
                and self._takes_own(d, outermost=True) and self._is_deduced(d)
            ]  # fmt: skip
        overloads = lookup.overloads
        if not (others and any(overloads.taken(d).fits(arguments) for d in found)):
            return []
        types = {overloads.types(d) for d in found}
        return [
            d for d in others
            if d not in found and lookup.is_seen(d, file_id) and overloads.taken(d).fits(arguments)
            and overloads.types(d) not in types
        ]  # fmt: skip

    def _is_deduced(self, definition: Definition) -> bool:
        """Whether arguments tell the first parameter of the template that a function may be ([temp.deduct.call])."""
        match = _TEMPLATE.match(definition.signature)
        if match is None:
            return True
        word = re.compile(rf"\b{match.group(1)}\b")
        return any(map(word.search, self._lookup.overloads.types(definition)))

    def _takes_own(self, definition: Definition, *, outermost: bool = False) -> bool:
        """Whether a function takes something of a type of its own namespace.

        Args:
            definition: the function.
            outermost: whether that may be a template of whatever arguments.
        """
        space, classes = definition.owner, self._lookup.classes
        of_types = space in _OF_TYPES
        for text in self._lookup.overloads.types(definition):
            if of_types and _OWN_TYPE.fullmatch(text):
                return True
            plain = _PLAIN_TYPE.fullmatch(text)
            # The namespaces of a template's arguments are looked into as well ([basic.lookup.argdep], 2).
            named = [plain.group(1)] if plain is not None else _ARGUMENT_TYPES.findall(text)
            if outermost and plain is None and (template := _TEMPLATE_TYPE.match(text)) is not None:
                named.append(template.group(1))
            for name in named:
                last = name.rpartition("::")[2]
                own = f"{space}::{last}"
                if own in classes or own.removesuffix("const") in classes:
                    return True  # `Params const&` is such a type, too
        return False
