"""Whom does each function call? `calls` between definitions, `operator_calls` for what the generator writes."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from indexer.extract.cpp.handles import HANDLE_TYPE
from indexer.facts.cpp import CALL, CONSTRUCT, HANDED, LAUNCH, MEMBER, NAMED
from indexer.facts.edges import KINDS, call_code
from indexer.link.ambiguity import CANDIDATES, ambiguous, told_by
from indexer.link.cpp_declarations import TENSOR, Definition
from indexer.link.cpp_lookup import Lookup
from indexer.link.file_calls import FileCalls, read_calls
from indexer.link.handed_classes import HandedClass, handed_classes
from indexer.workers import Shared, WorkerPool

_MANY = 3
"""A member called on something unknown is a candidate of at most so many classes; of more it could be anything's."""

_HOPELESS = 10
"""Not even the number of arguments tells the methods of so many classes apart."""

_SPECIALIZATIONS = 4
"""More definitions of one name and parameters are a template's specializations: one a file stands for all."""

_CANDIDATES = 8
"""No call is given more candidates than this; who reads them needs to know that it is not certain, not each one."""

_UNKNOWN_COUNT = 255

_SURELY, _MAYBE = 1, 2
"""How far a member call that is named like an operator is one, as `operator_calls` has it."""

_OF_STRUCTS = frozenset(("call", "redispatch"))
"""What the generator's struct of an operator can do (torchgen/gen.py, ComputeOperators)."""


KEPT = ()


def link(conn: sqlite3.Connection, pool: WorkerPool) -> None:
    """Resolve the calls that the extractors found."""
    known = pool.share(prepare(conn))
    tasks = ((known, chunk) for chunk in pool.chunks(read_calls(conn)))
    finish(conn, pool.ordered_map(resolve_files, tasks))


def prepare(conn: sqlite3.Connection) -> _Known:
    """What every part of the calls needs."""
    lookup = Lookup(conn)
    return _Known(lookup, operator_names(conn), _Resolver(lookup))


def compute(conn: sqlite3.Connection, known: _Known, part: int, parts: int) -> Resolved:
    """Resolve one part of the calls, from a snapshot."""
    return _resolve_all(known, read_calls(conn, part, parts))


def finish(conn: sqlite3.Connection, results: Iterable[Resolved]) -> None:
    """Insert what was resolved."""
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
    """Insert what was resolved, and how many of each file's calls end nowhere."""
    numbers = iter(resolved.rows)
    conn.executemany(
        "INSERT OR IGNORE INTO calls VALUES (?, ?, ?, ?)", zip(*[numbers] * 4, strict=True)
    )
    conn.executemany("INSERT INTO operator_calls VALUES (?, ?, ?, ?, ?, ?)", resolved.unresolved)
    conn.executemany("INSERT OR IGNORE INTO handed_classes VALUES (?, ?, ?)", resolved.handed)
    conn.executemany(
        "INSERT OR REPLACE INTO kept VALUES (?, ?, ?)",
        (
            (_LOST[origin], file_id, str(number).encode())
            for file_id, origin, number in resolved.lost
        ),
    )


def report(conn: sqlite3.Connection) -> None:
    """Say how many calls end nowhere."""
    lost = conn.execute(
        "SELECT coalesce(sum(CAST(CAST(data AS TEXT) AS INTEGER)), 0) FROM kept"
        " WHERE what IN (?, ?)",
        tuple(_LOST.values()),
    ).fetchone()[0]
    conn.execute(
        "INSERT INTO coverage (layer, file, status, detail) VALUES ('calls', NULL, 'ok', ?)",
        (
            f"{lost} calls lead out of the tree, to generated code or to a receiver whose type is not written",
        ),
    )


def operator_names(conn: sqlite3.Connection) -> frozenset[str]:
    """What the generated C++ API calls operators (torchgen/api/cpp.py, name)."""
    bases = [base for (base,) in conn.execute("SELECT DISTINCT base FROM operators")]
    return frozenset(base + suffix for base in bases for suffix in ("", "_out", "_outf", "_symint"))


_CODES = {
    origin: {kind: call_code(kind, origin) for kind in KINDS} for origin in ("syntax", "macro")
}
_LOST = {"syntax": "lost calls", "macro": "lost made calls"}
_Row = tuple[int, int, int, int]
_OperatorCall = tuple[int, str, "str | None", int, "int | None", int]


class Resolved(NamedTuple):
    """What some files' calls came to.

    Args:
        rows: of `calls`, their columns one behind the other.
        unresolved: rows of `operator_calls`.
        handed: rows of `handed_classes`.
        lost: file, origin, and how many calls end nowhere.
        unsure: callee and caller, one behind the other, of what may be something else (`indexer.link.ambiguity`).
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
    resolver: _Resolver


def resolve_files(
    task: tuple[Shared[_Known], Sequence[FileCalls]],
) -> Resolved:
    """In a worker: the calls of some files."""
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
    return _resolve_all(_Known(lookup, operators, _Resolver(lookup)), files)


def _resolve_all(known: _Known, files: Sequence[FileCalls]) -> Resolved:
    lookup, operators, resolver = known
    rows = array("q")
    unresolved: list[_OperatorCall] = []
    handed: list[HandedClass] = []
    lost: list[tuple[int, str, int]] = []
    unsure = array("q")
    for of_file in files:
        found, named, unknown = _resolve_file(of_file, lookup, resolver, operators)
        each = sorted(set(found))
        rows.extend(chain.from_iterable(each))
        candidates = (row for row in each if row[3] in CANDIDATES)
        unsure.extend(chain.from_iterable(ambiguous(candidates, resolver.names)))
        unresolved += named
        handed += handed_classes(of_file.first_id, of_file.calls, lookup)
        lost.append((of_file.file_id, of_file.origin, unknown))
    return Resolved(rows, unresolved, handed, lost, unsure)


def _resolve_file(
    of_file: FileCalls, lookup: Lookup, resolver: _Resolver, operators: frozenset[str]
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
    is_namable = [last in lookup.namable for last in lasts]
    for caller, callee, receiver, form, arguments, line, using in zip(
        calls.callers,
        calls.callees,
        calls.receivers,
        calls.forms,
        calls.arguments,
        calls.lines,
        calls.usings,
        strict=True,
    ):
        if form == HANDED:
            continue
        caller_id = first_id + caller
        place = lookup.owners.get(caller_id)
        if place is None:
            continue  # a head made by a macro that is not known
        if receiver == handle and form == CALL:
            unresolved.append((caller_id, texts[callee], HANDLE_TYPE, 0, None, line))
            continue
        if using:
            # An alias makes a name mean something that would mean nothing else.
            place = lookup.body(place[0], texts[using]), place[1]
        name, of = texts[callee], texts[receiver]
        if form == MEMBER and not of and name[:3] == "def" and (file_id, line) in lookup.bound:
            unknown += 1  # a method of pybind11's
            continue
        found: tuple[int, ...] = ()
        if is_namable[callee] or (using and lasts[callee] in lookup.namable):
            kind, found = resolver.resolve(name, of, form, arguments, place)
            for identity in found:
                rows.append((caller_id, identity, line, codes[kind]))
        if is_operator[callee] and form in (CALL, MEMBER):
            method = 0
            if form == MEMBER:
                method = resolver.is_operator(name, of, arguments, place, bool(found))
            if found and not method:
                continue
            unresolved.append(
                (caller_id, name, of or None, method,
                 None if arguments == _UNKNOWN_COUNT else arguments, line)
            )  # fmt: skip
        elif found:
            continue
        elif form != NAMED and not lasts[callee].isupper():  # of macros nobody asks
            unknown += 1
    return rows, unresolved, unknown


class _Resolver:
    """Remembers what the same call in the same place resolved to."""

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup
        self._known: dict[
            tuple[str, str, int, int, tuple[str, int]], tuple[str, tuple[int, ...]]
        ] = {}
        self._unsure: dict[tuple[str, int], tuple[list[Definition], ...]] = {}
        self.names: dict[int, str] = {}  # of the candidates

    def resolve(
        self, callee: str, receiver: str, form: int, arguments: int, place: tuple[str, int]
    ) -> tuple[str, tuple[int, ...]]:
        """The kind of a call and the functions it may end at.

        Args:
            callee: as written.
            receiver: of a member: the type it is called on, `this`, or "".
            form: as in `CallColumns`.
            arguments: how many, 255 for not known.
            place: the namespace or class of the caller, or its body (`Lookup.body`), and its file.
        """
        key = (callee, receiver, form, arguments, place)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._resolve(callee, receiver, form, arguments, place)
        return known

    def is_operator(
        self, method: str, receiver: str, arguments: int, place: tuple[str, int], is_found: bool
    ) -> int:
        """Whether a member call that is named like an operator is one: 0 for no, else `_SURELY` or `_MAYBE`.

        Args:
            method: as called.
            receiver: the type it is called on, `this`, or "".
            arguments: how many, 255 for not known.
            place: as in `resolve`.
            is_found: whether it may be a method of the tree as well.
        """
        if receiver:
            if not is_found:
                return _SURELY
            is_tensor = receiver != "this" and self._lookup.find_class(receiver, *place) == TENSOR
            return _MAYBE if is_tensor and method in self._lookup.generated else 0
        if method not in self._lookup.generated:
            return 0 if is_found else _SURELY
        # Where hardly another class has such a method, an object whose type is not written is mostly a tensor.
        found = self._of_unknown(method, arguments)
        fitting = [d for d in found[0] if self._lookup.may_mean(d, place[1])] if found else []
        if found and len({d.owner for d in fitting}) <= 1:
            return _MAYBE
        return 0 if is_found else _SURELY

    def _candidates(self, found: list[Definition]) -> tuple[str, tuple[int, ...]]:
        self.names.update((d.id, told_by(d.name, d.kind)) for d in found)
        return "candidate", tuple([d.id for d in found])

    def _resolve(
        self, callee: str, receiver: str, form: int, arguments: int, place: tuple[str, int]
    ) -> tuple[str, tuple[int, ...]]:
        lookup = self._lookup
        owner, file_id = place
        if form == MEMBER and not receiver and "::" not in callee:
            found = self._of_anything(callee, arguments, file_id)
            if len(found) > 1:
                found = _narrowed(lookup, found, file_id)
            return self._candidates(found) if found else ("", ())
        if form == MEMBER:
            found = self._members(callee, receiver, owner, file_id)
        elif callee.startswith("std::"):
            return "", ()  # the standard library's, though the tree may add overloads of its own
        else:
            found = lookup.find(callee, owner, file_id)
            if found and found[0].name.startswith("std::") and lookup.owner(owner) != owner:
                return "", ()  # `using std::swap;`
            if len(found) > 1 and any(d.file_id == file_id for d in found):
                found = [d for d in found if d.file_id == file_id or not d.is_local]
            if form == CONSTRUCT:
                found = [d for d in found if d.kind == "constructor"]
                if lookup.owner(owner) != owner:
                    # With a directive, namesakes of a local class are near.
                    found = [d for d in found if lookup.is_visible(d.owner, file_id)]
            elif form == NAMED:
                # Who names a class's member without the class may mean a variable that is one, too.
                if "::" not in callee and lookup.owner(owner) in lookup.classes:
                    return "", ()
                found = [d for d in found if d.kind not in ("constructor", "lambda")]
            elif form == LAUNCH:
                found = [d for d in found if d.kind in ("kernel", "function", "method")]
        if file_id not in lookup.test_files:
            found = [d for d in found if not d.is_of_test]
        if not found:
            return "", ()
        found = lookup.overloads.fitting(found, None if arguments == _UNKNOWN_COUNT else arguments)
        if len(found) > 1:
            found = _narrowed(lookup, found, file_id)
        if form == NAMED and len(found) == 1:
            return "reference", (found[0].id,)
        if form == NAMED and len({d.name for d in found}) > 1:
            return "", ()
        kind = _kind(found, form)
        return self._candidates(found) if kind == "candidate" else (kind, (found[0].id,))

    def _of_anything(self, method: str, arguments: int, file_id: int) -> list[Definition]:
        """Methods that a call may mean on something whose type is not written."""
        for choice in self._of_unknown(method, arguments):
            found = [d for d in choice if self._lookup.may_mean(d, file_id)]
            if len({d.owner for d in found}) <= _MANY:
                return found
        return []

    def _of_unknown(self, method: str, arguments: int) -> tuple[list[Definition], ...]:
        """Methods that take so many arguments; then, for where those are too many, those that do so best."""
        key = (method, arguments)
        known = self._unsure.get(key)
        if known is None:
            known = self._unsure[key] = self._fitting(method, arguments)
        return known

    def _fitting(self, method: str, arguments: int) -> tuple[list[Definition], ...]:
        lookup = self._lookup
        if lookup.owners_of(method) > _HOPELESS:
            return ()
        count = None if arguments == _UNKNOWN_COUNT else arguments
        named = lookup.methods.get(method, [])
        by_owner: dict[str, list[Definition]] = {}
        for definition in named:
            by_owner.setdefault(definition.owner, []).append(definition)
        # What fits one class's call says nothing about another's.
        each = [d for one in by_owner.values() for d in lookup.overloads.fitting(one, count)]
        return each, lookup.overloads.fitting(named, count)

    def _members(self, callee: str, receiver: str, owner: str, file_id: int) -> list[Definition]:
        """Methods that a member call may mean whose receiver or class is written."""
        lookup = self._lookup
        if "::" in callee:  # x.Base::f()
            return lookup.find(callee, owner, file_id)
        if receiver == "this":
            owner = lookup.owner(owner)
            return lookup.find_method(callee, owner) if owner in lookup.classes else []
        class_name = lookup.find_class(receiver, owner, file_id)
        if class_name is None:
            return []
        if class_name == TENSOR and callee in lookup.generated:
            return lookup.by_name.get(f"{TENSOR}::{callee}", [])
        # Where the class itself only declares it, as an abstract one does, it is the derived ones'.
        return lookup.find_method(callee, class_name) or lookup.find_overriding(callee, class_name)


def _narrowed(lookup: Lookup, found: list[Definition], file_id: int) -> list[Definition]:
    """Fewer candidates: the caller's own file before others, one for all specializations of a template."""
    own = [d for d in found if d.file_id == file_id]
    if own and len(own) < len(found):
        # The same function in other files is for other builds; another overload there is not.
        mine = {(d.name, lookup.overloads.form(d)) for d in own}
        found = [
            d
            for d in found
            if d.file_id == file_id or (d.name, lookup.overloads.form(d)) not in mine
        ]
    if len(found) > _SPECIALIZATIONS:
        first: dict[tuple[object, ...], Definition] = {}
        for d in found:
            first.setdefault((d.name, d.file_id, lookup.overloads.form(d)), d)
        # What its own file says is the likeliest; the headers of particular builds stand in folders below the others.
        found = sorted(
            first.values(), key=lambda d: (d.file_id != file_id, lookup.depths.get(d.file_id, 0))
        )
    return found[:_CANDIDATES]


def _kind(found: list[Definition], form: int) -> str:
    if len(found) != 1:
        return "candidate"
    if form == LAUNCH:
        return "launch"
    definition = found[0]
    if definition.kind == "constructor":
        return "constructor"
    tail = definition.signature.rpartition(")")[2]
    if definition.signature.startswith("virtual ") or " override" in tail:
        return "virtual"
    return "call"
