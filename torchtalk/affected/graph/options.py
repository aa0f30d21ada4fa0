"""The tests whose decorators set an option of torch.compile: `config.patch(max_autotune=True)`."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator

from torchtalk.affected import queries
from torchtalk.affected.graph.nodes import Edge, Node, spread


def tests_setting(conn: sqlite3.Connection, node: Node) -> Iterator[Edge]:
    """The edges to them; none where options of several modules are called so, of which a decorator tells none.

    Args:
        conn: an index.
        node: of an option.
    """
    sql = queries("graph")
    name = node.name.partition(".config.")[2]
    if conn.execute(sql["options_called"], {"name": name}).fetchone()["options"] != 1:
        return
    sets = re.compile(rf"(?<![\w.]){re.escape(name)}(?:\s*=(?!=)|['\"])")
    rows = conn.execute(sql["option_tests"], {"name": name}).fetchall()
    rows = [row for row in rows if sets.search(row["decorators"])]
    for row in rows:
        yield Edge(Node("test", row["id"], ""), 0.8 * spread(len(rows)), "its decorators set it")
