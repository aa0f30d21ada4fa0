"""Which functions may a name mean that is called, launched, makes an object or stands alone?"""

from __future__ import annotations

import re

from indexer.extract.cpp.parameters import is_declared_there
from indexer.facts.cpp import CALL, CONSTRUCT, LAUNCH, MADE, NAMED
from indexer.link.cpp.argument_lookup import ArgumentDependent
from indexer.link.cpp.declarations import Definition
from indexer.link.cpp.file_scope import OF_C
from indexer.link.cpp.lookup import Lookup

_SEVERAL = 2
_MOST_ADDED = 4
_STATIC = re.compile(r"(?:inline |constexpr |template ?<.*?> )*static ")


class CalledNames:
    """What names mean, by how they are used.

    Args:
        lookup: over all definitions.
    """

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup
        self._by_arguments = ArgumentDependent(lookup)

    def meant(
        self,
        callee: str,
        form: int,
        arguments: int,
        place: tuple[str, int],
        *,
        is_template: bool,
    ) -> tuple[list[Definition], bool, bool]:
        """What a name may mean that is no member's.

        Args:
            callee: as written.
            form: as in `CallColumns`, without `WITH_TEMPLATE_ARGUMENTS`.
            arguments: how many, 255 for not known.
            place: the namespace, class or body that it is written in, and the file's id.
            is_template: whether template arguments stand behind it.

        Returns:
            The functions, whether each of them overrides a method that is only declared, and whether the name may mean
            something else as well.
        """
        lookup = self._lookup
        owner, file_id = place
        is_abstract = is_unsure = False
        found = lookup.find(callee, owner, file_id)
        if form == CALL:
            found, is_abstract, is_unsure = self._called(found, callee, arguments, place)
            if found and arguments and not (is_template or is_unsure or is_abstract):
                added = self._by_arguments.added(callee, found, arguments, file_id)
                # Of very many no one is likely: what else it may be says little.
                is_unsure = len(added) > _MOST_ADDED
                found = found if is_unsure else found + added
        if found and found[0].name.startswith("std::") and lookup.owner(owner) != owner:
            return [], False, False  # `using std::swap;`
        if len(found) > 1 and any(d.file_id == file_id for d in found):
            found = [d for d in found if d.file_id == file_id or not d.is_local]
        if form == MADE:
            found = self._of_namesakes(found, callee, arguments)
        if form in (CONSTRUCT, MADE):
            found, is_unsure = self._constructors(found, arguments, place)
        elif form == NAMED:
            found = self._named_alone(found, callee, place)
        elif form == LAUNCH:
            found = [d for d in found if d.kind in ("kernel", "function", "method")]
        if form in (CALL, LAUNCH) and len(found) > 1:
            # A host function may have its kernel's name: `<<<…>>>` alone means the kernel.
            found = [d for d in found if (d.kind == "kernel") == (form == LAUNCH)] or found
        return found, is_abstract, is_unsure

    def _called(
        self, found: list[Definition], callee: str, arguments: int, place: tuple[str, int]
    ) -> tuple[list[Definition], bool, bool]:
        """What a call means by a name of which `found` stands there; the rest as of `meant`."""
        lookup = self._lookup
        owner, file_id = place
        is_abstract = is_unsure = False
        if "::" not in callee:
            of_class = lookup.owner(owner)
            derived = self._derived(callee, of_class, found) if of_class in lookup.classes else []
            found, is_abstract = (derived, True) if derived else (found, False)
            if not found and arguments:
                found, is_unsure = self._by_arguments.found(callee, file_id), True
        if callee in OF_C:
            is_unsure = not any(f"{owner}::".startswith(f"{d.owner}::") for d in found)
        return found, is_abstract, is_unsure

    def _of_namesakes(
        self, found: list[Definition], callee: str, arguments: int
    ) -> list[Definition]:
        """The constructors `found` without those of another class of that name that take other arguments.

        torch::jit has a Block of its own, and so has tensorexpr, whose tests stand in torch::jit and use both: as if
        both stood there ([namespace.udir], 2).
        """
        lookup = self._lookup
        if len(lookup.by_last.get(callee.rpartition("::")[2], ())) < _SEVERAL:
            return found
        return [d for d in found if lookup.overloads.taken(d).fits(arguments)]

    def _constructors(
        self, found: list[Definition], arguments: int, place: tuple[str, int]
    ) -> tuple[list[Definition], bool]:
        """Those that may make an object, and whether another may that has no body."""
        lookup = self._lookup
        owner, file_id = place
        found = [d for d in found if d.kind == "constructor"]
        is_unsure = not arguments and not any(lookup.overloads.taken(d).fits(0) for d in found)
        if is_unsure:
            # That which takes none may be defaulted, and have no body; default values may stand elsewhere.
            found = [d for d in found if not lookup.overloads.copies(d)]
        if lookup.owner(owner) != owner:
            # With a directive, namesakes of a local class are near.
            found = [d for d in found if lookup.is_visible(d.owner, file_id)]
        return found, is_unsure

    def _named_alone(
        self, found: list[Definition], callee: str, place: tuple[str, int]
    ) -> list[Definition]:
        """The functions that a name means that stands without a call."""
        lookup = self._lookup
        owner, file_id = place
        found = [d for d in found if d.kind not in ("constructor", "lambda")]
        of_class = lookup.owner(owner)
        if (
            "::" not in callee
            and of_class in lookup.classes
            and of_class not in lookup.generated_classes
        ):
            # A data member of a class may have the name of a function that its own file does not define.
            is_field = lookup.find_field(callee, of_class, file_id) is not None
            found = [d for d in found if _is_near(lookup, d, file_id, is_field)]
        return found

    def _derived(self, name: str, of_class: str, found: list[Definition]) -> list[Definition]:
        """What overrides a method that a class only declares, and that hides functions around the class.

        `apply(…)` in `Node::operator()` is none of `torch::apply` (torch/csrc/autograd/function.h).
        """
        lookup = self._lookup
        if name not in lookup.methods or (found and found[0].owner in lookup.bases(of_class)):
            return []
        sure, others = [], []
        for definition in lookup.find_overriding(name, of_class):
            if is_overriding(definition):
                sure.append(definition)
            elif not is_declared_there(definition.signature, definition.name):
                others.append(definition)  # its class may say so
        # Where nothing else has that name it is one that the class only declares, though no text says so.
        return sure + others if sure or not found else []


def _is_near(lookup: Lookup, definition: Definition, file_id: int, is_field: bool) -> bool:
    """Whether a name alone means a function in a method: one of the same file, or a static one of a class.

    Of another file where no data member of the class has the name: `map(calc_erfinv)` of vec_base.h.
    """
    if definition.owner in lookup.classes:
        return _STATIC.match(definition.signature) is not None
    return definition.file_id == file_id or not is_field


def is_overriding(definition: Definition) -> bool:
    """Whether the head of `definition`, a method, says that it overrides another."""
    return " override" in definition.signature.rpartition(")")[2]


def may_override(definition: Definition) -> bool:
    """Whether `definition`, a method, may override another: its head says so, or its class elsewhere may."""
    return is_overriding(definition) or not is_declared_there(definition.signature, definition.name)
