"""Whom does each function call? `calls` between definitions, `operator_calls` for what the generator writes."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from indexer.link.cpp.ambiguity import CANDIDATES, ambiguous
from indexer.link.cpp.call_resolver import Resolver
from indexer.link.cpp.file_calls import FileCalls, read_calls
from indexer.link.cpp.file_resolution import FileResolution, OperatorCall
from indexer.link.cpp.handed_classes import HandedClass, handed_classes
from indexer.link.cpp.lookup import Lookup
from indexer.link.cpp.slot_calls import SlotCalls
from indexer.workers import Shared, WorkerPool
from indexer.write.kept import kept_values, put_kept

KEPT = ()


def link(conn: sqlite3.Connection, pool: WorkerPool) -> None:
    """Resolve the calls that the extractors found.

    Args:
        conn: the database, in a transaction.
        pool: whose workers resolve.
    """
    known = pool.share(prepare(conn))
    tasks = ((known, chunk) for chunk in pool.chunks(read_calls(conn)))
    finish(conn, pool.ordered_map(resolve_files, tasks))


def prepare(conn: sqlite3.Connection) -> _Known:
    """What every part of the calls in the database `conn` needs."""
    lookup = Lookup(conn)
    return _Known(lookup, operator_names(conn), Resolver(lookup))


def compute(conn: sqlite3.Connection, known: _Known, part: int, parts: int) -> Resolved:
    """Resolve one part of the calls.

    Args:
        conn: a snapshot of the database.
        known: what `prepare` made of it.
        part: which one, from 0.
        parts: how many there are.
    """
    return _resolve_all(known, read_calls(conn, part, parts))


def finish(conn: sqlite3.Connection, results: Iterable[Resolved]) -> None:
    """Insert what was resolved.

    Args:
        conn: the database, in a transaction.
        results: of the parts, in their order.
    """
    # An index is made faster from all rows at once than with each of them.
    indexes = conn.execute(
        "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'calls'"
        " AND sql IS NOT NULL ORDER BY name"
    ).fetchall()
    for name, _ in indexes:
        conn.execute(f'DROP INDEX "{name}"')
    told = []
    for resolved in results:
        write(conn, resolved)
        told.append(resolved.unsure)
    for _, statement in indexes:
        conn.execute(statement)
    report(conn)
    _tell_unsure(conn, told)


def _tell_unsure(conn: sqlite3.Connection, told: Sequence[array[int]]) -> None:
    """Leave to step 47 what it would have to look for."""
    conn.execute("DROP TABLE IF EXISTS temp.unsure_calls")
    conn.execute("CREATE TEMP TABLE unsure_calls (callee_id, caller_id)")
    for unsure in told:
        ends = iter(unsure)
        conn.executemany("INSERT INTO unsure_calls VALUES (?, ?)", zip(ends, ends, strict=True))


def write(conn: sqlite3.Connection, resolved: Resolved) -> None:
    """Insert what was resolved, and how many of each file's calls end nowhere.

    Args:
        conn: the database, in a transaction.
        resolved: of some files that nothing was inserted of yet.
    """
    numbers = iter(resolved.rows)
    conn.executemany(
        "INSERT OR IGNORE INTO calls VALUES (?, ?, ?, ?)", zip(*[numbers] * 4, strict=True)
    )
    conn.executemany("INSERT INTO operator_calls VALUES (?, ?, ?, ?, ?, ?)", resolved.unresolved)
    conn.executemany("INSERT OR IGNORE INTO handed_classes VALUES (?, ?, ?)", resolved.handed)
    for origin, kind in _LOST.items():
        lost = ((file, str(number).encode()) for file, of, number in resolved.lost if of == origin)
        put_kept(conn, kind, lost)


def report(conn: sqlite3.Connection) -> None:
    """Say in `coverage` of the database `conn` how many calls end nowhere."""
    lost = sum(int(number) for kind in _LOST.values() for _, number in kept_values(conn, kind))
    conn.execute(
        "INSERT INTO coverage (layer, file, status, detail) VALUES ('calls', NULL, 'ok', ?)",
        (
            f"{lost} calls lead out of the tree, to generated code or to a receiver whose type is not written",
        ),
    )


def operator_names(conn: sqlite3.Connection) -> frozenset[str]:
    """What the generated C++ API calls the operators of the database `conn` (torchgen/api/cpp.py, name)."""
    bases = [base for (base,) in conn.execute("SELECT DISTINCT base FROM operators")]
    return frozenset(base + suffix for base in bases for suffix in ("", "_out", "_outf", "_symint"))


_LOST = {"syntax": "lost", "macro": "lost made"}


class Resolved(NamedTuple):
    """What some files' calls came to.

    Args:
        rows: of `calls`, their columns one behind the other.
        unresolved: rows of `operator_calls`.
        handed: rows of `handed_classes`.
        lost: file, origin, and how many calls end nowhere.
        unsure: callee and caller, one behind the other, of what may be something else (`indexer.link.cpp.ambiguity`).
    """

    rows: array[int]
    unresolved: list[OperatorCall]
    handed: list[HandedClass]
    lost: list[tuple[int, str, int]]
    unsure: array[int]


class _Known(NamedTuple):
    """What every task needs."""

    lookup: Lookup
    operators: frozenset[str]
    resolver: Resolver


def resolve_files(
    task: tuple[Shared[_Known], Sequence[FileCalls]],
) -> Resolved:
    """In a worker: what the calls of some files come to.

    Args:
        task: what is known, and the files' calls.
    """
    shared, files = task
    return _resolve_all(shared.get(), files)


def resolve(lookup: Lookup, operators: frozenset[str], files: Sequence[FileCalls]) -> Resolved:
    """Resolve the calls of some files.

    Args:
        lookup: over all definitions.
        operators: what the generated API calls operators.
        files: their calls.

    Returns:
        What is to be written.
    """
    return _resolve_all(_Known(lookup, operators, Resolver(lookup)), files)


def _resolve_all(known: _Known, files: Sequence[FileCalls]) -> Resolved:
    lookup, operators, resolver = known
    slots = SlotCalls(lookup)
    rows = array("q")
    unresolved: list[OperatorCall] = []
    handed: list[HandedClass] = []
    lost: list[tuple[int, str, int]] = []
    unsure = array("q")
    for of_file in files:
        resolution = FileResolution(of_file, lookup, operators, resolver, slots)
        resolution.run()
        each = sorted(set(resolution.rows))
        rows.extend(chain.from_iterable(each))
        candidates = [row for row in each if row[3] in CANDIDATES]
        callers = {row[0] for row in candidates}.difference(lookup.templates)
        unsure.extend(
            chain.from_iterable(
                ambiguous(
                    candidates,
                    resolver.names,
                    dict.fromkeys(callers, of_file.file_id),
                    resolver.homes,
                )
            )
        )
        unresolved += resolution.unresolved
        handed += handed_classes(of_file.first_id, of_file.calls, lookup)
        lost.append((of_file.file_id, of_file.origin, resolution.unknown))
    return Resolved(rows, unresolved, handed, lost, unsure)
