"""Which functions may a call through a table of function pointers run? Those that the text puts into that member."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from indexer.facts.cpp import SLOT_LIST, SLOT_MEMBER, SLOT_VALUE, SLOTS_LIKE, PackedFields
from indexer.write.calls import unpacking
from indexer.write.cpp import SLOTS
from indexer.write.kept import kept_values

_DEEPEST = 3
"""Tables that are filled from tables."""


class Value(NamedTuple):
    """What is put into a member.

    Args:
        function: as written; behind a `.` a member that is read, and the name of the table that it is read from.
        of_type: the last part of the name of the member's class, "" where that is not told.
        place: the namespace or class, and the file, where that stands.
    """

    function: str
    of_type: str
    place: tuple[str, int]


class Slots:
    """The tables of the tree.

    Args:
        conn: a database that holds what files say of these.

    Attributes:
        members: by class those that are declared as pointers to functions, and the position of each.
        alike: classes whose members have the names of what they hold (`decltype(&name) name;`).
        values: by member what is assigned to it.
        lists: what lists hold: of the type as written, at the position.
        functions: last parts of the names that are put somewhere.
    """

    def __init__(self, conn: sqlite3.Connection) -> None:
        self.members: dict[str, dict[str, int]] = {}
        self.alike: set[str] = set()
        self.values: dict[str, list[Value]] = defaultdict(list)
        self.lists: dict[int, list[tuple[str, Value]]] = defaultdict(list)
        self.functions: set[str] = set()
        for file_id, data in kept_values(conn, SLOTS):
            with unpacking():
                classes = PackedFields(data).unpacked()
                for key, fields in classes:
                    self._read(key[:1], key[1:], fields, file_id)
        self.names = frozenset(self.values).union(*self.members.values())

    def _read(
        self, kind: str, scope: str, fields: tuple[tuple[str, str], ...], file_id: int
    ) -> None:
        if kind == SLOT_MEMBER:
            self.members.setdefault(scope, {}).update((n, int(at)) for n, at in fields)
        elif kind == SLOTS_LIKE:
            self.alike.add(scope)
        for slot, function in fields if kind in (SLOT_VALUE, SLOT_LIST) else ():
            of_type, _, member = slot.rpartition(":")
            value = Value(function, of_type.rpartition("::")[2], (scope, file_id))
            if not function.startswith("."):
                self.functions.add(function.rpartition("::")[2])
            if kind == SLOT_VALUE:
                self.values[member].append(value)
            else:
                self.lists[int(member)].append((of_type, value))

    def assigned(
        self, member: str, of_type: str, types: Mapping[str, str], depth: int = 0
    ) -> list[Value]:
        """What members of one name are given, also by way of other tables.

        Args:
            member: its name.
            of_type: the last part of its class's name; "" for any.
            types: the same of the type of each member that is a table.
            depth: how many tables led here.
        """
        found = []
        for value in self.values.get(member, ()):
            if of_type and value.of_type not in ("", of_type):
                continue
            if not value.function.startswith("."):
                found.append(value)
                continue
            table, _, read = value.function[1:].partition(".")
            if depth < _DEEPEST and table in types:
                found += self.assigned(read, types[table], types, depth + 1)
        return found

    def tables(self) -> set[str]:
        """The names of members that are tables, of which others are filled."""
        each = (value.function for values in self.values.values() for value in values)
        return {function[1:].partition(".")[0] for function in each if function.startswith(".")}

    def holders(self, member: str) -> list[str]:
        """The classes that declare a pointer to a function under the name `member`."""
        return [name for name, members in self.members.items() if member in members]
