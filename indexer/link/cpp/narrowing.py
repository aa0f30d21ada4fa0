"""Which of several functions that a call may mean are worth keeping?"""

from __future__ import annotations

import re

from indexer.extract.cpp.parameters import name_and_bracket, parameters_of
from indexer.link.cpp.declarations import Definition
from indexer.link.cpp.lookup import Lookup
from indexer.link.cpp.type_text import SPECIALIZED

_TEMPLATE = re.compile(r"template ?<((?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*)>")
_OF_TEMPLATE = re.compile(r">\s*::")

_SPECIALIZATIONS = 4
"""More definitions of one name and parameters are a template's specializations: one a file stands for all."""


def templates(found: list[Definition]) -> list[Definition]:
    """Those that can be given template arguments; of a constructor they are its class's.

    Args:
        found: functions of one name.
    """
    return [d for d in found if d.kind == "constructor" or d.signature.startswith("template")]


def needs_template_arguments(definition: Definition) -> bool:
    """Whether `definition`, a function without parameters, needs template arguments: nothing else tells them."""
    match = _TEMPLATE.match(definition.signature)
    if match is None or definition.kind == "constructor":
        return False
    parameters = match.group(1)
    if "=" in parameters or "..." in parameters:
        return False
    at = name_and_bracket(definition.signature, definition.name.rpartition("::")[2])
    if at is None or _OF_TEMPLATE.search(definition.signature, 0, at[0]):
        return False  # the parameters are those of its class
    return parameters_of(definition.signature, definition.name) == []


def narrowed(lookup: Lookup, found: list[Definition], file_id: int) -> list[Definition]:
    """Fewer candidates: the caller's own file before others, one for all specializations of a template.

    Args:
        lookup: over the definitions.
        found: what a call may mean.
        file_id: of the caller's file.

    Returns:
        Those that are left, the likeliest first.
    """
    own = [d for d in found if d.file_id == file_id]
    if own and own[0].kind == "constructor" and len({d.file_id for d in found}) > _SPECIALIZATIONS:
        # Of a template whose specializations stand in a file each, the file's own is meant.
        found = own
    elif own and len(own) < len(found):
        # The same function in other files is for other builds; another overload there is not.
        mine = {(d.name, lookup.overloads.form(d)) for d in own}
        found = [
            d
            for d in found
            if d.file_id == file_id or (d.name, lookup.overloads.form(d)) not in mine
        ]
    if len(found) > _SPECIALIZATIONS:
        first: dict[tuple[object, ...], Definition] = {}
        for d in found:
            first.setdefault((d.name, d.file_id, lookup.overloads.form(d)), d)
        # What its own file says is the likeliest; the headers of particular builds stand in folders below the others.
        # The template comes first: it alone leads on to those of its specializations that are left out here.
        found = sorted(
            first.values(),
            key=lambda d: (
                d.signature.startswith(SPECIALIZED),
                d.file_id != file_id,
                lookup.depths.get(d.file_id, 0),
            ),
        )
    return found
