"""Replacing what some units told: the rows of layer 7 that an edit of their own files changes, and no others.

All units together give the tables (`indexer.write.clang`). Where units tell of other files' functions what they told
before, the rest can be brought up to date from `State`: functions of their own files, what these call, and what
nobody else mentions. Where an edit could change more, `TooFar` leaves it to the whole.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable

from indexer.facts.clang import KINDS as CLANG_KINDS
from indexer.facts.clang import Symbol, UnitFacts
from indexer.facts.edges import call_code
from indexer.write.clang import position, usr_row
from indexer.write.clang_base import Call
from indexer.write.clang_join import Places, same_function, structured_name
from indexer.write.clang_merge import is_of_lambda, without_const
from indexer.write.clang_names import check_names, keep_open
from indexer.write.clang_room import Room
from indexer.write.clang_state import Mention, State, place_key, usr_key
from indexer.write.clang_text import keep_text
from indexer.write.clang_told import Fast, TooFar, first, of_others, own

_CODES = {kind: call_code(kind, "clang") for kind in (*CLANG_KINDS, "launch")}
_INSIDE = "IN (SELECT value FROM json_each(?))"


def change_semantic(
    conn: sqlite3.Connection,
    state: State,
    units: Iterable[tuple[UnitFacts, UnitFacts]],
    fast: Fast,
) -> None:
    """Bring the layer's rows up to date, all but those that link steps make and what is said of the layer as a whole.

    Args:
        conn: a database with the layer, whose other layers are up to date.
        state: of the database; changed with it, and useless when this fails.
        units: facts of each unit that was parsed again, before and now.
        fast: what changed in the other layers.

    Raises:
        TooFar: the layer has to be written anew; the database is not whole then.
    """
    _Change(conn, state, list(units), fast).run()


class _Change:
    """One change."""

    def __init__(
        self,
        conn: sqlite3.Connection,
        state: State,
        units: list[tuple[UnitFacts, UnitFacts]],
        fast: Fast,
    ) -> None:
        self._conn = conn
        self._state = state
        self._units = units
        self._fast = fast
        self._room = Room(conn)
        # Ids that functions of the changed files had, by file; and where what stays has gone.
        self._old: dict[int, set[int]] = {}
        for identity, (_, file_id, _) in fast.before.items():
            self._old.setdefault(file_id, set()).add(identity)
        self._moved: dict[int, int] = dict(fast.moved)
        self._ids: dict[tuple[str, str, int], int] = {}
        self._first_ids: dict[tuple[str, str], int] = {}
        self._taken: set[int] = set()
        self._declared_ids: list[int] | None = None
        self._unfolded: list[int] = []
        # USRs that functions of the changed files had, by id.
        self._usrs: dict[int, str] = {}

    def run(self) -> None:
        for old, new in self._units:
            if of_others(old) != of_others(new):
                raise TooFar(f"{new.unit} tells something else of other files")
        for _, new in self._units:
            self._define(new)
        self._clear()
        self._again_of_syntax()
        check_names(self._conn, self._state, self._fast, self._taken)
        for old, new in self._units:
            self._mention(old, new)
        self._refer()
        keep_open(self._state, set().union(*self._old.values()), self._units, self._ids)
        self._drop_unfolded()
        for _, new in self._units:
            self._write(new)
        keep_text(self._conn, self._state, self._fast)

    # Functions -------------------------------------------------------------------------------

    def _define(self, unit: UnitFacts) -> None:
        """Give every definition of a unit's own file its id, and put those that only clang sees into the table."""
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
        self._old.setdefault(file_id, set()).update(left)
        conn.executemany("DELETE FROM functions WHERE id = ?", ((n,) for n in left))
        places = Places(conn, file_id)
        new: list[Symbol] = []
        taken: set[int] = set()
        for symbol in sorted(own(unit).defined.values(), key=position):
            found = same_function(symbol, places, taken)
            if found is None:
                new.append(symbol)
            else:
                taken.add(found)
                self._ids[symbol.usr, unit.unit, symbol.line] = found
        self._taken |= taken
        conn.executemany(
            "UPDATE functions SET origin = 'clang' WHERE id = ?", ((n,) for n in taken)
        )
        ids = [
            n for (n,) in conn.execute(
                "SELECT id FROM functions WHERE id >= ? AND id < ? ORDER BY id",
                (state.first, state.declared),
            )
        ]  # fmt: skip
        for symbol, identity in zip(
            new, self._room.insert(new, ids, state.first, state.declared), strict=True
        ):
            self._ids[symbol.usr, unit.unit, symbol.line] = identity

    def _clear(self) -> None:
        """Take out what the changed files' functions said."""
        mine = set(self._ids.values()).union(*self._old.values())
        chosen = (json.dumps(sorted(mine)),)
        conn = self._conn
        old = (json.dumps(sorted(set().union(*self._old.values()))),)
        self._usrs = dict(
            conn.execute(
                "SELECT function_id, usr FROM function_usrs"
                f" WHERE usr IS NOT NULL AND function_id {_INSIDE}",
                old,
            )
        )
        conn.execute(f"DELETE FROM calls WHERE caller_id {_INSIDE}", chosen)
        conn.execute(f"DELETE FROM function_usrs WHERE function_id {_INSIDE}", chosen)
        conn.execute(f"DELETE FROM function_overrides WHERE function_id {_INSIDE}", chosen)

    def _again_of_syntax(self) -> None:
        """Functions of the changed files that declarations lead to: they may have moved.

        Clang has not seen them, or knows them by another USR: a parameter is const where they are defined.
        """
        state = self._state
        plain: dict[str, list[int]] = {}
        for (usr, _, _), identity in self._ids.items():
            plain.setdefault(without_const(usr.partition(" ")[0]), []).append(identity)
        old = set().union(*self._old.values())
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
                if now is None or now in self._taken:
                    raise TooFar("a function that was only declared is another now")
                state.rows[at] = now
                self._conn.execute(
                    "INSERT OR IGNORE INTO function_usrs VALUES (?, NULL, 0)", (now,)
                )

    # Mentions --------------------------------------------------------------------------------

    def _mention(self, old_unit: UnitFacts, new_unit: UnitFacts) -> None:
        """Bring up to date which row each USR has, that a unit mentions or mentioned."""
        old, new = own(old_unit), own(new_unit)
        path = new_unit.unit
        defined_old = Counter(usr for usr, _ in old.defined)
        defined_new = Counter(usr for usr, _ in new.defined)
        first_new: dict[str, int] = {}
        for usr, line in new.defined:
            first_new.setdefault(usr, self._ids[usr, path, line])
        self._first_ids.update(((path, usr), n) for usr, n in first_new.items())
        for usr in sorted({*old.mentions, *new.mentions}):
            n_old, n_new = old.mentions[usr], new.mentions[usr]
            was, now = old.declared.get(usr, []), new.declared.get(usr, [])
            d_old, d_new = defined_old[usr], defined_new[usr]
            if not d_old and not d_new and n_old == n_new and sorted(was) == sorted(now):
                continue
            key, plain = usr_key(usr), usr_key(without_const(usr))
            known = self._state.get(key)
            if self._state.has_twin(key, plain):
                if not (
                    known
                    and d_old == d_new == known.definitions == 1
                    and n_old == n_new
                    and sorted(was) == sorted(now)
                ):
                    raise TooFar("a function is mentioned by another USR, too")
                # It has only moved, and the other one with it (`_again_of_syntax`).
                self._moved[known.row] = known.row = first_new[usr]
                self._state.put(key, known)
                continue
            if known is None and n_old:
                raise TooFar("a function is not known that was mentioned before")
            entry = known or Mention(0, 0, 0, 0, 0)
            elsewhere = entry.mentions - n_old
            defined_elsewhere = entry.definitions - d_old
            entry.mentions = elsewhere + n_new
            entry.definitions = defined_elsewhere + d_new
            if d_old or d_new:
                if defined_elsewhere:
                    if not (d_old and d_new):
                        raise TooFar("one of several definitions came or went")
                    if entry.row in self._old[self._room.files[path]]:
                        self._moved[entry.row] = first_new[usr]
                        entry.row = first_new[usr]
                elif d_new:
                    if not d_old and elsewhere:
                        raise TooFar("what was only declared is defined now")
                    if d_old:
                        self._moved[entry.row] = first_new[usr]
                    elif n_old:
                        self._unfold(entry, was)
                    entry.row = first_new[usr]
                    entry.place = 0
                else:
                    if elsewhere:
                        raise TooFar("what others call is only declared now")
                    if n_new:
                        self._declare(entry, now)
            elif not defined_elsewhere:
                self._redeclare(entry, elsewhere, was, now, bool(n_old), bool(n_new))
            self._state.put(key, entry if entry.mentions else None)
            if key != plain and (known is None) != (not entry.mentions):
                self._state.note(plain, there=known is None)

    def _redeclare(
        self,
        entry: Mention,
        elsewhere: int,
        was: list[Symbol],
        now: list[Symbol],
        mentioned_before: bool,
        mentioned: bool,
    ) -> None:
        """A function that nobody defines: the first of its declarations counts."""
        if not elsewhere:
            if mentioned_before and mentioned and place_key(first(now)) == entry.place:
                entry.same = sum(place_key(s) == entry.place for s in now)
                return
            if mentioned_before:
                self._unfold(entry, was)
            if mentioned:
                self._declare(entry, now)
            return
        entry.same += sum(place_key(s) == entry.place for s in now)
        entry.same -= sum(place_key(s) == entry.place for s in was)
        if entry.same <= 0:
            raise TooFar("the declaration that counted is gone")
        known = {place_key(s) for s in was}
        for symbol in now:
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
        self._unfolded.append(entry.row)

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

    # Rows that follow ------------------------------------------------------------------------

    def _refer(self) -> None:
        """Lead what refers to a function that has another id now to that one."""
        conn, moved = self._conn, self._moved
        mine = {n for ids in self._old.values() for n in ids if moved.get(n) != n}
        chosen = (json.dumps(sorted(mine)),)
        # All at once: what one function has been, another may be now.
        for table, key in (
            ("calls", "callee_id"), ("function_overrides", "overridden_id"),
            ("semantic_stub_kernels", "function_id"),
        ):  # fmt: skip
            names = [str(row[1]) for row in conn.execute(f"PRAGMA table_info({table})")]
            at = names.index(key)
            where = f"{key} {_INSIDE}"
            rows = conn.execute(
                f"SELECT {', '.join(names)} FROM {table} WHERE {where}", chosen
            ).fetchall()
            conn.execute(f"DELETE FROM {table} WHERE {where}", chosen)
            if table == "calls":
                rows = [row for row in rows if row[3] & 8]
            conn.executemany(
                f"INSERT OR IGNORE INTO {table} ({', '.join(names)})"
                f" VALUES ({', '.join('?' * len(names))})",
                ((*row[:at], moved[row[at]], *row[at + 1 :]) for row in rows if row[at] in moved),
            )

    def _drop_unfolded(self) -> None:
        """Take out the rows of functions that nobody mentions any more, and files that have none left."""
        conn = self._conn
        left = set(self._unfolded).difference(self._state.rows)
        files: set[int] = set()
        for identity in sorted(left):
            if identity >= self._state.first:
                sql = "DELETE FROM functions WHERE id = ? RETURNING file_id"
                files.update(row[0] for row in conn.execute(sql, (identity,)).fetchall())
            if identity not in self._taken:
                conn.execute("DELETE FROM function_usrs WHERE function_id = ?", (identity,))
        for (path,) in conn.execute(
            f"SELECT path FROM source_files WHERE id {_INSIDE} AND id >= ?"
            " AND NOT EXISTS (SELECT 1 FROM functions WHERE file_id = source_files.id)"
            " AND NOT EXISTS (SELECT 1 FROM semantic_stub_kernels WHERE file_id = source_files.id)",
            (json.dumps(sorted(files)), self._room.own_files),
        ).fetchall():
            if not path.startswith("<"):
                # A declaration there may be one of a function that is known by its name.
                raise TooFar("a file may have nothing more in it")
            conn.execute("DELETE FROM source_files WHERE path = ?", (path,))

    def _write(self, new: UnitFacts) -> None:
        """Insert the calls, overrides and kernels that a unit tells of its own file."""
        conn = self._conn
        ids = [self._id(symbol, new.unit) for symbol in new.symbols]
        own = {n for n, s in enumerate(new.symbols) if s.is_definition and s.file == new.unit}
        defined = {(s.usr, s.line): s for s in reversed([new.symbols[n] for n in own])}
        conn.executemany(
            "INSERT OR REPLACE INTO function_usrs VALUES (?, ?, ?)",
            sorted(
                (self._ids[usr, new.unit, line], *usr_row(symbol, self._room.others))
                for (usr, line), symbol in defined.items()
            ),
        )
        kernels = {n for (n,) in conn.execute("SELECT id FROM functions WHERE kind = 'kernel'")}
        rows: set[Call] = set()
        for a, b, number, line in zip(new.callers, new.callees, new.kinds, new.lines, strict=True):
            if a not in own or is_of_lambda(new.symbols[b]):
                continue
            kind = CLANG_KINDS[number]
            if kind == "call" and ids[b] in kernels:
                kind = "launch"
            rows.add((self._caller(new, a), ids[b], line, _CODES[kind]))
        conn.executemany("INSERT OR IGNORE INTO calls VALUES (?, ?, ?, ?)", sorted(rows))
        conn.executemany(
            "INSERT OR IGNORE INTO function_overrides VALUES (?, ?)",
            sorted({(ids[b], self._caller(new, a)) for a, b in new.overrides if a in own}),
        )
        file_id = self._room.files[new.unit]
        conn.execute("DELETE FROM semantic_stub_kernels WHERE file_id = ?", (file_id,))
        conn.executemany(
            "INSERT OR IGNORE INTO semantic_stub_kernels VALUES (?, ?, ?, ?, ?)",
            sorted({(k.stub, ids[k.kernel], k.form, file_id, k.line) for k in new.stub_kernels
                    if k.file == new.unit and not is_of_lambda(new.symbols[k.kernel])}),
        )  # fmt: skip

    def _caller(self, unit: UnitFacts, number: int) -> int:
        symbol = unit.symbols[number]
        return self._ids[symbol.usr, unit.unit, symbol.line]

    def _id(self, symbol: Symbol, unit: str) -> int:
        """The row that a call of a function from a unit's own file ends at."""
        if is_of_lambda(symbol):
            return -1
        own = self._first_ids.get((unit, symbol.usr))
        if own is not None:
            return own
        known = self._state.get(usr_key(symbol.usr))
        if known is None:
            raise TooFar("a function is called that nobody mentions")
        return known.row
