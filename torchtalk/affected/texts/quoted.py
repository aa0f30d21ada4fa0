"""Tests that ask for a Python function or class by its name, as a text: `torch.compile(f, backend="eager_noexcept")`.

Decorators register by names, and mocks patch what has one. No call leads there.
"""

from __future__ import annotations

import re
import sqlite3

from torchtalk.affected.graph.backwards import Graph
from torchtalk.affected.graph.bodies import tells
from torchtalk.affected.graph.search import search
from torchtalk.affected.places.changes import Changes
from torchtalk.affected.sources import Sources
from torchtalk.affected.texts.mentions import Wanted, add_having

_MOST_SEEDS = 8


def take_quoted(conn: sqlite3.Connection, graph: Graph, changes: Changes, sources: Sources) -> None:
    """Add the tests that have the name of a changed function or class as a text, where nothing else leads on.

    Args:
        conn: an index.
        graph: of it.
        changes: to be added to.
        sources: the tree.
    """
    named: dict[str, Wanted] = {}
    seeds = [seed for seed in changes.seeds.values() if seed.node.kind in ("python", "class")]
    telling = [seed for seed in seeds if tells(seed.node.name.rpartition(".")[2])]
    for seed in telling[:_MOST_SEEDS]:
        if not search(graph, [(seed.node, seed.weight)], enough=1).found:
            name = seed.node.name.rpartition(".")[2]
            # torch.compile(f, backend="relu_compile_error_TESTING_ONLY"), mock.patch("torch.x.do_this")
            form = re.compile(rf"([\"'])(?:[\w.]+\.)?{re.escape(name)}\1")
            named[name] = Wanted(form, f'has "{name}"', seed.place)
    add_having(conn, named, changes, sources)
