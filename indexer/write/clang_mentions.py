"""Which row each function has that the changed units mention: their own, what they call and what they declare."""

from __future__ import annotations

import sqlite3
from collections import Counter
from typing import NamedTuple

from indexer.facts.clang import Symbol, UnitFacts
from indexer.write.clang import usr_row
from indexer.write.clang_definitions import Definitions
from indexer.write.clang_join import structured_name
from indexer.write.clang_merge import is_of_lambda, without_const
from indexer.write.clang_room import Room
from indexer.write.clang_state import Mention, State, place_key, usr_key
from indexer.write.clang_told import Fast, TooFar, first, own


class _Told(NamedTuple):
    """What one unit tells of a function: how often it mentions and defines it, and how it declares it."""

    mentions: int
    definitions: int
    declarations: list[Symbol]


class Mentions:
    """What the changed units mention.

    Args:
        conn: a database with the layer.
        state: of the database; brought up to date.
        fast: what changed in the other layers.
        room: for functions that only this layer has.
        definitions: of the changed files, whose ids are given.

    Attributes:
        moved: ids before and now of functions that have another one.
        unfolded: ids of functions that are only declared and have lost one that mentioned them.
    """

    def __init__(
        self,
        conn: sqlite3.Connection,
        state: State,
        fast: Fast,
        room: Room,
        definitions: Definitions,
    ) -> None:
        self._conn = conn
        self._state = state
        self._room = room
        self._definitions = definitions
        self.moved: dict[int, int] = dict(fast.moved)
        self.unfolded: list[int] = []
        # Of several definitions in a file the first one's, by file and USR.
        self._first_ids: dict[tuple[str, str], int] = {}
        # Ids of functions that are only declared, in order; read when one has to be put between them.
        self._declared_ids: list[int] | None = None

    def change(self, old_unit: UnitFacts, new_unit: UnitFacts) -> None:
        """Bring up to date which row each USR has, that a unit mentions or mentioned.

        Args:
            old_unit: what it told before.
            new_unit: what it tells now.

        Raises:
            TooFar: a function of other units may be another now.
        """
        old, new = own(old_unit), own(new_unit)
        path = new_unit.unit
        defined_old = Counter(usr for usr, _ in old.defined)
        defined_new = Counter(usr for usr, _ in new.defined)
        first_ids: dict[str, int] = {}
        for usr, line in new.defined:
            first_ids.setdefault(usr, self._definitions.ids[usr, path, line])
        self._first_ids.update(((path, usr), n) for usr, n in first_ids.items())
        for usr in sorted({*old.mentions, *new.mentions}):
            was = _Told(old.mentions[usr], defined_old[usr], sorted(old.declared.get(usr, ())))
            now = _Told(new.mentions[usr], defined_new[usr], sorted(new.declared.get(usr, ())))
            if now.definitions or was != now:
                self._change_one(path, usr, was, now, first_ids.get(usr, 0))

    def _change_one(self, path: str, usr: str, was: _Told, now: _Told, first_id: int) -> None:
        key, plain = usr_key(usr), usr_key(without_const(usr))
        known = self._state.get(key)
        if self._state.has_twin(key, plain):
            if not (known and was == now and now.definitions == known.definitions == 1):
                raise TooFar("a function is mentioned by another USR, too")
            # It has only moved, and the other one with it (`Definitions.lead_declarations`).
            self.moved[known.row] = known.row = first_id
            self._state.put(key, known)
            return
        if known is None and was.mentions:
            raise TooFar("a function is not known that was mentioned before")
        entry = known or Mention(0, 0, 0, 0, 0)
        elsewhere = entry.mentions - was.mentions
        defined_elsewhere = entry.definitions - was.definitions
        entry.mentions = elsewhere + now.mentions
        entry.definitions = defined_elsewhere + now.definitions
        if not was.definitions and not now.definitions:
            if not defined_elsewhere:
                self._redeclare(entry, elsewhere, was, now)
        elif defined_elsewhere:
            if not (was.definitions and now.definitions):
                raise TooFar("one of several definitions came or went")
            if entry.row in self._definitions.before[self._room.files[path]]:
                self.moved[entry.row] = entry.row = first_id
        elif now.definitions:
            self._redefine(entry, elsewhere, was, first_id)
        else:
            if elsewhere:
                raise TooFar("what others call is only declared now")
            if now.mentions:
                self._declare(entry, now.declarations)
        self._state.put(key, entry if entry.mentions else None)
        if key != plain and (known is None) != (not entry.mentions):
            self._state.note(plain, there=known is None)

    def _redefine(self, entry: Mention, elsewhere: int, was: _Told, first_id: int) -> None:
        """A function that this unit alone defines."""
        if was.definitions:
            self.moved[entry.row] = first_id
        elif elsewhere:
            raise TooFar("what was only declared is defined now")
        elif was.mentions:
            self._unfold(entry, was.declarations)
        entry.row = first_id
        entry.place = 0

    def _redeclare(self, entry: Mention, elsewhere: int, was: _Told, now: _Told) -> None:
        """A function that nobody defines: the first of its declarations counts."""
        same_now = sum(place_key(s) == entry.place for s in now.declarations)
        if not elsewhere:
            if was.mentions and now.mentions and place_key(first(now.declarations)) == entry.place:
                entry.same = same_now
                return
            if was.mentions:
                self._unfold(entry, was.declarations)
            if now.mentions:
                self._declare(entry, now.declarations)
            return
        entry.same += same_now
        entry.same -= sum(place_key(s) == entry.place for s in was.declarations)
        if entry.same <= 0:
            raise TooFar("the declaration that counted is gone")
        known = {place_key(s) for s in was.declarations}
        for symbol in now.declarations:
            if place_key(symbol) not in known and place_key(symbol) != entry.place:
                if entry.row < self._state.declared:
                    raise TooFar("another declaration of a function that is known by its name")
                path, line, _, signature, _ = self._room.key(entry.row)
                if (symbol.file, symbol.line, symbol.signature) < (path, line, signature):
                    raise TooFar("another declaration comes first now")

    def _unfold(self, entry: Mention, was: list[Symbol]) -> None:
        """Note that a declaration has lost one that mentioned it."""
        if (
            entry.row < self._state.first
            and self._room.files.get(first(was).file, 0) >= self._room.own_files
        ):
            raise TooFar("a file may have nothing more in it")
        self.unfolded.append(entry.row)

    def _declare(self, entry: Mention, symbols: list[Symbol]) -> None:
        """Give a function that only one unit mentions its row: one that is there, or a new one."""
        symbol = first(symbols)
        entry.place = place_key(symbol)
        entry.same = sum(place_key(s) == entry.place for s in symbols)
        entry.row = self._row_of(symbol)

    def _row_of(self, symbol: Symbol) -> int:
        conn, state = self._conn, self._state
        if symbol.kind not in ("variable", "field") and not symbol.file.startswith("<"):
            found = conn.execute(
                "SELECT id, origin FROM functions WHERE name = ? AND id < ?",
                (structured_name(symbol.name), state.first),
            ).fetchall()
            if len(found) == 1 and found[0][1] != "clang":
                identity = int(found[0][0])
                self._room.file(symbol.file)
                conn.execute("INSERT OR IGNORE INTO function_usrs VALUES (?, NULL, 0)", (identity,))
                return identity
        row = conn.execute(
            "SELECT id FROM functions WHERE name = ? AND signature = ? AND line = ? AND file_id = ?"
            " AND replace(kind, 'stub', 'variable') = ? AND id >= ?",
            (symbol.name, symbol.signature, symbol.line, self._room.files.get(symbol.file, -1), symbol.kind,
             state.declared),
        ).fetchone()  # fmt: skip
        if row is not None:
            return int(row[0])
        if self._declared_ids is None:
            self._declared_ids = [
                n for (n,) in conn.execute(
                    "SELECT id FROM functions WHERE id >= ? ORDER BY id", (state.declared,)
                )
            ]  # fmt: skip
        (identity,) = self._room.insert([symbol], self._declared_ids, state.declared, 1 << 62)
        conn.execute(
            "INSERT INTO function_usrs VALUES (?, ?, ?)",
            (identity, *usr_row(symbol, self._room.others)),
        )
        return identity

    def row(self, symbol: Symbol, unit: str) -> int:
        """The row that a call from a unit's own file ends at.

        Args:
            symbol: that the unit calls.
            unit: its path.

        Returns:
            The function's id; -1 for what belongs to a lambda.

        Raises:
            TooFar: nobody mentions it.
        """
        if is_of_lambda(symbol):
            return -1
        own = self._first_ids.get((unit, symbol.usr))
        if own is not None:
            return own
        known = self._state.get(usr_key(symbol.usr))
        if known is None:
            raise TooFar("a function is called that nobody mentions")
        return known.row
