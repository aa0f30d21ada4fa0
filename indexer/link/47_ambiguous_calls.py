"""Which calls launch, and which of those with several candidates could be something else altogether?

The latter stand in `ambiguous_calls`, by both ends.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterator
from itertools import groupby
from operator import itemgetter

from indexer.facts.edges import call_code
from indexer.workers import WorkerPool

_CLANG = call_code("candidate", "clang")
_CANDIDATES = (call_code("candidate", "syntax"), _CLANG, call_code("candidate", "macro"))

_INSIDE = "IN (SELECT value FROM json_each(?))"

_LAUNCHES = (
    # What a __global__ function is called by launches it, also where the text does not show <<<…>>>.
    """
UPDATE OR IGNORE calls SET code = code & 24 | 6  -- launch, of the same origin
WHERE kind = 'call' AND callee_id IN (SELECT id FROM functions WHERE kind = 'kernel')
""",
    # Inside a template clang leaves a launch to be resolved; where there is but one kernel of the name, it is that one.
    """
UPDATE OR IGNORE calls SET code = code & 24 | 6
WHERE kind = 'candidate' AND origin = 'clang' AND callee_id IN (SELECT id FROM functions WHERE kind = 'kernel')
  AND NOT EXISTS (SELECT 1 FROM calls AS o JOIN functions AS u ON u.id = o.callee_id
                  WHERE o.caller_id = calls.caller_id AND o.line = calls.line AND o.kind = 'candidate'
                    AND o.callee_id <> calls.callee_id AND u.kind = 'kernel')
""",
)


def link(conn: sqlite3.Connection, _: WorkerPool) -> None:
    """Tell launches from other calls, and fill `ambiguous_calls`."""
    for statement in _LAUNCHES:
        conn.execute(statement)
    conn.execute("DELETE FROM ambiguous_calls")
    _fill(conn, None)


def link_callers(conn: sqlite3.Connection, callers: Collection[int]) -> None:
    """The same for the calls of some functions, where all others are linked: none depends on another's."""
    chosen = (json.dumps(sorted(callers)),)
    for statement in _LAUNCHES:
        conn.execute(f"{statement} AND caller_id {_INSIDE}", chosen)
    conn.execute(f"DELETE FROM ambiguous_calls WHERE caller_id {_INSIDE}", chosen)
    _fill(conn, chosen[0])


def _fill(conn: sqlite3.Connection, callers: str | None) -> None:
    conn.executemany(
        "INSERT OR IGNORE INTO ambiguous_calls (callee_id, caller_id) SELECT ?1, ?2"
        # Surely called from elsewhere in the same function.
        " WHERE NOT EXISTS (SELECT 1 FROM calls"
        "                   WHERE caller_id = ?2 AND callee_id = ?1 AND code NOT IN (?3, ?4, ?5))",
        ((*ends, *_CANDIDATES) for ends in sorted(set(_ambiguous(conn, callers)))),
    )


def _ambiguous(conn: sqlite3.Connection, callers: str | None) -> Iterator[tuple[int, int]]:
    """Callee and caller of each candidate of a call that may mean functions of several names.

    The candidates of one call share the last part of their name; those of two calls on a line do not. A lone one of the
    text is a method of something whose type is not written; of clang's, the one function that a template sees.
    """
    of, chosen = ("", ()) if callers is None else (f" AND caller_id {_INSIDE}", (callers,))
    names = {
        identity: (name, name.rpartition(":")[2])
        for identity, name in conn.execute(
            "SELECT id, name FROM functions WHERE id IN"
            f" (SELECT callee_id FROM calls WHERE code IN (?, ?, ?){of})",
            (*_CANDIDATES, *chosen),
        )
    }
    rows = conn.execute(
        f"SELECT caller_id, callee_id, line, code FROM calls WHERE code IN (?, ?, ?){of}"
        " ORDER BY caller_id",
        (*_CANDIDATES, *chosen),
    )
    for caller, candidates in groupby(rows, key=itemgetter(0)):
        calls: dict[tuple[int, str], list[tuple[str, int, int]]] = {}
        for _, callee, line, code in candidates:
            name, last = names[callee]
            calls.setdefault((line, last), []).append((name, callee, code))
        for found in calls.values():
            first, _, code = found[0]
            if code != _CLANG if len(found) == 1 else any(name != first for name, _, _ in found):
                for _, callee, _ in found:
                    yield callee, caller
