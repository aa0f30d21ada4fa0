"""Layer 7 into the tables: functions by USR, joined with those of the syntax layer, and their calls."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Set

from indexer.facts.clang import UnitFacts
from indexer.facts.edges import KINDS, call_code
from indexer.facts.operators import Shortfall
from indexer.write.clang_join import Places, last_part, same_function
from indexer.write.clang_merge import Merged, Row, merge
from indexer.write.files import write_coverage

LAYER = "semantic"


def write_semantic(conn: sqlite3.Connection, units: Iterable[UnitFacts]) -> None:
    """Insert what libclang told of a tree; functions that are known already keep their ids.

    Args:
        conn: a database whose other layers are written and linked.
        units: in the order in which they are to count.
    """
    merged = merge(units)
    files = _files(conn, merged)
    generated = _others(conn)
    identities = _functions(conn, merged, files, generated)
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


def _files(conn: sqlite3.Connection, merged: Merged) -> dict[str, int]:
    """Ids of all files that functions stand in; those that no other layer read get rows of their own."""
    known = dict(conn.execute("SELECT path, id FROM source_files"))
    wanted = {row.file for row in merged.rows} | {kernel.file for kernel, _ in merged.stub_kernels}
    new = sorted(wanted - known.keys())
    conn.executemany(
        "INSERT INTO source_files (path, kind, size, sha) VALUES (?, ?, 0, '')",
        ((path, "external" if path.startswith("<") else "generated") for path in new),
    )
    return dict(conn.execute("SELECT path, id FROM source_files"))


def _others(conn: sqlite3.Connection) -> set[str]:
    """Files that the tree does not have: made by a build, or of others."""
    rows = conn.execute("SELECT path FROM source_files WHERE kind IN ('generated', 'external')")
    return {path for (path,) in rows}


def _functions(
    conn: sqlite3.Connection, merged: Merged, files: dict[str, int], others: Set[str]
) -> list[int]:
    """The id of each merged function: the syntax layer's where it is the same one, else a new one."""
    places = Places(conn)
    identities = [0] * len(merged.rows)
    new: list[int] = []
    order = sorted(range(len(merged.rows)), key=lambda n: _position(merged.rows[n]))
    taken: set[int] = set()
    for number in order:
        found = same_function(merged.rows[number], places, taken)
        if found is None:
            new.append(number)
        else:
            identities[number] = found
            if merged.rows[number].is_definition:
                taken.add(found)
    next_id = int(conn.execute("SELECT coalesce(max(id), 0) + 1 FROM functions").fetchone()[0])
    for offset, number in enumerate(new):
        identities[number] = next_id + offset
    conn.executemany(
        "UPDATE functions SET origin = 'clang' WHERE id = ?", ((n,) for n in sorted(taken))
    )
    conn.executemany(
        "INSERT INTO functions (id, name, signature, kind, file_id, line, end_line, is_anonymous, origin)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'clang')",
        (
            (identities[n], row.name, row.signature, row.kind, files[row.file], row.line,
             max(row.line, row.end_line), "@aN@" in row.usr)
            for n in new for row in (merged.rows[n],)
        ),
    )  # fmt: skip
    conn.executemany(
        "INSERT OR IGNORE INTO function_usrs VALUES (?, ?, ?)",
        sorted(
            (identities[n], _shown_usr(row, others), int(row.is_definition and _is_function(row)))
            for n, row in enumerate(merged.rows)
        ),
    )
    return identities


def _shown_usr(row: Row, others: Set[str]) -> str | None:
    # Of what is generated or only declared it would take more room than all else that is known of it.
    return row.usr.partition(" ")[0] if row.is_definition and row.file not in others else None


def _is_function(row: Row) -> bool:
    return row.kind not in ("variable", "field")


def _position(row: Row) -> tuple[bool, str, int, str, str]:
    # Definitions first: a mere declaration may be one of a function that is defined elsewhere.
    return not row.is_definition, row.file, row.line, row.name, row.usr


def _calls(
    conn: sqlite3.Connection, merged: Merged, identities: list[int], others: Set[str]
) -> None:
    """Replace the syntax layer's calls of every function that was parsed."""
    codes = {kind: call_code(kind, "clang") for kind in KINDS}
    kernels = {n for (n,) in conn.execute("SELECT id FROM functions WHERE kind = 'kernel'")}
    rows: set[tuple[int, int, int, int]] = set()
    for caller, callee, line, kind in merged.calls():
        target = identities[callee]
        if kind == "call" and target in kernels:
            kind = "launch"
        rows.add((identities[caller], target, line, codes[kind]))
    generated = {identities[n] for n, row in enumerate(merged.rows) if row.file in others}
    rows = _once(rows, generated)
    whole = sorted({identities[n] for n in merged.whole})
    partial = {identities[n] for n in merged.partial} - set(whole)
    unclear = {(identities[n], line) for n, line in merged.open}
    rows |= _still_of_syntax(conn, rows, set(whole), partial, unclear)
    # What is called by an operator's name ends at its own function now, of the right overload; the names in
    # strings are the text's alone to tell.
    conn.executemany(
        "DELETE FROM operator_calls WHERE caller_id = ? AND (is_member OR receiver IS NULL)",
        ((n,) for n in whole),
    )
    index = conn.execute("SELECT sql FROM sqlite_master WHERE name = 'calls_callee'").fetchone()
    conn.execute("DROP INDEX IF EXISTS calls_callee")
    # All anew and in order: rows put between others leave half of every page empty.
    conn.execute("DELETE FROM calls")
    conn.executemany("INSERT INTO calls VALUES (?, ?, ?, ?)", sorted(rows))
    if index is not None and index[0]:
        conn.execute(index[0])


def _once(
    rows: set[tuple[int, int, int, int]], generated: Set[int]
) -> set[tuple[int, int, int, int]]:
    """The calls, but of those in generated code one line each: nobody has the file to look it up."""
    first: dict[tuple[int, int, int], int] = {}
    kept = set()
    for row in rows:
        caller, callee, line, code = row
        if caller not in generated:
            kept.add(row)
        elif line < first.get((caller, callee, code), line + 1):
            first[caller, callee, code] = line
    kept.update((caller, callee, line, code) for (caller, callee, code), line in first.items())
    return kept


def _still_of_syntax(
    conn: sqlite3.Connection,
    rows: Set[tuple[int, int, int, int]],
    whole: Set[int],
    partial: Set[int],
    unclear: Set[tuple[int, int]],
) -> set[tuple[int, int, int, int]]:
    """The syntax layer's calls that clang does not know better.

    Where code depends on a template's parameter, or is broken, a line keeps what the text says of a name that clang
    could not resolve there.
    """
    before = conn.execute(
        "SELECT c.caller_id, c.callee_id, c.line, c.code, u.name FROM calls AS c"
        " JOIN functions AS u ON u.id = c.callee_id"
    ).fetchall()
    kept = {
        (caller, line) for caller, _, line, _, _ in before
        if caller in partial or (caller, line) in unclear
    }  # fmt: skip
    names = dict(conn.execute("SELECT id, name FROM functions"))
    told: dict[tuple[int, int], set[str]] = defaultdict(set)
    for caller, callee, line, _ in rows:
        if (caller, line) in kept:
            told[caller, line].add(last_part(names[callee]))
    return {
        (caller, callee, line, code) for caller, callee, line, code, name in before
        if not (caller in whole or caller in partial)
        or ((caller, line) in kept and last_part(name) not in told[caller, line])
    }  # fmt: skip
