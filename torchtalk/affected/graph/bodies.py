"""Who has the name of a Python function in its body, on what is not known: `node.replace_all_uses_with(other)`.

What a value is that a test calls something on, only running it tells. But a name of several words that one class alone
has tells whose it is.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator

from torchtalk.affected import queries
from torchtalk.affected.graph.nodes import Edge, Node, place_of, share, spread

_WEIGHT = 0.7
# Two that are called so may be meant as well one as the other.
_MOST_CALLED = 2
# In so many bodies a name is that of many things.
_MOST_BODIES = 80
# The functions nearest to what changed are looked for, for want of time.
_MOST_NAMES = 4
# A name of one word is that of many things, too: `size`, `is_last`.
_LEAST = 10


def tells(name: str) -> bool:
    """Whether a name is that of one thing only, as far as its length and words tell."""
    return len(name) >= _LEAST and "_" in name.strip("_")


class Bodies:
    """Looks for names in the bodies of tests and their helpers.

    Args:
        conn: an index.
    """

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn = conn
        self._sql = queries("python_graph")
        self._left = _MOST_NAMES

    def having(self, node: Node, known: Collection[Node] = ()) -> Iterator[Edge]:
        """The tests, and the helpers of tests, with a function's name in their bodies.

        Args:
            node: of a function of Python, or of what is bound.
            known: to call it, each without a name.
        """
        name = node.name.rpartition(".")[2]
        if not self._left or not tells(name) or name.startswith("__"):
            return
        values = {"name": f'"{name}"', "most": _MOST_BODIES + 1}
        rows = self._conn.execute(self._sql["bodies_naming"], values).fetchall()
        bodies = {row["function_id"] for row in rows} - {node.key}
        if (
            not bodies
            or len(bodies) > _MOST_BODIES
            or place_of(self._conn, node).startswith("test/")
        ):
            # Helpers of tests are called on `self`, which is known.
            return
        rows = [row for row in rows if row["function_id"] != node.key and _node(row) not in known]
        if not rows:
            return
        self._left -= 1
        called = self._conn.execute(self._sql["functions_called"], {"ending": f"*.{name}"})
        functions = called.fetchone()["functions"]
        if functions > _MOST_CALLED:
            return
        each = _WEIGHT * spread(len(bodies)) / max(1, functions)
        for row in rows:
            of = _node(row)
            weight = each * (share(row["operators"] // 2) if of.kind == "test" else 1.0)
            shown = of if of.kind == "test" else of._replace(name=row["name"])
            yield Edge(shown, weight, f"has {name} in its body")


def _node(row: sqlite3.Row) -> Node:
    if row["test_id"] is not None:
        return Node("test", row["test_id"], "")
    return Node("python", row["function_id"], "")
