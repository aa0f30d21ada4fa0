"""Nodes of the joined graph: a number each, that tells table and row (`edges` in schema.sql)."""

from __future__ import annotations

import functools
import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from torchtalk.answers.base import Place
from torchtalk.sqlfile import statements

FUNCTION: Final = 0
OPERATOR: Final = 1
STUB: Final = 2
KERNEL: Final = 3
PYTHON: Final = 4
CLASS: Final = 5
NATIVE: Final = 6
BINDING: Final = 7

KINDS = ("C++", "operator", "stub", "GPU kernel", "Python", "class", "bound name", "bound name")
"""What a node is, for people, by its number."""

_TABLES = (
    "functions", "operators", "stubs", "kernels", "python_functions", "python_classes", "natives",
    "bindings",
)  # fmt: skip


@dataclass(frozen=True)
class Node:
    """A node with what people know it by.

    Args:
        code: its number.
        name: in full; of a class the public name.
        place: of its definition.
        detail: signature, schema or category, as far as known.
    """

    code: int
    name: str
    place: Place
    detail: str | None = None

    @property
    def kind(self) -> str:
        """What it is, for people."""
        return KINDS[self.code & 15]


def code(kind: int, identity: int) -> int:
    """The node of a row.

    Args:
        kind: a number of `KINDS`, which the node has in its low four bits.
        identity: id of the row in the kind's table.
    """
    return identity * 16 + kind


def ids(nodes: Iterable[int], kind: int) -> list[int]:
    """The rows of the nodes of one kind."""
    return [node >> 4 for node in nodes if node & 15 == kind]


@functools.cache
def sql() -> dict[str, str]:
    """The statements that walk and describe the graph; asked for hundreds of times by one answer."""
    return statements(Path(__file__).parent / "graph.sql")


def describe(conn: sqlite3.Connection, nodes: Iterable[int]) -> dict[int, Node]:
    """Names and places of nodes.

    Args:
        conn: an index.
        nodes: codes, in any order; one that has no row is not among what is returned.
    """
    known = list(dict.fromkeys(nodes))
    found: dict[int, Node] = {}
    for kind, table in enumerate(_TABLES):
        rows = ids(known, kind)
        if rows:
            for row in conn.execute(sql()[table], {"ids": json.dumps(rows)}):
                node = code(kind, row["id"])
                found[node] = Node(
                    node, row["name"], Place(row["path"], row["line"]), row["detail"]
                )
    return found


def paths(conn: sqlite3.Connection, nodes: Iterable[int]) -> dict[int, str | None]:
    """The file that each node stands in, for so many that their names would take longer to read.

    Args:
        conn: an index.
        nodes: codes, in any order.

    Returns:
        Paths in the tree by codes; None where a node has no place.
    """
    known = list(nodes)
    found: dict[int, str | None] = {}
    cursor = tuples(conn)
    for kind, table in enumerate(_TABLES):
        rows = ids(known, kind)
        if rows:
            # SQLite looks up no more of the statement than is asked for.
            statement = f"SELECT id * 16 + {kind}, path FROM ({sql()[table]})"
            found.update(cursor.execute(statement, {"ids": json.dumps(rows)}))
    return found


def file_paths(conn: sqlite3.Connection, files: Iterable[int]) -> dict[int, str]:
    """Paths of `files`, which are ids of the index `conn`, by these ids."""
    wanted = json.dumps(list(dict.fromkeys(files)))
    return {row["id"]: row["path"] for row in conn.execute(sql()["paths"], {"ids": wanted})}


def tuples(conn: sqlite3.Connection) -> sqlite3.Cursor:
    """A cursor on the index `conn` for rows without names: a hub's are hundreds of thousands."""
    cursor = conn.cursor()
    cursor.row_factory = None
    return cursor
