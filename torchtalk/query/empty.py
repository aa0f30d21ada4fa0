"""Why a query has no rows: a text that its column never has, such as `operator = 'softmax'`."""

from __future__ import annotations

import re
import sqlite3

from torchtalk.query.hints import schema

_COMPARED = re.compile(r"\b(\w+)\s*=\s*'((?:[^']|'')+)'")
_WORD = re.compile(r"\w+")
_FUNCTIONS = {"v_functions": ("name",), "v_calls": ("caller", "callee")}
"""Columns of a million rows, which are looked for by the last part of a function's name."""

_LARGE = ("v_edges", "v_methods", "v_tests", *_FUNCTIONS)
_ENDS = ("source", "target")
# An operator stands there by its overloads, a function by its full name. What is called so itself comes first.
_NAMED_SO = """
SELECT name FROM (
    SELECT name, 0 AS tier, id FROM operators WHERE base = :last OR name = :text
    UNION ALL SELECT name, 1, min(id) FROM functions
              WHERE last = :last COLLATE NOCASE AND last = :last GROUP BY name
    UNION ALL SELECT name, 1, min(id) FROM stub_declarations WHERE name = :text GROUP BY name
    UNION ALL SELECT name, 1, min(id) FROM kernels WHERE name = :text GROUP BY name
) ORDER BY name <> :text, instr(name, :text) = 0, tier, id LIMIT :most
"""
_MOST_TEXTS = 4
_MOST_NAMES = 3
_SHORTEST = 3


def absent(conn: sqlite3.Connection, query: str) -> tuple[str, ...]:
    """What to say of texts that a query without rows compares columns of the views with.

    Args:
        conn: the index.
        query: that has no rows.

    Returns:
        For each text that its column has nowhere, what the column has instead.
    """
    known = schema(conn)
    words = {word.lower() for word in _WORD.findall(query)}
    views = [name for name in known if name.startswith("v_") and name in words]
    said = []
    for column, written in _COMPARED.findall(query)[:_MOST_TEXTS]:
        text = written.replace("''", "'")
        having = [view for view in views if column.lower() in known[view]]
        if len(having) != 1:
            continue  # which of them is meant, SQLite knows
        view = having[0]
        found = _instead(conn, view, column.lower(), text)
        if found is None:
            continue
        there = f"; there are {', '.join(found)}" if found else ""
        if other := _elsewhere(conn, view, known[view], text):
            there = f"; its {other} has that"
        said.append(f"no {column} of {view} is {text[:80]!r}{there}")
    return tuple(said)


def _instead(conn: sqlite3.Connection, view: str, column: str, text: str) -> list[str] | None:
    """Values with a text in them, where none is the text; None where one is, or nobody can tell in time."""
    if column in _FUNCTIONS.get(view, ()):
        rows = conn.execute(
            "SELECT DISTINCT name FROM functions WHERE last = ? COLLATE NOCASE ORDER BY name <> ?, id LIMIT ?",
            (re.split(r"::|\.", text)[-1], text, _MOST_NAMES),
        )
    elif view == "v_edges" and column in _ENDS:
        if not (text.isidentifier() or "::" in text):
            return None  # names of Python are in no index
        rows = conn.execute(
            _NAMED_SO, {"last": text.rpartition("::")[2], "text": text, "most": _MOST_NAMES}
        )
    elif view in _LARGE:
        return None
    else:
        # Two letters are in every other name.
        fits = f"instr(lower({column}), lower(?))" if len(text) >= _SHORTEST else f"{column} = ?"
        # Both are names of the schema. Nothing that a user writes stands in the statement.
        rows = conn.execute(
            f"SELECT DISTINCT {column} FROM {view} WHERE {fits}"
            f" ORDER BY {column} <> ?, NOT instr(lower({column}), '::' || lower(?)), length({column}), {column}"
            " LIMIT ?",
            (text, text, text, _MOST_NAMES),
        )
    found = [str(name) for (name,) in rows]
    return None if text in found else found


def _elsewhere(conn: sqlite3.Connection, view: str, columns: list[str], text: str) -> str:
    """Another column of a view that has a text; empty where none has, or the view is too large to look."""
    if view in _LARGE:
        return ""
    for column in columns:
        # Both are names of the schema here, too.
        if conn.execute(f"SELECT 1 FROM {view} WHERE {column} = ? LIMIT 1", (text,)).fetchone():
            return column
    return ""
