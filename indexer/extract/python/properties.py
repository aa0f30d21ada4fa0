"""Which attributes of a file's own classes are properties, which can be set, and what the module makes of classes."""

from __future__ import annotations

import ast
import functools
from collections import Counter
from collections.abc import Iterator

from indexer.extract.python.definitions import Definitions
from indexer.extract.python.scope import dotted
from indexer.facts.python import SET

_SETTER = ".setter"


class Properties:
    """The properties of one file's classes, inherited ones included.

    Args:
        definitions: the file's functions and classes.
    """

    def __init__(self, definitions: Definitions) -> None:
        self._definitions = definitions
        self._module = f"{definitions.module}."
        self._read: dict[str, bool] = {}
        self._set: dict[str, bool] = {}

    @functools.cached_property
    def setters(self) -> frozenset[str]:
        """Those that have one: `GraphModule.graph`, of which a function is decorated with `@graph.setter`."""
        return frozenset(
            found.name
            for found in self._definitions.functions
            if found.scope
            and any(dotted(each).endswith(_SETTER) for each in found.node.decorator_list)
        )

    @functools.cached_property
    def made(self) -> dict[str, str]:
        """Targets of the objects that a module makes of its own classes: of a class with a metaclass the class itself.

        What a metaclass has is looked up before what the class has (Objects/typeobject.c, type_getattro), if it is a
        property: `GroupMember.WORLD` of torch/distributed/distributed_c10d.py.
        """
        return dict(_made(self._definitions))

    def read(self, owner: str, attribute: str) -> str:
        """Target of the property that runs where an attribute is read.

        Args:
            owner: target of what it is read of.
            attribute: its name.

        Returns:
            "" where it is no property of a class of this file.
        """
        kind = self._kind(owner)
        properties = self._definitions.properties
        is_read = bool(kind) and self._look_up(f"{kind}.{attribute}", properties, self._read)
        return f"{owner[:-2]}.{attribute}" if is_read else ""

    def set(self, owner: str, attribute: str) -> str:
        """Target of the setter that runs where an attribute is given something, as `read` has it.

        Args:
            owner: target of what it is set of.
            attribute: its name.
        """
        kind = self._kind(owner)
        is_set = bool(kind) and self._look_up(f"{kind}.{attribute}", self.setters, self._set)
        return f"{owner}.{attribute}{SET}" if is_set else ""

    def _kind(self, owner: str) -> str:
        """The class of this file that a target is an object of; "" for others."""
        if owner.endswith("()") and owner.startswith(self._module):
            kind = owner[len(self._module) : -2]
            return "" if "(" in kind else kind
        return ""

    def _look_up(self, name: str, those: frozenset[str], known: dict[str, bool]) -> bool:
        """Whether an attribute of a class (`TypedStorage.device`) is one of those, its own or inherited in the file."""
        found = known.get(name)
        if found is None:
            known[name] = False  # what a class that derives from itself gets
            found = known[name] = self._is_one_of(name, those, known)
        return found

    def _is_one_of(self, name: str, those: frozenset[str], known: dict[str, bool]) -> bool:
        if name in those:
            return True
        scope, _, attribute = name.rpartition(".")
        definitions = self._definitions
        if any(a.scope == scope and a.name == attribute for a in definitions.assignments):
            return False
        if name in definitions.properties:
            return False  # its own, which has no setter
        return any(
            self._look_up(f"{dotted(base)}.{attribute}", those, known)
            for found in definitions.classes
            if found.name == scope
            for base in found.node.bases
        )


def _made(definitions: Definitions) -> Iterator[tuple[str, str]]:
    """Objects that a file makes of its own classes, once: `_world` of torch/distributed/distributed_c10d.py."""
    own = {found.name for found in definitions.classes}
    assigned = [found for found in definitions.assignments if not found.scope]
    counts = Counter(found.name for found in assigned)
    for found in assigned:
        kind = dotted(found.value.func) if isinstance(found.value, ast.Call) else ""
        if kind in own and counts[found.name] == 1:
            yield found.name, f"{definitions.module}.{kind}()"
    for each in definitions.classes:
        for keyword in each.node.keywords:
            kind = dotted(keyword.value) if keyword.arg == "metaclass" else ""
            if kind in own:
                yield each.name, f"{definitions.module}.{kind}()"
