"""Bases, derived classes and methods of C++ classes ([class.member.lookup], [class.virtual])."""

from __future__ import annotations

import sqlite3
from abc import abstractmethod

from indexer.facts.cpp import UNSURE
from indexer.link.cpp.declarations import Asked, Declarations, Definition

Place = tuple[str, int]
"""A namespace or class, and the id of a file."""


class Methods(Declarations):
    """Finds them; what the name of a base means is for `indexer.link.cpp.lookup` to say.

    Args:
        conn: a database that holds functions, classes and using-declarations.
        asked: what for, where that is little; its answers are the same then.
    """

    def __init__(self, conn: sqlite3.Connection, asked: Asked | None = None) -> None:
        super().__init__(conn, asked)
        self._bases: dict[str, list[str]] = {}
        self._derived: dict[str, list[str]] | None = None
        self._method_owners: dict[str, int] = {}

    @abstractmethod
    def find_class(self, written: str, owner: str, file_id: int, depth: int = 0) -> str | None:
        """The class that a type's name means, or None where the tree does not define it.

        Args:
            written: the name.
            owner: the namespace, class or body that it is written in.
            file_id: of the file; 0 for what is true of all.
            depth: how many aliases have led here.
        """

    def bases(self, name: str) -> list[str]:
        """The class called `name` and its bases, the nearest first."""
        known = self._bases.get(name)
        if known is None:
            known = self._bases[name] = [name]  # set first: a class may name itself
            files = self.class_files.get(name, ())
            # What a source file has to itself derives from what its own using-declarations name.
            file_id = min(files) if len(files) == 1 else 0
            for written in self.classes.get(name, ()):
                base = self.find_class(written, name.rpartition("::")[0], file_id)
                if base is None:
                    # Whoever defines a class includes what defines its bases, with what that uses.
                    spaces = (f"{space}::{written}" for space in self.everywhere)
                    base = next((whole for whole in spaces if whole in self.classes), None)
                if base is not None and base != name:
                    known.extend(b for b in self.bases(base) if b not in known)
        return known

    def owners_of(self, method: str) -> int:
        """How many classes have a method of a name."""
        known = self._method_owners.get(method)
        if known is None:
            owners = {d.owner for d in self.methods.get(method, ()) if not d.is_of_test}
            known = self._method_owners[method] = len(owners)
        return known

    def find_method(self, name: str, class_name: str) -> list[Definition]:
        """The methods called `name` of the class called `class_name`, or those of the nearest base that has any."""
        for owner in self.bases(class_name):
            found = self.by_name.get(f"{owner}::{name}")
            if found:
                return found
        return []

    def find_any_base_s(self, name: str, class_name: str) -> list[Definition]:
        """The same as `find_method`, with the methods of another base of the class that `#if` has in the place of one.

        Of two bases that have a name neither hides the other's, which C++ has no calls for ([class.member.lookup], 6).

        Args:
            name: of the method.
            class_name: qualified.
        """
        bases = self.bases(class_name)
        found = self.find_method(name, class_name)
        if len(bases) < 3 or not found or found[0].owner == class_name:
            return found
        first = found[0].owner
        for other in bases[bases.index(first) + 1 :]:
            others = self.by_name.get(f"{other}::{name}")
            if others and other not in self.bases(first) and first not in self.bases(other):
                found = found + others
        return found

    def find_field(self, name: str, class_name: str, file_id: int) -> tuple[str, Place] | None:
        """The type of a class's data member, or of the nearest base's that has it, and where that is written.

        Args:
            name: of the member.
            class_name: qualified.
            file_id: of the file that asks.

        Returns:
            None where there is none, or several say another type.
        """
        for owner in self.bases(class_name):
            for holder in ((owner, file_id), (owner, 0)):
                fields = self.fields.get(holder)
                if fields is not None and name in fields:
                    of_type, declared_in, _ = fields[name]
                    return None if of_type == UNSURE else (of_type, (owner, declared_in))
        return None

    def sign_of_field(self, name: str, class_name: str, file_id: int) -> str | None:
        """What stands behind the type of a class's data member (`ClassFields`); None where there is none.

        Args:
            name: of the member.
            class_name: qualified, or a namespace.
            file_id: of the file that asks.
        """
        for owner in self.bases(class_name):
            for holder in ((owner, file_id), (owner, 0)):
                fields = self.fields.get(holder)
                if fields is not None and name in fields:
                    return fields[name][2]
        return None

    def is_inherited(self, name: str, class_name: str) -> bool:
        """Whether the class called `class_name` has a method called `name` from a base alone."""
        bases = self.bases(class_name)
        return f"{class_name}::{name}" not in self.by_name and any(
            f"{base}::{name}" in self.by_name for base in bases[1:]
        )

    def find_overriding(self, name: str, class_name: str) -> list[Definition]:
        """The methods called `name` of classes that derive from `class_name`, but not those of their own bases."""
        if self._derived is None:
            self._derived = {}
            for derived in self.classes:
                for base in self.bases(derived)[1:]:
                    self._derived.setdefault(base, []).append(derived)
        found: list[Definition] = []
        for derived in self._derived.get(class_name, ()):
            found.extend(self.by_name.get(f"{derived}::{name}", ()))
        return found
