"""Files beside tests that tests open by their path: sources that they build, scripts that they start, saved models.

`load(name="jit_extension", sources=["cpp_extensions/jit_extension.cpp"])` imports and includes nothing.
"""

from __future__ import annotations

import posixpath
import re
import sqlite3
from collections.abc import Iterable

from torchtalk.affected import queries
from torchtalk.affected.graph.nodes import Node, spread
from torchtalk.affected.places.changes import Changes, Seed
from torchtalk.affected.sources import Source, Sources
from torchtalk.answers.base import Place

_BESIDE = "test/"
_WEIGHT = 0.7
_MOST_FILES = 8
# More tests say of a name that it is that of many files.
_MOST_TESTS = 80


def take_fixtures(
    conn: sqlite3.Connection, paths: Iterable[str], changes: Changes, sources: Sources
) -> None:
    """Add the tests that have the path of a changed file, which has no tests itself, or the end of it, as a text.

    Args:
        conn: an index.
        paths: of files that changed.
        changes: to be added to.
        sources: the tree.
    """
    every = [seed.file for seed in changes.seeds.values()]
    known = dict.fromkeys(path for path in (*paths, *changes.blank, *every) if path)
    rows = conn.execute(queries("places")["files_of_tests"]).fetchall()
    with_tests = {row["path"] for row in rows}
    beside = [path for path in known if path.startswith(_BESIDE) and path not in with_tests]
    for path in beside[:_MOST_FILES]:
        name = posixpath.basename(path)
        form = re.compile(rf"([\"'])(?P<path>(?:[\w.-]*/)*{re.escape(name)})\1")
        # What opens a file stands in its folder or in one above, and those nearest first.
        around = [row for row in rows if path.startswith(_folder(row["path"]))]
        around.sort(key=lambda row: -len(_folder(row["path"])))
        found: dict[Node, None] = {}
        for source in sources.holding(around, (name,)):
            found.update(dict.fromkeys(_opening(conn, source, form, path)))
        if found and len(found) <= _MOST_TESTS:
            changes.blank.pop(path, None)
        for node in found if len(found) <= _MOST_TESTS else ():
            weight = _WEIGHT * spread(len(found))
            changes.add(Seed(node, weight, Place(path, None), 0, f'has "{name}"'))


def _opening(
    conn: sqlite3.Connection, source: Source, form: re.Pattern[str], path: str
) -> Iterable[Node]:
    """The tests, and the helpers of tests, in a file that have a path as a text."""
    for match in form.finditer(source.text):
        written = match["path"].lstrip("./")
        # A name alone is that of many files: `setup.py`, of which one beside the test, or in a folder there, is meant.
        is_near = _folder(source.path) in (_folder(path), _folder(_folder(path)[:-1]))
        if not f"/{path}".endswith(f"/{written}") or ("/" not in written and not is_near):
            continue
        node = source.around(conn, source.text.rfind("\n", 0, match.start()) + 1)
        if node is not None:
            yield node


def _folder(path: str) -> str:
    """The folder of a file with a slash behind it; nothing of one at the top."""
    return path[: path.rfind("/") + 1]
