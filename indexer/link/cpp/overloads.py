"""Which of several functions of one name can a call mean: by how many parameters they have, and of which types."""

from __future__ import annotations

import re
from typing import NamedTuple

from indexer.extract.cpp.parameters import (
    OWN_NAME,
    is_declared_there,
    parameters_of,
    written_parameters,
)
from indexer.link.cpp.declarations import Definition

_MACRO = re.compile(r"[A-Z][A-Z0-9_]*\s*\(.*\)")

_WRITTEN = re.compile(r"(?!const).*[^&]&")
"""A reference to what is not constant, as `Overloads.types` has it."""

_LIST = re.compile(r"(?:const)?std::initializer_list<")
_SEVERAL = 2

_QUALIFIER = re.compile(r"\bconst\b|&+")


class Taken(NamedTuple):
    """How many arguments a function takes.

    Args:
        most: as many as it has parameters.
        any_more: it takes any number more, or what a macro stands for.
        least: without those that have a default value; None where a declaration elsewhere may give more of them.
    """

    most: int
    any_more: bool
    least: int | None

    def fits(self, arguments: int) -> bool:
        """Whether so many `arguments` are known to be right."""
        if self.any_more:
            return False
        return arguments == self.most or (
            self.least is not None and self.least <= arguments <= self.most
        )

    def may_fit(self, arguments: int) -> bool:
        """Whether default values that are not seen may make so many `arguments` right."""
        return self.any_more or (self.least is None and self.most > arguments)


class Overloads:
    """Remembers what it read in each signature."""

    def __init__(self) -> None:
        self._counts: dict[int, Taken] = {}
        self._types: dict[int, tuple[str, ...]] = {}

    def taken(self, definition: Definition) -> Taken:
        """How many arguments the function `definition` takes."""
        known = self._counts.get(definition.id)
        if known is None:
            parameters = written_parameters(definition.signature, definition.name)
            # A macro may come to several parameters: `gemm(CUDABLAS_GEMM_ARGTYPES(float))`.
            several = parameters is None or any(
                "..." in p or (p[0].isupper() and _MACRO.fullmatch(p)) for p in parameters
            )
            known = Taken(len(parameters or ()), several, _least(definition, parameters or []))
            self._counts[definition.id] = known
        return known

    def types(self, definition: Definition) -> tuple[str, ...]:
        """The types of the parameters of `definition` as written, without white space: what tells overloads apart."""
        known = self._types.get(definition.id)
        if known is None:
            parameters = parameters_of(definition.signature, definition.name) or []
            known = tuple("".join(OWN_NAME.sub(r"\1", p).split()) for p in parameters)
            self._types[definition.id] = known
        return known

    def copies(self, definition: Definition) -> bool:
        """Whether `definition`, a constructor, takes an object of its own class, and no more ([class.copy.ctor])."""
        types = self.types(definition)
        own = definition.owner.rpartition("::")[2]
        return len(types) == 1 and types[0].removeprefix("const").rstrip("&") == own

    def form(self, definition: Definition) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The types of the parameters of `definition`, and its qualifiers, such as `const &`.

        With its name no other overload has the same.
        """
        tail = definition.signature.rpartition(")")[2]
        return self.types(definition), tuple(_QUALIFIER.findall(tail)) if tail else ()

    def fitting(
        self, found: list[Definition], arguments: int | None, is_guess: bool = False
    ) -> list[Definition]:
        """Those that can take so many arguments: those that surely do, else those that may.

        Default values may stand in declarations, which are not kept: more parameters than arguments may be right, but
        for what is defined in its class or in a header.

        Args:
            found: functions of one name.
            arguments: how many; None for not known, which all fit.
            is_guess: it may be none of these at all: what does so exactly comes before all others.
        """
        if arguments is None:
            return found
        if len(found) == 1:
            taken = self.taken(found[0])
            if taken.fits(arguments) or taken.may_fit(arguments):
                return found
            return self._of_lists(found, arguments)
        taken_by = [(self.taken(definition), definition) for definition in found]
        sure = [d for taken, d in taken_by if taken.fits(arguments)]
        exact = [d for taken, d in taken_by if taken.most == arguments and not taken.any_more]
        if exact:
            others = self._besides(exact, taken_by, arguments) if arguments and not is_guess else []
            return [d for _, d in taken_by if d in sure or d in others] if others else sure
        # Any of those that take any number may be meant; where the parameters could not be read, nothing is known.
        packs = [d for taken, d in taken_by if taken.any_more and 0 < taken.most <= arguments + 1]
        others = packs or [d for taken, d in taken_by if taken.may_fit(arguments)]
        if not (sure or others):
            return self._of_lists(found, arguments)
        return [d for _, d in taken_by if d in sure or d in others] if sure else others

    def _of_lists(self, found: list[Definition], arguments: int) -> list[Definition]:
        """Constructors that take a list of any length, which stands in braces ([over.match.list])."""
        if arguments < _SEVERAL:
            return []
        return [
            d
            for d in found
            if d.kind == "constructor"
            and self.taken(d).least in (0, 1, None)
            and any(map(_LIST.match, self.types(d)[:1]))
        ]

    def _besides(
        self, exact: list[Definition], taken_by: list[tuple[Taken, Definition]], arguments: int
    ) -> list[Definition]:
        """What the arguments' types may choose although others have exactly so many parameters ([over.match.best]).

        A pack takes any types as they are: `TensorOptions::device(Args&&...)` beside `device(std::optional<Device>)`.
        And a declaration elsewhere may give default values (`Node::matches(const char*, ArrayRef<Symbol> = {})`), but
        where the parameters before these are another overload's, for then no call could mean either; nor does what is
        written to (`Tensor& out`) have any, and what is a file's own is hardly declared apart from its definition.
        """
        found = []
        for taken, definition in taken_by:
            if not taken.any_more:
                types = self.types(definition)
                first, rest = types[:arguments], types[arguments:]
                if (
                    taken.may_fit(arguments)
                    and not (definition.is_hidden or definition.is_local)
                    and not any(map(_WRITTEN.fullmatch, rest))
                    and all(self.types(other) != first for other in exact)
                ):
                    found.append(definition)
            elif 0 < taken.most <= arguments + 1 and "..." in definition.signature:
                found.append(definition)
        return found


def _least(definition: Definition, parameters: list[str]) -> int | None:
    """How many arguments a function must have, as far as its own head tells ([dcl.fct.default])."""
    signature = definition.signature
    if signature.startswith("virtual ") or " override" in signature.rpartition(")")[2]:
        return None  # who calls it through a base has the base's default values
    required = sum("=" not in parameter for parameter in parameters)
    if required < len(parameters):
        return required
    # A source file's function may have a header that declares it; a header's own seldom has another.
    in_class = definition.kind in ("method", "constructor")
    if (in_class or not definition.is_of_source) and is_declared_there(signature, definition.name):
        return required
    return None
