"""Test files that are run as a whole since what changed in them leads to none of their tests, as far as is known.

`make_dynamic_cls` (test/dynamo/test_dynamic_shapes.py) is called outside of functions and makes the file's classes; a
`tearDownClass` is called by what runs the tests.
"""

from __future__ import annotations

import posixpath
import sqlite3
from collections.abc import Iterable

from torchtalk.affected import queries
from torchtalk.affected.diff.diffs import FileChange
from torchtalk.affected.graph.backwards import Graph
from torchtalk.affected.graph.search import search
from torchtalk.affected.places.changes import Changes
from torchtalk.affected.sources import Sources

_WHY = "what changed in it may be used outside of its tests"
# What a test file ends with (torch/testing/_internal/common_utils.py), also where other code makes its tests.
_RUNS = "run_tests("
_KINDS = ("python", "class")
_MOST = 8


def take_whole_files(
    conn: sqlite3.Connection,
    files: Iterable[FileChange],
    graph: Graph,
    changes: Changes,
    sources: Sources,
) -> None:
    """Have those test files run whose changed functions or classes lead to no test.

    Args:
        conn: an index.
        files: what a diff changes.
        graph: of the index.
        changes: to be added to.
        sources: the tree.
    """
    tests = changes.tests
    for change in [one for one in files if one.new_path and _is_called_so(one.path)][:_MOST]:
        row = conn.execute(queries("places")["file"], {"path": change.old_path}).fetchone()
        if row is None or change.new_path in tests.whole:
            continue
        own = [
            seed for seed in changes.seeds.values()
            if seed.place.file == row["path"] and seed.node.kind in _KINDS and not seed.how
        ]  # fmt: skip
        if all(search(graph, [(seed.node, seed.weight)], enough=1).found for seed in own[:_MOST]):
            continue
        if conn.execute(queries("places")["file_tests"], {"file": row["id"]}).fetchone() is None:
            source = sources.read(row)
            if source is None or _RUNS not in source.text:
                continue  # a script that tests start
        tests.run_whole(conn, row, change, _WHY)


def _is_called_so(path: str) -> bool:
    """Whether a file is called as those are that pytest finds, and stands among the tests."""
    name = posixpath.basename(path)
    return path.startswith("test/") and name.startswith("test_") and name.endswith(".py")
