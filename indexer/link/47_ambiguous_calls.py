"""Which calls launch, and which of those with several candidates could be something else altogether?

The latter stand in `ambiguous_calls`, by both ends.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator

from indexer.link.cpp.ambiguity import CANDIDATES, CLANG, METHODS, ambiguous, told_by
from indexer.sql_lists import INSIDE, chosen
from indexer.workers import WorkerPool

_INSERT = "INSERT OR IGNORE INTO ambiguous_calls (callee_id, caller_id)"

# No other call of the same function surely leads there.
_UNSURE = (
    "NOT EXISTS (SELECT 1 FROM calls AS c WHERE c.caller_id = u.caller_id AND c.callee_id = u.callee_id"
    f" AND c.code NOT IN {CANDIDATES})"
)

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
    """Tell launches from other calls in the database `conn`, and fill `ambiguous_calls`."""
    for statement in _LAUNCHES:
        conn.execute(statement)
    conn.execute("DELETE FROM ambiguous_calls")
    if _is_told(conn):
        conn.execute(
            f"{_INSERT} SELECT callee_id, caller_id FROM temp.unsure_calls AS u WHERE {_UNSURE} ORDER BY 1, 2"
        )
    else:
        _fill(conn, None)
    conn.execute("DROP TABLE IF EXISTS temp.unsure_calls")


def _is_told(conn: sqlite3.Connection) -> bool:
    """Whether those who resolved the calls just now have told all that there are: clang's calls they do not see."""
    told = conn.execute("SELECT 1 FROM temp.sqlite_master WHERE name = 'unsure_calls'").fetchone()
    clangs = conn.execute("SELECT 1 FROM calls WHERE code = ? LIMIT 1", (CLANG,)).fetchone()
    return told is not None and clangs is None


def link_callers(conn: sqlite3.Connection, callers: Collection[int]) -> None:
    """The same for the calls of some functions, where all others are linked: none depends on another's.

    Args:
        conn: the database, in a transaction.
        callers: ids of the functions.
    """
    of = (chosen(callers),)
    for statement in _LAUNCHES:
        conn.execute(f"{statement} AND caller_id {INSIDE}", of)
    conn.execute(f"DELETE FROM ambiguous_calls WHERE caller_id {INSIDE}", of)
    _fill(conn, of[0])


def _fill(conn: sqlite3.Connection, callers: str | None) -> None:
    conn.executemany(
        f"{_INSERT} SELECT u.callee_id, u.caller_id FROM (SELECT ? AS callee_id, ? AS caller_id) AS u WHERE {_UNSURE}",
        sorted(set(_ambiguous(conn, callers))),
    )


def _ambiguous(conn: sqlite3.Connection, callers: str | None) -> Iterator[tuple[int, int]]:
    of, parameter = ("", ()) if callers is None else (f" AND caller_id {INSIDE}", (callers,))
    names: dict[int, str] = {}
    homes: dict[int, int] = {}
    for identity, name, kind, file_id in conn.execute(
        "SELECT id, name, kind, file_id FROM functions WHERE id IN"
        f" (SELECT callee_id FROM calls WHERE code IN (?, ?, ?){of})",
        (*CANDIDATES, *parameter),
    ):
        names[identity] = told_by(name, kind)
        if kind in METHODS:
            homes[identity] = file_id
    own_files = dict(
        conn.execute(
            "SELECT id, file_id FROM functions WHERE signature NOT GLOB 'template*' AND id IN"
            f" (SELECT caller_id FROM calls WHERE code IN (?, ?, ?){of})",
            (*CANDIDATES, *parameter),
        )
    )
    rows = conn.execute(
        f"SELECT caller_id, callee_id, line, code FROM calls WHERE code IN (?, ?, ?){of}"
        " ORDER BY caller_id",
        (*CANDIDATES, *parameter),
    )
    return ambiguous(rows, names, own_files, homes)
