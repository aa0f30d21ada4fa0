"""A method that a specialization of a template has from its base: `Vectorized<BFloat16>` those of `Vectorized16`.

A template and its specializations have one name in the index, and so have their methods: `x.i0()` of a `Vectorized<T>`
is known to call `Vectorized::i0`, and nobody to call `Vectorized16::i0`, which it runs where `T` is BFloat16.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from torchtalk.affected import queries
from torchtalk.affected.graph.nodes import Edge, Node
from torchtalk.kept import once

_WEIGHT = 0.7
_WHY = "is it where a specialization has it from its base"


class _Heir(NamedTuple):
    """A class of several of its name, with where it stands."""

    name: str
    file: int
    line: int
    end_line: int


class Specializations:
    """Finds the methods that specializations inherit.

    Args:
        conn: an index.
    """

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn = conn

    def of(self, node: Node) -> Iterator[Edge]:
        """The methods of a template that a method is in one of its specializations.

        Args:
            node: of a method of C++ that nothing is seen to call.
        """
        owner, _, method = node.name.rpartition("::")
        found: dict[int, str] = {}
        for heir in once(self._conn, _heirs).get(owner, ()) if owner else ():
            of = {"name": f"{heir.name}::{method}"}
            rows = self._conn.execute(queries("graph")["cpp_named"], of).fetchall()
            here = [row["line"] for row in rows if row["file_id"] == heir.file]
            if not any(heir.line <= line <= heir.end_line for line in here):
                found.update((row["id"], row["name"]) for row in rows)
        for identity, name in found.items():
            yield Edge(Node("cpp", identity, name), _WEIGHT, _WHY)


def _heirs(conn: sqlite3.Connection) -> dict[str, list[_Heir]]:
    """By the full name of a base, as far as it stands in the namespace of what derives from it, these."""
    found: dict[str, list[_Heir]] = {}
    for row in conn.execute(queries("graph")["cpp_specialized"]):
        base = f"{row['name'].rpartition('::')[0]}::{row['base']}"
        heir = _Heir(row["name"], row["file_id"], row["line"], row["end_line"])
        if base != heir.name:
            found.setdefault(base.removeprefix("::"), []).append(heir)
    return found
