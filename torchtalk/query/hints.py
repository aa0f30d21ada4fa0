"""What to say when a query cannot be run: SQLite's message, and what there is instead."""

from __future__ import annotations

import difflib
import re
import sqlite3
from pathlib import Path

from torchtalk.query.child import FUNCTIONS
from torchtalk.query.process import QueryFailed
from torchtalk.sqlfile import statements

_SQL = Path(__file__).with_suffix(".sql")
_NO_TABLE = re.compile(r"no such table: (\S+)")
_NO_COLUMN = re.compile(r"no such column: \"?([^\s\"]+)")
_AMBIGUOUS = re.compile(r"ambiguous column name: (\S+)")
_NO_FUNCTION = re.compile(r"(?:no such function|not authorized to use function): (\S+)")
_WORD = re.compile(r"\w+")
_MOST_TABLES = 6
_READING = "only reading is allowed: one SELECT, WITH, VALUES or EXPLAIN, or PRAGMA table_info(x)"


def explained(conn: sqlite3.Connection, query: str, failure: QueryFailed) -> str:
    """A message that helps to write the next query.

    Args:
        conn: the index.
        query: that failed.
        failure: with SQLite's message.
    """
    message = str(failure)
    if match := _NO_TABLE.search(message):
        return _no_table(conn, match[1])
    if match := _NO_COLUMN.search(message) or _AMBIGUOUS.search(message):
        return _no_column(conn, query, message, match[1])
    if match := _NO_FUNCTION.search(message):
        close = difflib.get_close_matches(match[1].lower(), FUNCTIONS, 3)
        hint = f"; closest: {', '.join(close)}" if close else ""
        known = "is not allowed here" if "authorized" in message else "does not exist"
        return f"the function {match[1][:80]} {known}{hint}"
    if failure.refused is not None:
        what = f"{failure.refused}: " if failure.refused else ""
        return f"{what}{_READING}"
    if "one statement" in message:
        return f"give exactly one statement; {_READING}"
    if "bindings" in message:
        return "the query has parameters (?, :name), for which there are no values; write them out"
    if "syntax error" in message or "incomplete" in message or "unrecognized" in message:
        return f"{message}; the columns of each view: torchtalk://schema, or PRAGMA table_info(v_x)"
    return message


def schema(conn: sqlite3.Connection) -> dict[str, list[str]]:
    """Every table and view of the index `conn` with its columns; those of the contract first."""
    found: dict[str, list[str]] = {}
    for row in conn.execute(statements(_SQL)["columns"]):
        found.setdefault(row[0], []).append(row[1])
    return found


def _no_table(conn: sqlite3.Connection, name: str) -> str:
    known = schema(conn)
    wanted = name.rpartition(".")[2].lower()
    close = difflib.get_close_matches(wanted, known, 4, 0.6)
    close += [k for k in known if k.startswith("v_") and wanted in k and k not in close]
    views = ", ".join(k for k in known if k.startswith("v_"))
    hint = f"closest: {', '.join(close[:4])}" if close else f"views there are: {views}, and meta"
    return f"there is no table or view {name[:80]!r}; {hint}"


def _no_column(conn: sqlite3.Connection, query: str, message: str, name: str) -> str:
    known = {table.lower(): (table, columns) for table, columns in schema(conn).items()}
    words = dict.fromkeys(word.lower() for word in _WORD.findall(query))
    named = [known[word] for word in words if word in known]
    wanted = name.rpartition(".")[2].lower()
    every = dict.fromkeys(column for _, columns in named for column in columns)
    close = difflib.get_close_matches(wanted, every, 3, 0.6)
    parts = [f"{message[:200]}"]
    if close:
        parts.append(f"closest: {', '.join(close)}")
    parts += [f"{table} has {', '.join(columns)}" for table, columns in named[:_MOST_TABLES]]
    if '"' in query and f'"{name}"' in query:
        parts.append("a text stands in single quotes")
    return "; ".join(parts)
