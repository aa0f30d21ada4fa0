"""Tests of what stands beside a change that leads to none: of its file's other functions, in C++ else of its folder's.

A constructor that a registration's object runs, or a kernel that an interpreter finds by a symbol, is called by nobody
that is known: torch/csrc/jit/codegen/onednn/kernel.cpp leads to no test, though what else is in its folder leads to
test/test_jit_llga_fuser.py. How often that is right, `python -m benchmarks.beside` tells.
"""

from __future__ import annotations

import posixpath
import sqlite3
from typing import NamedTuple

from torchtalk.affected import queries
from torchtalk.affected.choice.elsewhere import leads_elsewhere, names_of
from torchtalk.affected.graph.backwards import Graph
from torchtalk.affected.graph.nodes import Node, place_of
from torchtalk.affected.graph.search import Found, search
from torchtalk.affected.places.changes import Changes

_OF_CPP = ("functions_beside", "functions_of_folder")
# What else is in a folder of Python has less to do with each other, and names tell more of its tests.
_OF_PYTHON = ("python_functions_beside",)

# The farther away one stands, the less it has to do with what changed.
_FARTHER = 0.03


class Extent(NamedTuple):
    """How far is looked.

    Args:
        functions: that are followed: those of a file that are nearest to what changed.
        enough: end when so many tests are found.
    """

    functions: int
    enough: int


WHOLE = Extent(60, 200)
BRIEF = Extent(12, 20)


def tests_beside(
    graph: Graph, conn: sqlite3.Connection, changes: Changes, file: str, extent: Extent = WHOLE
) -> list[Found]:
    """The tests that a file's other functions lead to, in C++ else those that its folder's other files do.

    Args:
        graph: of an index.
        conn: the index.
        changes: with what changed; it leads to nothing.
        file: that something changed in.
        extent: how far is looked.

    Returns:
        Tests, those of the nearest first; none of generic ones, which are for operators. The way to each begins at
        what stands beside the change.
    """
    lines = [
        seed.place.line for seed in changes.seeds.values()
        if seed.place.file == file and seed.place.line
    ]  # fmt: skip
    near = {
        "file": file,
        "line": min(lines, default=1),
        "most": extent.functions,
        "stem": f"{posixpath.splitext(file)[0]}.",
        "folder": f"{posixpath.dirname(file)}/",
    }
    kind, statements = ("python", _OF_PYTHON) if file.endswith(".py") else ("cpp", _OF_CPP)
    for name in statements:
        rows = conn.execute(queries("places")[name], near)
        found = _of(
            graph, [Node(kind, row["id"], row["name"]) for row in rows], changes, extent.enough
        )
        found = [one for one in found if not _leads_elsewhere(conn, one, file)]
        if found:
            return found
    return []


def _leads_elsewhere(conn: sqlite3.Connection, found: Found, file: str) -> bool:
    """Whether a test runs on another device, or by another backend, than the file or what led from it to the test, or
    nowhere.
    """
    values = {"test": found.node.key}
    row = conn.execute(queries("places")["words_of_test"], values).fetchone()
    if row["is_never_run"]:
        return True
    way = (place_of(conn, node) for node, _ in found.path[:-1])
    called = names_of(row["path"], row["words"])
    return leads_elsewhere((file, *way), row["path"], called)


def _of(graph: Graph, nodes: list[Node], changes: Changes, enough: int) -> list[Found]:
    others = [node for node in nodes if node not in changes.seeds]
    seeds = [(node, 1 / (1 + _FARTHER * at)) for at, node in enumerate(others)]
    found = search(graph, seeds, enough=enough).found if seeds else ()
    return [one for one in found if one.node.kind == "test"]
