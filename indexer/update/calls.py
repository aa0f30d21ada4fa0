"""Resolving the calls again that an edit of a few C++ files can have changed, and no others.

A call is resolved by the last part of its name (`indexer/link/cpp/lookup.py`). So a call of another file ends where it
did unless a definition of that last part appeared, went or changed; then its file is resolved again. Classes, macros
and headers' using-declarations and data members have wider effects: after a change of those, all calls are.
"""

from __future__ import annotations

import re
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from importlib import import_module
from itertools import chain
from typing import Any, NamedTuple

from indexer.facts.cpp import CallColumns
from indexer.link.cpp.declarations import Asked
from indexer.link.cpp.file_calls import FileCalls
from indexer.link.cpp.lookup import Lookup
from indexer.sql_lists import INSIDE, chosen
from indexer.write import calls as kept_calls
from indexer.write.calls import WRITTEN, read_calls
from indexer.write.ids import MADE

_calls = import_module("indexer.link.25_calls")

_WORD = re.compile(r"\w+")

_MOST = 0.3
"""Resolving more than this part of all files one by one takes longer than all of them in the workers."""


Load = Callable[["set[int] | None", set[int]], None]
"""Has the calls of some callers at hand, of all where that is None, and those to some callees."""


class Function(NamedTuple):
    """What calls can see of a definition, and its id."""

    id: int
    name: str
    kind: str
    signature: str
    is_anonymous: int

    @property
    def last(self) -> str:
        """The last part of its name."""
        return self.name.rpartition("::")[2]


class TooFar(Exception):
    """All calls have to be resolved again."""


def functions_of(conn: sqlite3.Connection, files: Collection[int]) -> dict[int, list[Function]]:
    """The functions of some files.

    Args:
        conn: the database.
        files: ids of the files.

    Returns:
        By the id of the file, those of each in the order of their ids; files without functions are missing.
    """
    found: dict[int, list[Function]] = defaultdict(list)
    for file_id, *row in conn.execute(
        "SELECT file_id, id, name, kind, signature, is_anonymous FROM functions"
        f" WHERE file_id {INSIDE} ORDER BY id",
        (chosen(files),),
    ):
        found[file_id].append(Function(*row))
    return found


def compare(
    before: Mapping[int, list[Function]], after: Mapping[int, list[Function]]
) -> tuple[set[str], dict[int, int]]:
    """What changed among the functions of some files.

    Args:
        before: as `functions_of` gave them before the files were read again.
        after: as it gives them now.

    Returns:
        The last parts of the names whose definitions are not the same as before, and for each
        function of all other names its id before and after.
    """
    changed: set[str] = set()
    moved: dict[int, int] = {}
    for file_id in sorted({*before, *after}):
        old, new = _by_last(before.get(file_id, [])), _by_last(after.get(file_id, []))
        for last in {*old, *new}:
            was, now = old.get(last, []), new.get(last, [])
            if [f[1:] for f in was] == [f[1:] for f in now]:
                moved.update((a.id, b.id) for a, b in zip(was, now, strict=True))
            else:
                changed.add(last)
    return changed, moved


def made_classes(functions: Mapping[int, list[Function]]) -> set[str]:
    """The classes that macros make, as far as anything can tell: those that are called like functions.

    Args:
        functions: by file, as `functions_of` gives them.

    Returns:
        The qualified names of their `operator()`.
    """
    return {
        f.name for of_file in functions.values() for f in of_file
        if f.id >= MADE and f.last == "operator()"
    }  # fmt: skip


def _by_last(functions: list[Function]) -> dict[str, list[Function]]:
    found: dict[str, list[Function]] = defaultdict(list)
    for function in functions:
        found[function.last].append(function)
    return found


def relink(
    conn: sqlite3.Connection,
    files: Collection[int],
    before: Mapping[int, list[Function]],
    changed: set[str],
    moved: Mapping[int, int],
    load: Load | None = None,
) -> set[int]:
    """Bring `calls`, `operator_calls` and `handed_classes` up to date.

    Args:
        conn: the database; its functions are those of now, its calls those of before.
        files: ids of the files that changed, also of those that are gone.
        before: the functions that they had.
        changed: last parts of names, from `compare`.
        moved: ids before and after, from `compare`.
        load: has the calls at hand of some callers, and to some callees, where not all are.

    Returns:
        The files whose calls were resolved again.

    Raises:
        TooFar: too many would have to be.
    """
    lookup = Lookup(conn, None if changed else _asked(conn, files))
    if not lookup.slots.functions.union(lookup.run_names).isdisjoint(changed):
        raise TooFar  # who calls these through a table, or an object that holds another, does not name them
    if _may_be_made(lookup, changed):
        raise TooFar  # who makes an object of a member's or an alias's class does not name it
    naming = _with_aliases(lookup, changed)
    known: dict[int, tuple[int, CallColumns]] = {}
    # Where no name means another function than before, nobody else's calls have to be looked at.
    looked_at = read_calls(conn, WRITTEN, None if naming else files)
    for total, (file_id, first, columns) in enumerate(looked_at):
        if file_id in files or not naming.isdisjoint(columns.lasts()):
            known[file_id] = first, columns
            if len(known) > max(20, _MOST * total, 3 * len(files)) and total > 1000:
                raise TooFar
    made = list(read_calls(conn, kept_calls.MADE, None if naming else files))
    again = {*known, *files} | {
        file_id for file_id, _, columns in made
        if naming and not naming.isdisjoint(columns.lasts())
    }  # fmt: skip
    for file_id, first, columns in read_calls(conn, WRITTEN, again - set(known)):
        known[file_id] = first, columns
    _remove(conn, again, before, moved, load)
    resolved = _calls.resolve(
        lookup,
        _calls.operator_names(conn),
        [
            *(FileCalls(n, *columns, "syntax") for n, columns in sorted(known.items())),
            *(FileCalls(*row, "macro") for row in made if row[0] in again),
        ],
    )
    _calls.write(conn, resolved)
    return again


def _may_be_made(lookup: Lookup, changed: set[str]) -> bool:
    """Whether a constructor may be among what changed, of a class that data members or aliases have in their types."""
    classes = lookup.class_names & changed
    if not classes:
        return False
    members = (of_type for fields in lookup.fields.values() for of_type, *_ in fields.values())
    aliases = (text for names in lookup.whole_aliases.values() for text in names.values())
    return any(not classes.isdisjoint(_WORD.findall(text)) for text in chain(members, aliases))


def _asked(conn: sqlite3.Connection, files: Collection[int]) -> Asked:
    """What has to be known to resolve the calls of some files alone."""
    names: set[str] = set()
    for what in (WRITTEN, kept_calls.MADE):
        for _, _, columns in read_calls(conn, what, files):
            names |= columns.lasts()
    return Asked(files, names)


def _with_aliases(lookup: Lookup, names: set[str]) -> set[str]:
    """The names, and those that using-declarations give to what they name."""
    leads: dict[str, set[str]] = defaultdict(set)
    for aliases in lookup.aliases.values():
        for alias, target in aliases.items():
            leads[target.rpartition("::")[2]].add(alias.rpartition("::")[2])
    found = set(names)
    pending = list(names)
    while pending:
        for alias in leads.get(pending.pop(), ()):
            if alias not in found:
                found.add(alias)
                pending.append(alias)
    return found


def _remove(
    conn: sqlite3.Connection,
    again: Collection[int],
    before: Mapping[int, list[Function]],
    moved: Mapping[int, int],
    load: Load | None,
) -> None:
    """Take out the calls that are to be resolved again, and lead the others to the new ids."""
    conn.execute("CREATE TEMP TABLE callers_again (id INTEGER PRIMARY KEY)")
    conn.execute(
        f"INSERT INTO callers_again SELECT id FROM functions WHERE file_id {INSIDE}",
        (chosen(again),),
    )
    old = [(function.id,) for functions in before.values() for function in functions]
    conn.executemany("INSERT OR IGNORE INTO callers_again VALUES (?)", old)
    shifted = [(a,) for (a,) in old if moved.get(a) != a]
    if load is not None:
        callers = {n for (n,) in conn.execute("SELECT id FROM callers_again")}
        load(callers, {n for (n,) in shifted})
    for table in ("calls", "operator_calls"):
        conn.execute(f"DELETE FROM {table} WHERE caller_id IN (SELECT id FROM callers_again)")
    conn.execute("DELETE FROM handed_classes WHERE function_id IN (SELECT id FROM callers_again)")
    conn.execute("DROP TABLE callers_again")
    conn.execute("CREATE TEMP TABLE callees_gone (id INTEGER PRIMARY KEY)")
    conn.executemany("INSERT INTO callees_gone VALUES (?)", shifted)
    rows: list[tuple[Any, ...]] = conn.execute(
        "SELECT caller_id, callee_id, line, code FROM calls WHERE callee_id IN (SELECT id FROM callees_gone)"
    ).fetchall()
    conn.execute("DELETE FROM calls WHERE callee_id IN (SELECT id FROM callees_gone)")
    conn.execute("DROP TABLE callees_gone")
    if not all(row[1] in moved for row in rows):
        raise TooFar  # a call that ends at what changed, in a file that does not name it
    conn.executemany(
        "INSERT INTO calls VALUES (?, ?, ?, ?)",
        ((caller, moved[callee], *rest) for caller, callee, *rest in rows),
    )
