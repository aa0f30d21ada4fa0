"""Functions that an alias gives to a template: `using Pool = HandlePool<Handle, createHandle, destroyHandle>;`.

The template calls them by its parameters' names (aten/src/ATen/cuda/detail/DeviceThreadHandles.h); who uses the alias
runs them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from indexer.extract.cpp.outline import Function, Structure

_ALIAS = re.compile(r"([A-Za-z_]\w*) = (?:typename )?[\w:]+ ?<(.*)>", re.DOTALL)
_NAME = re.compile(r"(?<![\w:])[A-Za-z_]\w*(?![\w:])")

Given = Mapping[str, tuple[str, ...]]
"""The functions that aliases give to their templates, by the names of the aliases."""


def given_functions(structure: Structure) -> Given:
    """The functions of a file that its own aliases outside of functions give to templates.

    Args:
        structure: of the file.
    """
    found: dict[str, tuple[str, ...]] = {}
    own: set[str] | None = None
    for using in structure.usings:
        match = _ALIAS.fullmatch(using.text) if using.keyword == "using" else None
        if match is None:
            continue
        if own is None:
            own = {
                function.head.name
                for function in structure.functions
                if function.head.flavour == "function"
                and not (function.scopes and function.scopes[-1].kind == "class")
            }
        names = tuple(name for name in _NAME.findall(match[2]) if name in own)
        if names:
            found[match[1]] = names
    return found


def used_of(given: Given, text: bytes, function: Function) -> Iterator[tuple[int, str]]:
    """What a function hands on by the aliases that it names, with where it names each first.

    Args:
        given: of the file.
        text: of the file, comments and literals blanked.
        function: of the file.
    """
    for alias, names in given.items():
        word = re.compile(rb"\b" + alias.encode("latin-1") + rb"\b")
        used = word.search(text, function.body, function.end)
        if used is not None:
            for name in names:
                yield used.start(), name
