"""Which of several functions of one name can a call mean: by how many parameters they have, and of which types."""

from __future__ import annotations

import re

from indexer.link.cpp_declarations import Definition
from indexer.link.cpp_parameters import OWN_NAME, parameters_of

_MACRO = re.compile(r"[A-Z][A-Z0-9_]*\s*\(.*\)")


class Overloads:
    """Remembers what it read in each signature."""

    def __init__(self) -> None:
        self._counts: dict[int, tuple[int, bool]] = {}
        self._types: dict[int, tuple[str, ...]] = {}

    def count(self, definition: Definition) -> tuple[int, bool]:
        """How many parameters a function has, and whether it takes any number more."""
        known = self._counts.get(definition.id)
        if known is None:
            parameters = parameters_of(definition.signature, definition.name)
            # A macro may come to several parameters: `gemm(CUDABLAS_GEMM_ARGTYPES(float))`.
            several = parameters is None or any(
                "..." in p or (p[0].isupper() and _MACRO.fullmatch(p)) for p in parameters
            )
            known = self._counts[definition.id] = (len(parameters or ()), several)
        return known

    def types(self, definition: Definition) -> tuple[str, ...]:
        """The parameters' types as written, without white space: what tells overloads apart."""
        known = self._types.get(definition.id)
        if known is None:
            parameters = parameters_of(definition.signature, definition.name) or []
            known = tuple("".join(OWN_NAME.sub(r"\1", p).split()) for p in parameters)
            self._types[definition.id] = known
        return known

    def fitting(self, found: list[Definition], arguments: int | None) -> list[Definition]:
        """Those that can take so many arguments: of exactly as many parameters, else of more.

        Default values stand in declarations, which are not kept: more parameters than arguments may be right.
        """
        if arguments is None:
            return found
        if len(found) == 1:
            number, more = self.count(found[0])
            return found if number >= arguments or more else []
        counts = [(self.count(definition), definition) for definition in found]
        exact = [d for (number, more), d in counts if number == arguments and not more]
        if exact:
            return exact
        # Any of those that take any number may be meant; where the parameters could not be read, nothing is known.
        packs = [d for (number, more), d in counts if more and 0 < number <= arguments + 1]
        if packs:
            return packs
        return [d for (number, more), d in counts if number > arguments or more]
