"""called_by: what uses something directly: callers, operators and stubs it is a kernel of, Python names."""

from __future__ import annotations

import sqlite3

from torchtalk.answers.graph import NeighboursAnswer
from torchtalk.tools.catalog import DEFAULT_EXCLUDE
from torchtalk.tools.walks.class_methods import with_methods
from torchtalk.tools.walks.destructors import with_constructors
from torchtalk.tools.walks.field_seeds import users_of_values
from torchtalk.tools.walks.neighbours import neighbours
from torchtalk.tools.walks.seeds import find, with_binding


def called_by(
    conn: sqlite3.Connection,
    name: str,
    exclude: str = DEFAULT_EXCLUDE,
    format: str = "text",  # noqa: A002  named for people
    limit: int = 20,
    offset: int = 0,
) -> NeighboursAnswer:
    """Find what uses something directly: callers, operators and stubs it is a kernel of, Python names.

    Args:
        conn: an index.
        name: an operator, function, kernel, stub, Python name, file or `file:line`.
        exclude: kinds and origins of edges to leave out; boilerplate is counted.
        format: text, json, mermaid or dot.
        limit: most neighbours to show.
        offset: how many to pass over.

    Raises:
        BadArgument: exclude has a word that is no kind or origin.
    """
    seeds = with_constructors(conn, users_of_values(conn, find(conn, name)))
    seeds = with_methods(conn, with_binding(conn, name, seeds))
    return neighbours(conn, name, "called_by", exclude, format, limit, offset, seeds)
