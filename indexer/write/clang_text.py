"""Which calls of the text stand beside clang's, where either changed."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Set

from indexer.facts.edges import BY_CLANG
from indexer.sql_lists import INSIDE, chosen
from indexer.write.clang import still_of_syntax
from indexer.write.clang_state import State
from indexer.write.clang_told import Fast
from indexer.write.makers import makers_of


def keep_text(conn: sqlite3.Connection, state: State, fast: Fast, callers: Set[int]) -> None:
    """Keep of the text's calls what clang does not know better, for functions where either changed.

    Args:
        conn: the database, with the calls by clang of now.
        state: of now.
        fast: what changed in the other layers.
        callers: functions some of whose calls by the text are not there now, though they may be the same.
    """
    again = {*callers, *(row[0] for row in fast.calls_changed)}
    again.update(_functions_of(conn, fast))
    of_them = (chosen(again),)
    conn.execute(f"DELETE FROM calls WHERE NOT {BY_CLANG} AND caller_id {INSIDE}", of_them)
    rows = conn.execute(
        f"SELECT caller_id, callee_id, line, code FROM calls WHERE caller_id {INSIDE}", of_them
    ).fetchall()
    mine = fast.calls.of(again)
    merged = {
        n for (n,) in conn.execute(
            f"SELECT id FROM functions WHERE id {INSIDE} AND origin = 'clang'", of_them
        )
    }  # fmt: skip
    partial = set(state.partial)
    unclear = _unclear(state, again)
    callees = chosen({row[1] for row in (*rows, *mine)})
    names, held, plain = {}, set(), set()
    for identity, name, kind in conn.execute(
        f"SELECT id, name, kind FROM functions WHERE id {INSIDE}", (callees,)
    ):
        names[identity] = name
        if kind == "lambda":
            held.add(identity)
        elif kind == "function":
            plain.add(identity)
    whole, makers = merged - partial, makers_of(conn)
    left = still_of_syntax(mine, rows, whole, partial, unclear, names, held, plain, makers)
    conn.executemany("INSERT OR IGNORE INTO calls VALUES (?, ?, ?, ?)", sorted(left))
    _operator_calls(conn, state, fast)


def _functions_of(conn: sqlite3.Connection, fast: Fast) -> set[int]:
    """The functions of the changed files."""
    found = conn.execute(
        f"SELECT id FROM functions WHERE file_id {INSIDE}",
        (chosen(fast.files),),
    )
    return {n for (n,) in found}


def _unclear(state: State, functions: Set[int]) -> set[tuple[int, int]]:
    """Those of some functions, with lines, where clang could not tell what is called, or did not look."""
    return {
        pair
        for pair in (
            *zip(state.open_ids, state.open_lines, strict=True),
            *zip(state.left_ids, state.left_lines, strict=True),
        )
        if pair[0] in functions
    }


def _operator_calls(conn: sqlite3.Connection, state: State, fast: Fast) -> None:
    before, after = (Counter(rows) for rows in fast.operator_calls)
    again = {row[0] for row in (before - after) + (after - before)} | _functions_of(conn, fast)
    callers = (chosen(again),)
    conn.execute(f"DELETE FROM operator_calls WHERE caller_id {INSIDE}", callers)
    whole = {
        n for (n,) in conn.execute(
            f"SELECT id FROM functions WHERE id {INSIDE} AND origin = 'clang'", callers
        )
    } - set(state.partial)  # fmt: skip
    unclear = _unclear(state, again)
    conn.executemany(
        "INSERT INTO operator_calls VALUES (?, ?, ?, ?, ?, ?)",
        (
            row
            for row in fast.operator_calls[1]
            if row[0] in again
            # As write/clang.py has it.
            and (
                row[0] not in whole or not (row[3] or row[2] is None) or (row[0], row[5]) in unclear
            )
        ),
    )
