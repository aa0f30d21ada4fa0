"""Which classes does each function hand to templates?"""

from __future__ import annotations

from indexer.facts.cpp import CALL, HANDED, WITH_TEMPLATE_ARGUMENTS, CallColumns
from indexer.link.cpp.lookup import Lookup

_CALLS = (CALL, CALL + WITH_TEMPLATE_ARGUMENTS)

HandedClass = tuple[str, int, int]
"""A row of `handed_classes`: the class, the function, the first line."""


def handed_classes(first_id: int, calls: CallColumns, lookup: Lookup) -> list[HandedClass]:
    """The classes that each function of a file hands to templates, with their bases.

    What a class does with itself, its own calls say. A template that is its base has been handed it, too: who calls
    `X::apply` of `X : Function<X>` runs what `Function` calls of X.

    Args:
        first_id: of the function that the calls number 0.
        calls: as extracted.
        lookup: over all definitions.
    """
    namable = lookup.class_namable
    is_class = [text.rpartition("::")[2] in namable for text in calls.texts]
    prefixes = [text.rpartition("::")[0] for text in calls.texts]
    is_of_class = [bool(prefix) and prefix.rpartition("::")[2] in namable for prefix in prefixes]
    found: dict[tuple[str, int], int] = {}
    for caller, callee, form, line in zip(
        calls.callers, calls.callees, calls.forms, calls.lines, strict=True
    ):
        if form == HANDED:
            if not is_class[callee]:
                continue
            written = calls.texts[callee]
        elif form in _CALLS and is_of_class[callee]:
            written = prefixes[callee]
        else:
            continue
        place = lookup.owners.get(first_id + caller)
        if place is None:
            continue
        owner, file_id = place
        class_name = lookup.find_class(written, owner, file_id)
        if class_name is None or not lookup.is_visible(class_name, file_id):
            continue
        if form in _CALLS and not lookup.is_inherited(
            calls.texts[callee].rpartition("::")[2], class_name
        ):
            continue
        for name in lookup.bases(class_name):
            if owner != name and not owner.startswith(f"{name}::"):
                key = name, first_id + caller
                found[key] = min(line, found.get(key, line))
    return [(*key, line) for key, line in found.items()]
