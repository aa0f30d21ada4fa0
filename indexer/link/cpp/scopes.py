"""Scopes of C++ and what they use: namespaces, classes and bodies of functions, with their directives and aliases."""

from __future__ import annotations

import sqlite3

from indexer.link.cpp.declarations import Asked
from indexer.link.cpp.methods import Methods

_NO_ALIASES: dict[str, str] = {}


class CppScopes(Methods):
    """Where a name is looked up at each scope ([basic.scope], [namespace.udir]).

    Args:
        conn: a database that holds functions, classes and using-declarations.
        asked: what for, where that is little; its answers are the same then.
    """

    def __init__(self, conn: sqlite3.Connection, asked: Asked | None = None) -> None:
        super().__init__(conn, asked)
        self._levels: dict[tuple[str, int], tuple[str, ...]] = {}
        self._further: dict[tuple[str, int], tuple[str, ...]] = {}
        self._used_spaces: dict[tuple[str, int], tuple[str, ...]] = {}
        self._bodies: dict[tuple[str, str], str] = {}
        self._beside: dict[str, str] = {}
        self._hiding: dict[str, str] = {}
        self._owners: dict[str, str] = {}

    def body(self, owner: str, usings: str) -> str:
        """A scope within another that holds what using-directives and aliases say in a function's body.

        Args:
            owner: the namespace or class of the function.
            usings: as in `CallColumns`.
        """
        key = (owner, usings)
        known = self._bodies.get(key)
        if known is None:
            # What a declaration names hides what is around it; what a directive names does not, and is hidden by a
            # class's members.
            spaces = f"{owner}::{{{len(self._bodies)}}}".removeprefix("::")
            known = self._bodies[key] = f"{spaces}::{{}}"
            self._beside[spaces] = self._owners[known] = owner
            if owner in self.classes:
                self._hiding[spaces] = owner
            for using in usings.split("\n"):
                keyword, _, text = using.partition(" ")
                is_directive = keyword == "using" and text.startswith("namespace ")
                self._using(keyword, text, (spaces if is_directive else known, 0))
            # Whoever asks first whether anything has such a name has to know of these.
            names = self.aliases.get((known, 0), ())
            self.namable.update(names)
            self.alias_names.update(names)
        return known

    def owner(self, scope: str) -> str:
        """The namespace or class that a scope is, or that has the function whose body it is."""
        return self._owners.get(scope, scope)

    def level(self, scope: str, file_id: int) -> tuple[str, ...]:
        """Where a name is looked up at one scope: itself, a class's bases, and the namespaces that it uses.

        Args:
            scope: the namespace, class or body; "" for the global namespace.
            file_id: of the file whose directives count, those of headers besides; 0 for these alone.
        """
        key = (scope, file_id)
        if file_id and key not in self.directives:
            key = (scope, 0)  # as in all files that say nothing about it
        known = self._levels.get(key)
        if known is None:
            # What a body's directives name stands beside what is around it ([namespace.udir]).
            place = self._beside.get(scope, scope)
            found = list(self.bases(place)) if place in self.classes else [place]
            for holder in (key, (scope, 0)):
                for directive in self.directives.get(holder, ()):
                    found.extend(self._namespaces(directive, scope, file_id))
            known = self._levels[key] = tuple(dict.fromkeys(found))
        return known

    def further(self, scope: str, file_id: int) -> tuple[str, ...]:
        """What those namespaces use that the file's own directives name, in a scope or around it ([namespace.udir], 4).

        These names are seen as if they stood in the global namespace, mostly: so all others come first. By headers'
        directives all tests of torch see c10, and ten thousand candidates would tell little.

        Args:
            scope: the namespace, class or body; "" for the global namespace.
            file_id: of the file; 0 has no directives of its own.
        """
        key = (scope, file_id)
        known = self._further.get(key)
        if known is None:
            found = []
            for directive in self.directives.get(key, ()) if file_id else ():
                for space in self._namespaces(directive, scope, file_id):
                    for of_header in self.directives.get((space, 0), ()):
                        found.extend(self._namespaces(of_header, space, 0))
            if scope:
                found.extend(self.further(scope.rpartition("::")[0], file_id))
            known = self._further[key] = tuple(dict.fromkeys(found))
        return known

    def used(self, space: str, file_id: int) -> tuple[str, ...]:
        """What has the names of a namespace that it has not itself: what it uses, and what that uses.

        [namespace.qual], 2: `torch::TensorOptions` is c10's, since torch uses at, and at uses c10.

        Args:
            space: the namespace or class.
            file_id: of the file whose directives count, as in `level`.

        Returns:
            The nearer come first; of a class they are its bases.
        """
        key = (space, file_id)
        known = self._used_spaces.get(key)
        if known is None:
            found = list(self.level(space, file_id))
            for each in found:  # which grows
                found += [name for name in self.level(each, file_id) if name not in found]
            known = self._used_spaces[key] = tuple(found[1:])
        return known

    def farther_class(self, written: str, owner: str, file_id: int) -> str | None:
        """The class of what those namespaces use that a scope's or those around it use ([namespace.udir], 4).

        torch uses at, and at uses c10: `TensorOptions` in torch::jit is c10's. All nearer names come first.

        Args:
            written: the class's name.
            owner: the namespace, class or body that it is written in.
            file_id: of the file.

        Returns:
            Its name in full, or None.
        """
        while owner:
            for used in self.used(owner, file_id)[len(self.level(owner, file_id)) - 1 :]:
                name = f"{used}::{written}"
                if name in self.classes and self.is_visible(name, file_id):
                    return name
            owner = owner.rpartition("::")[0]
        return None

    def is_visible(self, class_name: str, file_id: int) -> bool:
        """Whether a file can mean a class: not one that another source file defines for itself.

        Args:
            class_name: qualified.
            file_id: of the file.
        """
        files = self.class_files.get(class_name)
        return files is None or 0 in files or file_id in files

    def _namespaces(self, written: str, scope: str, file_id: int) -> list[str]:
        """What of the tree the namespace in a using-directive may be, seen from a scope.

        In a body `using namespace analysis;` may mean `torch::jit::tensorexpr::analysis` where the file uses
        `torch::jit::tensorexpr` ([namespace.udir], 1: the name is looked up as others are).
        """
        found = [written]
        while scope:
            found.append(f"{scope}::{written}")
            scope = scope.rpartition("::")[0]
            for used in self.directives.get((scope, file_id), ()) if file_id else ():
                found.append(f"{used}::{written}")
        spaces = self.spaces
        return [name for name in found if spaces is None or name in spaces]

    def _alias(self, name: str, scope: str, file_id: int) -> str | None:
        if name not in self.alias_names:
            return None
        for holder in ((scope, file_id), (scope, 0)):
            target = self.aliases.get(holder, {}).get(name)
            if target is not None:
                return target
        return None

    def alias_text(
        self, written: str, scope: str, file_id: int
    ) -> tuple[str, tuple[str, int]] | None:
        """What an alias stands for, with its template arguments.

        Args:
            written: its name.
            scope: the namespace, class or body that it is written in.
            file_id: of the file.

        Returns:
            The text, and the scope and file to read that in; None for no alias.
        """
        space, _, name = written.rpartition("::")
        while True:
            for candidate in self.level(scope, file_id):
                where = "::".join(part for part in (candidate, space) if part)
                for holder in ((where, file_id), (where, 0)):
                    aliases = self.aliases.get(holder)
                    target = None if aliases is None else aliases.get(name)
                    if target is not None:
                        whole = self.whole_aliases.get(holder, _NO_ALIASES).get(name, target)
                        return whole, (where, file_id)
            if not scope:
                return None
            scope = scope.rpartition("::")[0]
