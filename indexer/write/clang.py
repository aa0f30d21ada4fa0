"""Layer 7 into the tables: functions by USR, joined with those of the syntax layer, and their calls."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Container, Iterable, Mapping, Set

from indexer.facts.clang import UnitFacts
from indexer.facts.edges import KINDS, call_code
from indexer.facts.operators import Shortfall
from indexer.write.clang_base import first_ids
from indexer.write.clang_join import Places, is_constructor, last_part, same_function
from indexer.write.clang_merge import Merged, Row, merge, without_const
from indexer.write.clang_state import State, place_key, usr_key
from indexer.write.files import write_coverage
from indexer.write.heads import head_of
from indexer.write.makers import makers_of

LAYER = "semantic"
_Call = tuple[int, int, int, int]


_ANYWHERE = 0
"""In place of a line: those of the whole function."""

_OF_MACROS = call_code("call", "macro")
_THROUGH = frozenset(call_code("virtual", origin) for origin in ("syntax", "macro"))
_CALLED = frozenset(call_code("call", origin) for origin in ("syntax", "macro"))
_REFERRED = call_code("reference", "clang")
_CONSTRUCTORS = frozenset(call_code("constructor", origin) for origin in ("syntax", "macro"))
_CANDIDATES = frozenset(call_code("candidate", origin) for origin in ("syntax", "macro"))

SPACING = 256
"""Between the ids of two functions that only this layer has, so that one unit's can change alone."""

FILE_SPACING = 8
"""Between the ids of two files that only this layer has."""

_ID_BITS, _LINE_BITS, _CODE_BITS = 40, 24, 5
_ID_MASK, _LINE_MASK, _CODE_MASK = (1 << _ID_BITS) - 1, (1 << _LINE_BITS) - 1, (1 << _CODE_BITS) - 1

_ROOM = 1 << 16
"""So much more between the last that is defined and the first that is only declared."""


def write_semantic(conn: sqlite3.Connection, units: Iterable[UnitFacts]) -> State:
    """Insert what libclang told of a tree; functions that are known already keep their ids.

    Args:
        conn: a database whose other layers are written and linked, and `keep_base` was called on.
        units: in the order in which they are to count.

    Returns:
        What is needed to replace one unit's part later.
    """
    merged = merge(units)
    files = _files(conn, merged)
    generated = others(conn)
    state = State()
    identities = _functions(conn, merged, files, generated, state)
    _calls(conn, merged, identities, generated)
    conn.executemany(
        "INSERT OR IGNORE INTO function_overrides VALUES (?, ?)",
        sorted({(identities[b], identities[a]) for a, b in merged.overrides}),
    )
    conn.executemany(
        "INSERT OR IGNORE INTO semantic_stub_kernels VALUES (?, ?, ?, ?, ?)",
        sorted(
            {(k.stub, identities[n], k.form, files[k.file], k.line) for k, n in merged.stub_kernels}
        ),
    )
    for unit, status, detail in merged.coverage:
        write_coverage(conn, unit, [Shortfall(LAYER, status, detail)])
    _fill(state, merged, identities)
    return state


def _fill(state: State, merged: Merged, identities: list[int]) -> None:
    """Note where what the tables say comes from."""
    found = sorted(
        (
            usr_key(usr),
            identities[row],
            0 if defined else place_key(symbol),
            mentions,
            same,
            defined,
        )
        for usr, row, symbol, mentions, same, defined in merged.mentioned()
    )
    columns = (
        state.keys, state.rows, state.places, state.mentions, state.same, state.definitions,
    )  # fmt: skip
    for column, values in zip(columns, zip(*found, strict=True), strict=False):
        column.extend(values)
    plain = (usr_key(p) for usr, *_ in merged.mentioned() if (p := without_const(usr)) != usr)
    state.plain.extend(sorted(plain))
    state.partial.extend(sorted({identities[n] for n in merged.partial - merged.whole}))
    for identity, line in sorted({(identities[n], line) for n, line in merged.open}):
        state.open_ids.append(identity)
        state.open_lines.append(line)
    for identity, line in sorted({(identities[n], line) for n, line in merged.left}):
        state.left_ids.append(identity)
        state.left_lines.append(line)


def _files(conn: sqlite3.Connection, merged: Merged) -> dict[str, int]:
    """Ids of all files that functions stand in; those that no other layer read get rows of their own."""
    known = dict(conn.execute("SELECT path, id FROM source_files"))
    wanted = {row.file for row in merged.rows} | {kernel.file for kernel, _ in merged.stub_kernels}
    new = sorted(wanted - known.keys())
    first = first_ids(conn)["source_files"]
    conn.executemany(
        "INSERT INTO source_files (id, path, kind, size, sha) VALUES (?, ?, ?, 0, '')",
        ((first + n * FILE_SPACING, path, kind_of(path)) for n, path in enumerate(new)),
    )
    return dict(conn.execute("SELECT path, id FROM source_files"))


def kind_of(path: str) -> str:
    """The kind of a file that only this layer has: external where its `path` begins with `<`, else generated."""
    return "external" if path.startswith("<") else "generated"


def others(conn: sqlite3.Connection) -> set[str]:
    """Paths of files of the database `conn` that the tree does not have: made by a build, or of others."""
    rows = conn.execute("SELECT path FROM source_files WHERE kind IN ('generated', 'external')")
    return {path for (path,) in rows}


def _functions(
    conn: sqlite3.Connection,
    merged: Merged,
    files: dict[str, int],
    others: Set[str],
    state: State,
) -> list[int]:
    """The id of each merged function: the syntax layer's where it is the same one, else a new one."""
    places = Places(conn)
    identities = [0] * len(merged.rows)
    new: list[int] = []
    order = sorted(range(len(merged.rows)), key=lambda n: position(merged.rows[n]))
    taken: set[int] = set()
    for number in order:
        found = same_function(merged.rows[number], places, taken)
        if found is None:
            new.append(number)
        else:
            identities[number] = found
            if merged.rows[number].is_definition:
                taken.add(found)
    state.first = next_id = first_ids(conn)["functions"]
    defined = sum(merged.rows[number].is_definition for number in new)
    for offset, number in enumerate(new):
        identities[number] = next_id + offset * SPACING + (_ROOM if offset >= defined else 0)
    state.declared = next_id + defined * SPACING + _ROOM // 2
    conn.executemany(
        "UPDATE functions SET is_exact = 1 WHERE id = ?", ((n,) for n in sorted(taken))
    )
    conn.executemany(
        "INSERT INTO functions (id, name, head, kind, file_id, line, end_line, is_anonymous, is_exact)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1)",
        (
            (identities[n], *function_row(row, files[row.file]))
            for n in new for row in (merged.rows[n],)
        ),
    )  # fmt: skip
    conn.executemany(
        "INSERT OR IGNORE INTO function_usrs VALUES (?, ?, ?)",
        sorted((identities[n], *usr_row(row, others)) for n, row in enumerate(merged.rows)),
    )
    return identities


def function_row(row: Row, file_id: int) -> tuple[str, str, str, int, int, int, bool]:
    """What `functions` says of `row`, which only this layer has, behind its id; `file_id` is its file's."""
    end = max(row.line, row.end_line)
    return (
        row.name,
        head_of(row.name, row.signature),
        row.kind,
        file_id,
        row.line,
        end,
        "@aN@" in row.usr,
    )


def usr_row(row: Row, others: Set[str]) -> tuple[str | None, int]:
    """What `function_usrs` says of a function, behind its id.

    Args:
        row: the function.
        others: files that the tree does not have.
    """
    # Of what is generated or only declared it would take more room than all else that is known of it.
    usr = row.usr.partition(" ")[0] if row.is_definition and row.file not in others else None
    return usr, int(row.is_definition and row.kind not in ("variable", "field"))


def position(row: Row) -> tuple[bool, str, int, str, str, str, str]:
    """What functions are sorted by before they get their ids, `row` being one."""
    # Definitions first: a mere declaration may be one of a function that is defined elsewhere.
    return not row.is_definition, row.file, row.line, row.name, row.signature, row.kind, row.usr


def _calls(
    conn: sqlite3.Connection, merged: Merged, identities: list[int], others: Set[str]
) -> None:
    """Replace the syntax layer's calls of every function that was parsed."""
    codes = {kind: call_code(kind, "clang") for kind in KINDS}
    launch = codes["launch"]
    kernels = {n for (n,) in conn.execute("SELECT id FROM functions WHERE kind = 'kernel'")}
    generated = {identities[n] for n, row in enumerate(merged.rows) if row.file in others}
    # A million of them: as numbers they are sorted four times as fast as tuples.
    rows: set[int] = set()
    # Of calls in generated code one line each: nobody has the file to look it up.
    first: dict[tuple[int, int, int], int] = {}
    for number, callee, line, kind in merged.calls():
        caller, target = identities[number], identities[callee]
        code = launch if kind == "call" and target in kernels else codes[kind]
        if caller not in generated:
            rows.add(pack_call(caller, target, line, code))
        elif line < first.get((caller, target, code), line + 1):
            first[caller, target, code] = line
    rows.update(
        pack_call(caller, target, line, code) for (caller, target, code), line in first.items()
    )
    whole = sorted({identities[n] for n in merged.whole})
    partial = {identities[n] for n in merged.partial} - set(whole)
    left = {(identities[n], line) for n, line in merged.left}
    unclear = {(identities[n], line) for n, line in merged.open} | left
    still = _still_of_syntax(conn, rows, set(whole), partial, unclear)
    rows.update(pack_call(*call) for call in still)
    _operator_calls(conn, whole, unclear)
    index = conn.execute("SELECT sql FROM sqlite_master WHERE name = 'calls_callee'").fetchone()
    conn.execute("DROP INDEX IF EXISTS calls_callee")
    # All anew and in order: rows put between others leave half of every page empty.
    conn.execute("DELETE FROM calls")
    conn.executemany("INSERT INTO calls VALUES (?, ?, ?, ?)", map(unpack_call, sorted(rows)))
    if index is not None and index[0]:
        conn.execute(index[0])


def pack_call(caller: int, callee: int, line: int, code: int) -> int:
    """A row of `calls` as one number; they sort as the rows do.

    Args:
        caller: its id.
        callee: its id, of at most `_ID_BITS` bits.
        line: of the call, of at most `_LINE_BITS`.
        code: of the kind and the origin, of at most `_CODE_BITS`.
    """
    return ((caller << _ID_BITS | callee) << _LINE_BITS | line) << _CODE_BITS | code


def unpack_call(packed: int) -> _Call:
    """The row that `packed` was made of."""
    rest = packed >> _CODE_BITS
    ids = rest >> _LINE_BITS
    return ids >> _ID_BITS, ids & _ID_MASK, rest & _LINE_MASK, packed & _CODE_MASK


def _operator_calls(
    conn: sqlite3.Connection, whole: Iterable[int], unclear: Iterable[tuple[int, int]]
) -> None:
    """Forget what is called by an operator's name: it ends at its own function now, of the right overload.

    The names in strings are the text's alone to tell, and so is what `#if` leaves out or a template's parameter
    decides (`noise.bernoulli_(p)` where `noise` is `auto` of what depends on it).
    """
    lines: dict[int, list[int]] = defaultdict(list)
    for caller, line in unclear:
        lines[caller].append(line)
    conn.executemany(
        "DELETE FROM operator_calls WHERE caller_id = ? AND (is_member OR receiver IS NULL)"
        " AND line NOT IN (SELECT value FROM json_each(?))",
        ((n, json.dumps(lines.get(n, ()))) for n in whole),
    )


def _still_of_syntax(
    conn: sqlite3.Connection,
    rows: Iterable[int],
    whole: Set[int],
    partial: Set[int],
    unclear: Set[tuple[int, int]],
) -> set[_Call]:
    names: dict[int, str] = dict(conn.execute("SELECT id, name FROM functions"))
    held = {n for (n,) in conn.execute("SELECT id FROM functions WHERE kind = 'lambda'")}
    plain = {n for (n,) in conn.execute("SELECT id FROM functions WHERE kind = 'function'")}
    before = conn.execute("SELECT caller_id, callee_id, line, code FROM calls").fetchall()
    calls = map(unpack_call, rows)
    makers = makers_of(conn)
    return still_of_syntax(before, calls, whole, partial, unclear, names, held, plain, makers)


def still_of_syntax(
    before: Collection[_Call],
    rows: Iterable[_Call],
    whole: Container[int],
    partial: Container[int],
    unclear: Set[tuple[int, int]],
    names: Mapping[int, str],
    held: Set[int],
    plain: Set[int],
    makers: Set[str],
) -> set[_Call]:
    """The syntax layer's calls that clang does not know better.

    Where code depends on a template's parameter, is broken or left out by `#if`, a line keeps what the text says of a
    name that clang does not know there. What `std::make_shared<C>(x)` constructs, clang would find in the library. To
    clang the call of a member or variable that holds a lambda is one of a pointer, of whatever it may be, and so is
    that of a function that a table of functions holds: to the text a virtual call of what is no method. And of a
    macro's definitions in branches of an `#if` it sees the one that this build has: what another holds is known where
    clang knows nothing of that name in the whole function. Of a call with an argument that it could not read clang
    still knows which function is meant, as one that is referred to.

    Args:
        before: calls of the syntax layer.
        rows: calls by clang, of the same callers.
        whole: functions that were read without an error.
        partial: functions that were read with errors only.
        unclear: functions and lines where clang could not tell what is called, or did not look.
        names: of functions.
        held: lambdas that are known by what holds them.
        plain: functions that are no methods.
        makers: last parts of the names of templates that construct what their first argument names.
    """

    def is_held(callee: int, code: int) -> bool:
        return callee in held or (code in _THROUGH and callee in plain)

    def constructs(callee: int, code: int) -> bool:
        """Whether it is the call of a constructor, or of one of several."""
        return code in _CONSTRUCTORS or (code in _CANDIDATES and is_constructor(names[callee]))

    kept = {
        (caller, line) for caller, _, line, _ in before
        if caller in partial or (caller, line) in unclear
    }  # fmt: skip
    of_macros = {caller for caller, _, _, code in before if code == _OF_MACROS and caller in whole}
    told: dict[tuple[int, int], set[str]] = defaultdict(set)
    referred: set[tuple[int, int, int]] = set()
    called: dict[tuple[int, int], set[str]] = defaultdict(set)
    asked = kept | {
        (caller, line) for caller, callee, line, code in before
        if constructs(callee, code) or is_held(callee, code)
    }  # fmt: skip
    callers = {caller for caller, _ in asked} | of_macros
    for caller, callee, line, code in rows:
        if caller not in callers:
            continue
        if (caller, line) in asked:
            told[caller, line].add(last_part(names[callee]))
            if code == _REFERRED:
                referred.add((caller, callee, line))
            else:
                called[caller, line].add(last_part(names[callee]))
        if caller in of_macros:
            told[caller, _ANYWHERE].add(last_part(names[callee]))
    made = {place for place, lasts in told.items() if not makers.isdisjoint(lasts)}
    return {
        (caller, callee, line, code) for caller, callee, line, code in before
        if not (caller in whole or caller in partial)
        or (code == _OF_MACROS and caller in whole and last_part(names[callee]) not in told[caller, _ANYWHERE])
        or (((caller, line) in kept or is_held(callee, code) or (constructs(callee, code) and (caller, line) in made))
            and last_part(names[callee]) not in told[caller, line])
        or ((caller, line) in kept and code in _CALLED and (caller, callee, line) in referred
            and last_part(names[callee]) not in called[caller, line])
    }  # fmt: skip
