"""The classes that types' names mean where they are written, by scopes, directives and aliases ([basic.lookup])."""

from __future__ import annotations

import sqlite3

from indexer.link.cpp.declarations import Asked
from indexer.link.cpp.scopes import CppScopes

DEEPEST = 5
"""So many aliases are followed, one to the next."""


class ClassLookup(CppScopes):
    """Resolves the names of classes.

    Args:
        conn: a database that holds functions, classes and using-declarations.
        asked: what for, where that is little; its answers are the same then.
    """

    def __init__(self, conn: sqlite3.Connection, asked: Asked | None = None) -> None:
        super().__init__(conn, asked)
        self._types: dict[tuple[str, str, int], str | None] = {}

    def find_class(self, written: str, owner: str, file_id: int, depth: int = 0) -> str | None:
        """The class that a type's name means, or None where the tree does not define it.

        Args:
            written: as it stands there, without template arguments.
            owner: the scope that it is written in.
            file_id: of the file.
            depth: how many aliases have led here.
        """
        key = (written, owner, file_id)
        if key in self._types:
            return self._types[key]
        if depth > DEEPEST:
            return None  # `using T = T::type;` leads on for ever
        self._types[key] = None  # an alias may lead back here
        found = self._find_class(written, owner, file_id, depth)
        self._types[key] = found
        return found

    def _find_class(self, written: str, owner: str, file_id: int, depth: int) -> str | None:
        if written.startswith("::"):
            return written[2:] if written[2:] in self.classes else None
        first, _, rest = written.partition("::")
        scope = owner
        is_alias = first in self.alias_names
        is_used = bool(rest) and rest.rpartition("::")[2] in self.class_namable
        while True:
            level = self.level(scope, file_id)
            for candidate in level:
                name = f"{candidate}::{written}" if candidate else written
                if name in self.classes and (not file_id or self.is_visible(name, file_id)):
                    return name if candidate else self._not_hidden(name, file_id)
                found = self._used_class(name, file_id, depth) if is_used else None
                if found is not None:
                    return found
                # A namespace's own hides what directives there name. Many headers' are in none, and not seen.
                if is_alias and scope and candidate == scope:
                    found, is_last = self._of_alias(first, rest, candidate, file_id, depth)
                    if is_last:
                        return found
            for candidate in level if is_alias else ():
                found, is_last = self._of_alias(first, rest, candidate, file_id, depth)
                if is_last:
                    return found
            if not scope:
                return self.farther_class(written, owner, file_id)
            scope = scope.rpartition("::")[0]

    def _of_alias(
        self, first: str, rest: str, scope: str, file_id: int, depth: int
    ) -> tuple[str | None, bool]:
        """The class that a name means by an alias of a scope for its first part, and whether to look no further."""
        target = self._alias(first, scope, file_id)
        if target is None or target == (f"{first}::{rest}" if rest else first):
            return None, False
        whole = f"{target}::{rest}" if rest else target
        found = self.find_class(whole, scope, file_id, depth + 1)
        return found, found is not None or scope in self._owners

    def _not_hidden(self, name: str, file_id: int) -> str:
        """A class of no namespace, or its namesake in one that the file uses.

        Both would be ambiguous ([namespace.udir]): so the file does not include what defines the other.
        """
        if file_id not in self.class_files.get(name, ()):
            for directive in self.directives.get(("", file_id), ()):
                used = f"{directive}::{name}"
                if used in self.classes and self.is_visible(used, file_id):
                    return used
        return name

    def _used_class(self, name: str, file_id: int, depth: int) -> str | None:
        """What a namespace has by its using-directives and -declarations: at::Device is c10's (c10/macros/Macros.h).

        So it has the namespaces there: `at::ivalue::Future` is `c10::ivalue::Future`.
        """
        space, _, last = name.rpartition("::")
        # A class has aliases alone: `Transformer::Impl`.
        outer = "" if space in self.classes else space
        while outer:
            inner = name[len(outer) :]
            for used in self.used(outer, file_id):
                if used + inner in self.classes:
                    return used + inner
            outer = outer.rpartition("::")[0]
        target = self._alias(last, space, file_id)
        return None if target is None else self.find_class(target, space, file_id, depth + 1)
