"""Whom does each function call? `calls` between definitions, `operator_calls` for what the generator writes."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from indexer.extract.cpp.handles import HANDLE_TYPE
from indexer.extract.cpp.python_names import PYTHON_TYPE
from indexer.facts.cpp import CALL, HANDED, MEMBER, NAMED, WITH_TEMPLATE_ARGUMENTS
from indexer.facts.edges import KINDS, call_code
from indexer.link.cpp.ambiguity import CANDIDATES, ambiguous
from indexer.link.cpp.call_resolver import Resolver
from indexer.link.cpp.file_calls import FileCalls, read_calls
from indexer.link.cpp.handed_classes import HandedClass, handed_classes
from indexer.link.cpp.lookup import Lookup
from indexer.link.cpp.open_receivers import UNKNOWN_COUNT
from indexer.link.cpp.slot_calls import SlotCalls
from indexer.workers import Shared, WorkerPool
from indexer.write.kept import kept_values, put_kept

_OF_STRUCTS = frozenset(("call", "redispatch"))
"""What the generator's struct of an operator can do (torchgen/gen.py, ComputeOperators)."""


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


_CODES = {
    origin: {kind: call_code(kind, origin) for kind in KINDS} for origin in ("syntax", "macro")
}
_LOST = {"syntax": "lost", "macro": "lost made"}
_Row = tuple[int, int, int, int]
_OperatorCall = tuple[int, str, "str | None", int, "int | None", int]


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
    unresolved: list[_OperatorCall]
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
    unresolved: list[_OperatorCall] = []
    handed: list[HandedClass] = []
    lost: list[tuple[int, str, int]] = []
    unsure = array("q")
    for of_file in files:
        found, named, unknown = _resolve_file(of_file, lookup, resolver, slots, operators)
        each = sorted(set(found))
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
        unresolved += named
        handed += handed_classes(of_file.first_id, of_file.calls, lookup)
        lost.append((of_file.file_id, of_file.origin, unknown))
    return Resolved(rows, unresolved, handed, lost, unsure)


def _resolve_file(
    of_file: FileCalls,
    lookup: Lookup,
    resolver: Resolver,
    slots: SlotCalls,
    operators: frozenset[str],
) -> tuple[list[_Row], list[_OperatorCall], int]:
    """One file's calls: those that end at definitions, those that name an operator, how many do neither."""
    unknown = 0
    file_id, first_id, calls, origin = of_file
    codes = _CODES[origin]
    rows: list[_Row] = []
    unresolved: list[_OperatorCall] = []
    texts = calls.texts
    lasts = [text.rpartition("::")[2] for text in texts]
    is_operator = [
        last in operators or (last in _OF_STRUCTS and "_ops::" in text)
        for last, text in zip(lasts, texts, strict=True)
    ]
    handle = texts.index(HANDLE_TYPE) if HANDLE_TYPE in texts else -1
    python = texts.index(PYTHON_TYPE) if PYTHON_TYPE in texts else -1
    is_namable = [last in lookup.namable for last in lasts]
    is_told = [*map(resolver.types.tells, texts)]
    for caller, callee, receiver, whole_form, arguments, line, using in zip(
        calls.callers,
        calls.callees,
        calls.receivers,
        calls.forms,
        calls.arguments,
        calls.lines,
        calls.usings,
        strict=True,
    ):
        form = whole_form & ~WITH_TEMPLATE_ARGUMENTS
        if form == HANDED:
            continue
        caller_id = first_id + caller
        place = lookup.owners.get(caller_id)
        if place is None:
            continue  # a head made by a macro that is not known
        if receiver == handle and form == CALL:
            unresolved.append((caller_id, texts[callee], HANDLE_TYPE, 0, None, line))
            continue
        if receiver == python and form == CALL:
            count = None if arguments == UNKNOWN_COUNT else arguments
            unresolved.append((caller_id, texts[callee], PYTHON_TYPE, 0, count, line))
            continue
        if using:
            # An alias makes a name mean something that would mean nothing else.
            place = lookup.body(place[0], texts[using]), place[1]
        name, of = texts[callee], texts[receiver]
        if form == MEMBER and not of and name[:3] == "def" and (file_id, line) in lookup.bound:
            unknown += 1  # a method of pybind11's
            continue
        if is_told[receiver]:
            is_known = is_operator[callee] or name in lookup.methods or name in slots.names
            of = resolver.class_of(of, name, place) if is_known else ""
        found: tuple[int, ...] = ()
        if is_namable[callee] or (using and lasts[callee] in lookup.namable):
            kind, found = resolver.resolve(name, of, whole_form, arguments, place)
            if kind == "candidate" and form == CALL and "::" in name:
                like = resolver.handed_on(caller_id, lasts[callee])
                if like:
                    kind, found = resolver.resolve(name, of, whole_form, arguments, place, like)
            for identity in found:
                rows.append((caller_id, identity, line, codes[kind]))
        if not found and name in slots.names and form in (CALL, MEMBER):
            found = slots.resolve(name, of, form, place, caller_id)
            rows += ((caller_id, identity, line, codes["virtual"]) for identity in found)
        if is_operator[callee] and form in (CALL, MEMBER):
            method = 0
            if form == MEMBER:
                method = resolver.is_operator(name, of, arguments, place, bool(found))
            if found and not method:
                continue
            unresolved.append(
                (caller_id, name, of or None, method,
                 None if arguments == UNKNOWN_COUNT else arguments, line)
            )  # fmt: skip
        elif found:
            continue
        elif form != NAMED and not lasts[callee].isupper():  # of macros nobody asks
            unknown += 1
    return rows, unresolved, unknown
