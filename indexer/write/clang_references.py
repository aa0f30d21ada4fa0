"""Rows that lead to functions of the changed files, or from them: calls, overrides and kernels of stubs."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence, Set

from indexer.facts.clang import KINDS as CLANG_KINDS
from indexer.facts.clang import UnitFacts
from indexer.facts.edges import call_code, is_of_text
from indexer.sql_lists import INSIDE, chosen
from indexer.write.clang import usr_row
from indexer.write.clang_base import Call
from indexer.write.clang_definitions import Definitions
from indexer.write.clang_mentions import Mentions
from indexer.write.clang_merge import is_of_lambda
from indexer.write.clang_room import Room
from indexer.write.clang_state import State
from indexer.write.clang_told import TooFar

_CODES = {kind: call_code(kind, "clang") for kind in (*CLANG_KINDS, "launch")}


def refer(conn: sqlite3.Connection, before: Set[int], moved: Mapping[int, int]) -> set[int]:
    """Lead what refers to a function that has another id now to that one.

    Args:
        conn: the database.
        before: ids that functions of the changed files had.
        moved: ids before and now.

    Returns:
        Functions whose calls by the text were taken out, which `keep_text` has to look at.
    """
    of_text: set[int] = set()
    mine = (chosen(n for n in before if moved.get(n) != n),)
    # All at once: what one function has been, another may be now.
    for table, key in (
        ("calls", "callee_id"), ("function_overrides", "overridden_id"),
        ("semantic_stub_kernels", "function_id"),
    ):  # fmt: skip
        names = [str(row[1]) for row in conn.execute(f"PRAGMA table_info({table})")]
        at = names.index(key)
        where = f"{key} {INSIDE}"
        rows = conn.execute(
            f"SELECT {', '.join(names)} FROM {table} WHERE {where}", mine
        ).fetchall()
        conn.execute(f"DELETE FROM {table} WHERE {where}", mine)
        if table == "calls":
            code, caller = names.index("code"), names.index("caller_id")
            of_text = {row[caller] for row in rows if is_of_text(row[code])}
            rows = [row for row in rows if not is_of_text(row[code])]
        conn.executemany(
            f"INSERT OR IGNORE INTO {table} ({', '.join(names)})"
            f" VALUES ({', '.join('?' * len(names))})",
            ((*row[:at], moved[row[at]], *row[at + 1 :]) for row in rows if row[at] in moved),
        )
    return of_text


def drop_unfolded(
    conn: sqlite3.Connection, state: State, room: Room, unfolded: Iterable[int], taken: Set[int]
) -> None:
    """Take out the rows of functions that nobody mentions any more, and files that have none left.

    Args:
        conn: the database.
        state: of now.
        room: says which files only this layer has.
        unfolded: ids of functions that have lost one that mentioned them.
        taken: ids of the changed files' functions that clang sees.

    Raises:
        TooFar: a file that may still be needed has none left.
    """
    left = set(unfolded).difference(state.rows)
    files: set[int] = set()
    for identity in sorted(left):
        if identity >= state.first:
            sql = "DELETE FROM functions WHERE id = ? RETURNING file_id"
            files.update(row[0] for row in conn.execute(sql, (identity,)).fetchall())
        if identity not in taken:
            conn.execute("DELETE FROM function_usrs WHERE function_id = ?", (identity,))
    for (path,) in conn.execute(
        f"SELECT path FROM source_files WHERE id {INSIDE} AND id >= ?"
        " AND NOT EXISTS (SELECT 1 FROM functions WHERE file_id = source_files.id)"
        " AND NOT EXISTS (SELECT 1 FROM semantic_stub_kernels WHERE file_id = source_files.id)",
        (chosen(files), room.own_files),
    ).fetchall():
        if not path.startswith("<"):
            # A declaration there may be one of a function that is known by its name.
            raise TooFar("a file may have nothing more in it")
        conn.execute("DELETE FROM source_files WHERE path = ?", (path,))


def write_units(
    conn: sqlite3.Connection,
    units: Iterable[UnitFacts],
    room: Room,
    definitions: Definitions,
    mentions: Mentions,
) -> None:
    """Insert the calls, overrides and kernels that units tell of their own files.

    Args:
        conn: the database.
        units: as they are now.
        room: knows the files' ids.
        definitions: ids of what the files define.
        mentions: ids of what they call.

    Raises:
        TooFar: a function is called that nobody mentions.
    """
    kernels = {n for (n,) in conn.execute("SELECT id FROM functions WHERE kind = 'kernel'")}
    for unit in units:
        callees = [mentions.row(symbol, unit.unit) for symbol in unit.symbols]
        callers = {
            n: definitions.ids[symbol.usr, unit.unit, symbol.line]
            for n, symbol in enumerate(unit.symbols)
            if symbol.is_definition and symbol.file == unit.unit
        }
        _write_usrs(conn, unit, callers, room)
        _write_calls(conn, unit, callers, callees, kernels)
        conn.executemany(
            "INSERT OR IGNORE INTO function_overrides VALUES (?, ?)",
            sorted({(callees[b], callers[a]) for a, b in unit.overrides if a in callers}),
        )
        file_id = room.files[unit.unit]
        conn.execute("DELETE FROM semantic_stub_kernels WHERE file_id = ?", (file_id,))
        conn.executemany(
            "INSERT OR IGNORE INTO semantic_stub_kernels VALUES (?, ?, ?, ?, ?)",
            sorted({(k.stub, callees[k.kernel], k.form, file_id, k.line) for k in unit.stub_kernels
                    if k.file == unit.unit and not is_of_lambda(unit.symbols[k.kernel])}),
        )  # fmt: skip


def _write_usrs(
    conn: sqlite3.Connection, unit: UnitFacts, own: Mapping[int, int], room: Room
) -> None:
    # Of several with a USR on one line the first counts.
    defined = {own[n]: unit.symbols[n] for n in reversed(own)}
    conn.executemany(
        "INSERT OR REPLACE INTO function_usrs VALUES (?, ?, ?)",
        sorted((identity, *usr_row(symbol, room.others)) for identity, symbol in defined.items()),
    )


def _write_calls(
    conn: sqlite3.Connection,
    unit: UnitFacts,
    callers: Mapping[int, int],
    callees: Sequence[int],
    kernels: Set[int],
) -> None:
    rows: set[Call] = set()
    for a, b, number, line in zip(unit.callers, unit.callees, unit.kinds, unit.lines, strict=True):
        if a not in callers or is_of_lambda(unit.symbols[b]):
            continue
        kind = CLANG_KINDS[number]
        if kind == "call" and callees[b] in kernels:
            kind = "launch"
        rows.add((callers[a], callees[b], line, _CODES[kind]))
    conn.executemany("INSERT OR IGNORE INTO calls VALUES (?, ?, ?, ?)", sorted(rows))
