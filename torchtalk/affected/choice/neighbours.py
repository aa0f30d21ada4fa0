"""Tests of what stands beside a change in C++ that leads to none: of its file's other functions, else of its folder's.

A constructor that a registration's object runs, or a kernel that an interpreter finds by a symbol, is called by nobody
that is known: torch/csrc/jit/codegen/onednn/kernel.cpp leads to no test, though what else is in its folder leads to
test/test_jit_llga_fuser.py. How often that is right, `python -m benchmarks.beside` tells.
"""

from __future__ import annotations

import posixpath
import sqlite3
from collections.abc import Iterable

from torchtalk.affected import queries
from torchtalk.affected.graph.backwards import Graph
from torchtalk.affected.graph.nodes import Node
from torchtalk.affected.graph.search import Found, search
from torchtalk.affected.places.changes import Changes

C_FAMILY = (".c", ".cc", ".cpp", ".cxx", ".cu", ".cuh", ".h", ".hpp", ".inl", ".mm")

_MOST = 60
"""Functions that are followed: those of a file that are nearest to what changed."""

_ENOUGH = 200
# The farther away one stands, the less it has to do with what changed.
_FARTHER = 0.03


def tests_beside(
    graph: Graph, conn: sqlite3.Connection, changes: Changes, file: str
) -> list[Found]:
    """The tests that a file's other functions lead to, else those that the functions of its folder's other files do.

    Args:
        graph: of an index.
        conn: the index.
        changes: with what changed; it leads to nothing.
        file: of C++, that something changed in.

    Returns:
        Tests, those of the nearest first; none of generic ones, which are for operators. The way to each begins at
        what stands beside the change.
    """
    if not file.endswith(C_FAMILY):
        return []
    lines = [
        seed.place.line for seed in changes.seeds.values()
        if seed.place.file == file and seed.place.line
    ]  # fmt: skip
    stem = posixpath.splitext(file)[0]
    near = {"file": file, "line": min(lines, default=1), "stem": f"{stem}.", "most": _MOST}
    for name in ("functions_beside", "functions_of_folder"):
        rows = conn.execute(
            queries("places")[name], {**near, "folder": f"{posixpath.dirname(file)}/"}
        )
        found = _of(graph, (Node("cpp", row["id"], row["name"]) for row in rows), changes)
        if found:
            return found
    return []


def _of(graph: Graph, nodes: Iterable[Node], changes: Changes) -> list[Found]:
    others = [node for node in nodes if node not in changes.seeds]
    seeds = [(node, 1 / (1 + _FARTHER * at)) for at, node in enumerate(others)]
    found = search(graph, seeds, enough=_ENOUGH).found if seeds else ()
    return [one for one in found if one.node.kind == "test"]
