"""Tests with the name of what no call leads to: they set an option in their bodies, or call what C++ binds on a value.

`with config.patch(comprehensive_padding=True)` is in no table, nor is what a value is of which a test calls
`add_type_match_guard`. Where such a thing changed, the tests' files are read.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from torchtalk.affected import queries
from torchtalk.affected.graph.bodies import tells
from torchtalk.affected.graph.nodes import BOUND, Node, spread
from torchtalk.affected.path_words import folders_of
from torchtalk.affected.places.changes import Changes, Seed
from torchtalk.affected.sources import Sources
from torchtalk.answers.base import Place

_WEIGHT = 0.7
_MOST_NAMES = 8
# More tests say of a name that it is that of many things.
_MOST_TESTS = 80


class Wanted(NamedTuple):
    """A name that tests' files are read for.

    Args:
        form: of the text that has it.
        how: what a test has to do with it.
        place: what changed.
        file: it stands in, where only its name was given.
    """

    form: re.Pattern[str]
    how: str
    place: Place
    file: str | None = None


def take_mentions(conn: sqlite3.Connection, changes: Changes, sources: Sources) -> None:
    """Add the tests that set an option which changed, or call what is bound on lines which did.

    Args:
        conn: an index.
        changes: to be added to.
        sources: the tree.
    """
    add_having(conn, dict(_wanted(conn, changes)), changes, sources)


def add_having(
    conn: sqlite3.Connection,
    names: dict[str, Wanted],
    changes: Changes,
    sources: Sources,
    *,
    at_home: bool = False,
) -> None:
    """Add the tests that have some names.

    Args:
        conn: an index.
        names: what is looked for, by name.
        changes: to be added to.
        sources: the tree.
        at_home: only of files in a folder that is called like one of a changed file.
    """
    wanted = dict(list(names.items())[:_MOST_NAMES])
    if not wanted:
        return
    paths = [one.file or one.place.file for one in wanted.values()]
    folders = {folder for path in paths if path for folder in folders_of(path)}
    rows = conn.execute(queries("places")["files_of_tests"]).fetchall()
    if at_home:
        rows = [row for row in rows if not folders.isdisjoint(folders_of(row["path"]))]
    rows.sort(key=lambda row: folders.isdisjoint(folders_of(row["path"])))
    found: dict[str, dict[Node, None]] = {}
    for source in sources.holding(rows, wanted):
        for name, one in wanted.items():
            for match in one.form.finditer(source.text):
                begin = source.text.rfind("\n", 0, match.start()) + 1
                node = source.around(conn, begin)
                if node is not None:
                    found.setdefault(name, {})[node] = None
    for name, nodes in found.items():
        if len(nodes) <= _MOST_TESTS:
            one = wanted[name]
            for node in nodes:
                weight = _WEIGHT * spread(len(nodes))
                changes.add(Seed(node, weight, one.place, 0, one.how))


def _wanted(conn: sqlite3.Connection, changes: Changes) -> Iterator[tuple[str, Wanted]]:
    """What is looked for: the names, each with the form of a text that has it."""
    for seed in changes.seeds.values():
        if seed.node.kind == "option":
            name = seed.node.name.partition(".config.")[2]
            called = conn.execute(queries("graph")["options_called"], {"name": name}).fetchone()
            if called["options"] == 1:
                quoted = re.escape(name)
                form = re.compile(rf"(?:(?<![\w.])|\bconfig\.){quoted}\s*=(?!=)|(['\"]){quoted}\1")
                yield name, Wanted(form, f"sets {name}", seed.place)
        elif seed.node.kind == BOUND:
            name = seed.node.name.rpartition(".")[2]
            if tells(name):
                form = re.compile(rf"\.{re.escape(name)}\b")
                yield name, Wanted(form, f"has .{name}, which is bound there", seed.place)
