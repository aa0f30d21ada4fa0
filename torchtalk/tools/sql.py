"""sql: a query of somebody's own over the views, read-only and bounded."""

from __future__ import annotations

import sqlite3

from torchtalk.answers.sql import SqlAnswer
from torchtalk.arguments import BadArgument
from torchtalk.counted import counted
from torchtalk.query.empty import absent
from torchtalk.query.hints import explained
from torchtalk.query.process import QueryFailed, Result, run_query
from torchtalk.tools import queries

# Tables whose rows only one layer makes: an empty answer has to say that it was not built.
_LAYER_OF = {
    "functions": "native",
    "stub_registrations": "native",
    "bindings": "native",
    "launches": "native",
    "calls": "calls",
    "operator_calls": "calls",
    "python_classes": "python",
    "python_functions": "python",
    "python_apis": "python",
    "tests": "tests",
    "opinfos": "tests",
    "compile_entries": "compile",
    "compile_options": "compile",
    "edges": "graph",
}


def sql(conn: sqlite3.Connection, query: str, limit: int = 50) -> SqlAnswer:
    """Run a query.

    Args:
        conn: an index; the query gets a connection of its own, in a process of its own.
        query: one statement that reads.
        limit: most rows to show; all are counted, within bounds.

    Raises:
        BadArgument: it cannot be run; the message says why, and what there is instead.
    """
    if not query.strip():
        raise BadArgument("give a query: SELECT operator, file, line FROM v_operators LIMIT 5")
    database = conn.execute("PRAGMA database_list").fetchone()[2]
    try:
        result = run_query(database, query, limit)
    except QueryFailed as failure:
        raise BadArgument(explained(conn, query, failure)) from failure
    if not result.columns:
        raise BadArgument("this is no query; give one SELECT")
    return SqlAnswer(
        query=query,
        finding=_finding(result),
        notes=_notes(conn, query, result),
        columns=result.columns,
        rows=result.rows,
        total=result.total,
        is_total_exact=result.complete,
    )


def _finding(result: Result) -> str:
    shown = len(result.rows)
    total = f"{result.total:,}" if result.complete else f"more than {result.total:,}"
    if result.stopped:
        return f"{counted(shown, 'row')}; stopped there, since the time ran out"
    if shown == result.total and result.complete:
        return counted(shown, "row")
    return f"{shown} of {total} rows; more with LIMIT and OFFSET in the query, or a larger limit"


def _notes(conn: sqlite3.Connection, query: str, result: Result) -> tuple[str, ...]:
    notes = []
    if result.full:
        notes.append(
            "rows were left out for their size; ask for fewer columns, or use substr(x, n)"
        )
    if result.cut:
        notes.append(
            f"{result.cut} values were cut at 4,000 characters; substr(x, n) shows the rest"
        )
    if not result.rows:
        layers = {row["layer"]: row for row in conn.execute(queries("sql")["layers"])}
        for name in dict.fromkeys(_LAYER_OF[t] for t in result.read if t in _LAYER_OF):
            layer = layers.get(name)
            if layer is None or layer["status"] != "ok":
                why = "not built" if layer is None else f"{layer['status']} ({layer['detail']})"
                notes.append(f"layer {name}: {why}; build it with: torchtalk index")
        notes += absent(conn, query)
    return tuple(notes)
