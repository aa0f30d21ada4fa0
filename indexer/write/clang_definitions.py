"""Functions that the changed files define: which ids they had, and which they have now."""

from __future__ import annotations

import sqlite3

from indexer.facts.clang import Symbol, UnitFacts
from indexer.sql_lists import INSIDE, chosen
from indexer.write.clang import position
from indexer.write.clang_join import Places, same_function
from indexer.write.clang_merge import without_const
from indexer.write.clang_room import Room
from indexer.write.clang_state import State
from indexer.write.clang_told import Fast, TooFar, own


class Definitions:
    """The functions of the changed files.

    Args:
        conn: a database with the layer.
        state: of the database.
        fast: what changed in the other layers.
        room: for functions that only this layer has.

    Attributes:
        before: ids that they had, by file.
        ids: those that they have now, by USR, file and line.
        taken: which of these the syntax layer knows, too.
    """

    def __init__(self, conn: sqlite3.Connection, state: State, fast: Fast, room: Room) -> None:
        self._conn = conn
        self._state = state
        self._fast = fast
        self._room = room
        self.before: dict[int, set[int]] = {}
        for identity, (_, file_id, _) in fast.before.items():
            self.before.setdefault(file_id, set()).add(identity)
        self.ids: dict[tuple[str, str, int], int] = {}
        self.taken: set[int] = set()
        # USRs that they had, by id.
        self._usrs: dict[int, str] = {}

    def all_before(self) -> set[int]:
        """The ids that they had, of all files."""
        return set().union(*self.before.values())

    def define(self, unit: UnitFacts) -> None:
        """Give every definition of a unit's own file its id, and put those that only clang sees into the table.

        Args:
            unit: what is told of it now.

        Raises:
            TooFar: there is no room for one, or the file is not known.
        """
        conn, state = self._conn, self._state
        file_id = self._room.files.get(unit.unit)
        if file_id is None:
            raise TooFar(f"{unit.unit} is not in the index")
        left = [
            n for (n,) in conn.execute(
                "SELECT id FROM functions WHERE file_id = ? AND id >= ? AND id < ?",
                (file_id, state.first, state.declared),
            )
        ]  # fmt: skip
        self.before.setdefault(file_id, set()).update(left)
        conn.executemany("DELETE FROM functions WHERE id = ?", ((n,) for n in left))
        places = Places(conn, file_id, state.first)
        new: list[Symbol] = []
        taken: set[int] = set()
        for symbol in sorted(own(unit).defined.values(), key=position):
            found = same_function(symbol, places, taken)
            if found is None:
                new.append(symbol)
            else:
                taken.add(found)
                self.ids[symbol.usr, unit.unit, symbol.line] = found
        self.taken |= taken
        conn.executemany("UPDATE functions SET is_exact = 1 WHERE id = ?", ((n,) for n in taken))
        ids = [
            n for (n,) in conn.execute(
                "SELECT id FROM functions WHERE id >= ? AND id < ? ORDER BY id",
                (state.first, state.declared),
            )
        ]  # fmt: skip
        for symbol, identity in zip(
            new, self._room.insert(new, ids, state.first, state.declared), strict=True
        ):
            self.ids[symbol.usr, unit.unit, symbol.line] = identity

    def clear(self) -> None:
        """Take out what they said."""
        before = self.all_before()
        said = (chosen(before.union(self.ids.values())),)
        conn = self._conn
        self._usrs = dict(
            conn.execute(
                "SELECT function_id, usr FROM function_usrs"
                f" WHERE usr IS NOT NULL AND function_id {INSIDE}",
                (chosen(before),),
            )
        )
        conn.execute(f"DELETE FROM calls WHERE caller_id {INSIDE}", said)
        conn.execute(f"DELETE FROM function_usrs WHERE function_id {INSIDE}", said)
        conn.execute(f"DELETE FROM function_overrides WHERE function_id {INSIDE}", said)

    def lead_declarations(self) -> None:
        """Lead declarations to those that clang knows otherwise than by their USR, and that may have moved.

        Clang has not seen them, or knows them by another USR: a parameter is const where they are defined.

        Raises:
            TooFar: one came or went.
        """
        state = self._state
        plain: dict[str, list[int]] = {}
        for (usr, _, _), identity in self.ids.items():
            plain.setdefault(without_const(usr.partition(" ")[0]), []).append(identity)
        old = self.all_before()
        for at, row in enumerate(state.rows):
            if row not in old or state.definitions[at]:
                continue
            if row in self._usrs:
                twins = plain.get(without_const(self._usrs[row]), ())
                if len(twins) != 1:
                    raise TooFar("a function that is declared by another USR came or went")
                state.rows[at] = twins[0]
            elif row in self._fast.before:
                now = self._fast.moved.get(row)
                if now is None or now in self.taken:
                    raise TooFar("a function that was only declared is another now")
                state.rows[at] = now
                self._conn.execute(
                    "INSERT OR IGNORE INTO function_usrs VALUES (?, NULL, 0)", (now,)
                )
