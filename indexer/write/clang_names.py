"""What an edit may change for functions that it does not name, and what is kept of those that were read in part."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Set

from indexer.facts.clang import UnitFacts
from indexer.sql_lists import INSIDE, chosen
from indexer.write.clang_join import structured_name
from indexer.write.clang_state import State
from indexer.write.clang_told import Fast, TooFar


def check_names(
    conn: sqlite3.Connection, state: State, fast: Fast, taken_now: Container[int]
) -> None:
    """A declaration means the tree's only function of its name: no such name may have become another's.

    Args:
        conn: the database.
        state: as it was.
        fast: what changed in the other layers.
        taken_now: ids of the changed files' functions that clang sees.

    Raises:
        TooFar: one may have.
    """
    now: Counter[str] = Counter()
    taken: Counter[str] = Counter()
    for identity, name in conn.execute(
        f"SELECT id, name FROM functions WHERE file_id {INSIDE} AND id < ?",
        (chosen(fast.files), state.first),
    ):
        now[name] += 1
        taken[name] += identity in taken_now
    before = Counter(name for name, _, _ in fast.before.values())
    was_taken = Counter(name for name, _, seen in fast.before.values() if seen)
    names = {
        name for name in {*before, *now}
        if before[name] != now[name] or was_taken[name] != taken[name]
    }  # fmt: skip
    if not names:
        return
    rows = conn.execute(
        "SELECT u.name FROM functions AS u JOIN source_files AS f ON f.id = u.file_id"
        " WHERE u.id >= ? AND f.path NOT LIKE '<%'",
        (state.declared,),
    )
    if any(structured_name(name) in names for (name,) in rows):
        raise TooFar("a name that is declared elsewhere means another function now")
    low = state.first
    known_by_name = [
        (row,) for row, defined in zip(state.rows, state.definitions, strict=True)
        if not defined and row < low
    ]  # fmt: skip
    for identity in known_by_name:
        found = conn.execute("SELECT name FROM functions WHERE id = ?", identity).fetchone()
        if found is not None and found[0] in names:
            raise TooFar("a name that is declared elsewhere means several functions now")


def keep_open(
    state: State,
    mine: Set[int],
    units: Iterable[tuple[UnitFacts, UnitFacts]],
    numbers: Mapping[tuple[str, str, int], int],
) -> None:
    """Bring up to date what is kept of functions that could not be read whole.

    Args:
        state: is changed.
        mine: ids that functions of the changed files had.
        units: facts before and now.
        numbers: ids of what is defined, by USR, file and line.
    """
    kept, left = (
        {pair for pair in zip(ids, lines, strict=True) if pair[0] not in mine}
        for ids, lines in (
            (state.open_ids, state.open_lines),
            (state.left_ids, state.left_lines),
        )
    )
    partial = {n for n in state.partial if n not in mine}
    for _, unit in units:
        ids = {
            n: numbers[symbol.usr, unit.unit, symbol.line]
            for n, symbol in enumerate(unit.symbols)
            if symbol.is_definition and symbol.file == unit.unit
        }
        pairs = zip(unit.open_callers, unit.open_lines, strict=True)
        kept |= {(ids[n], line) for n, line in pairs if n in ids}
        pairs = zip(unit.left_callers, unit.left_lines, strict=True)
        left |= {(ids[n], line) for n, line in pairs if n in ids}
        if unit.status != "ok":
            partial.update(ids.values())
    del state.open_ids[:], state.open_lines[:], state.left_ids[:], state.left_lines[:]
    del state.partial[:]
    for identity, line in sorted(kept):
        state.open_ids.append(identity)
        state.open_lines.append(line)
    for identity, line in sorted(left):
        state.left_ids.append(identity)
        state.left_lines.append(line)
    state.partial.extend(sorted(partial))
