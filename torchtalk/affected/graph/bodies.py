"""Who has the name of a Python function in its body, on what is not known: `node.replace_all_uses_with(other)`.

What a value is that a test calls something on, only running it tells. But a name of several words that one class alone
has tells whose it is.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator

from torchtalk.affected import queries
from torchtalk.affected.graph.namesakes import meaning_others
from torchtalk.affected.graph.nodes import BOUND, Edge, Node, place_of, share, spread
from torchtalk.affected.path_words import folders_of, is_plain
from torchtalk.names.methods_called import methods_called
from torchtalk.sqlfile import listed
from torchtalk.testing.bodies import of_something
from torchtalk.testing.given_names import asking, given_names
from torchtalk.testing.words import words_of

_WEIGHT = 0.7
# Almost as sure as a call that is known.
_GIVEN = 0.8
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
        values = {"name": of_something(name), "most": _MOST_BODIES + 1}
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
        of_module = self._is_of_module(node)
        functions = self._called_so(name, of_module=of_module)
        if functions > _MOST_CALLED:
            rows = self._at_home(node, rows) if of_module else []
        others = self._others(node, name, {row["function_id"] for row in rows})
        rows = [row for row in rows if row["function_id"] not in others]
        bodies -= others
        each = _WEIGHT * spread(len(bodies)) / min(max(1, functions), _MOST_CALLED)
        for row in rows:
            of = _node(row)
            weight = each * (share(row["operators"] // 2) if of.kind == "test" else 1.0)
            shown = of if of.kind == "test" else of._replace(name=row["name"])
            yield Edge(shown, weight, f"has {name} in its body")

    def _at_home(self, node: Node, rows: list[sqlite3.Row]) -> list[sqlite3.Row]:
        """Those in a folder called like one of the function's own: test/torch_np/numpy_tests/ for torch/_numpy/."""
        own = _words(place_of(self._conn, node))
        found = (place_of(self._conn, Node("python", row["function_id"], "")) for row in rows)
        return [row for row, path in zip(rows, found, strict=True) if _words(path) & own]

    def _called_so(self, name: str, *, of_module: bool) -> int:
        """How many methods, and names that C++ binds, are called so; of a module's own function, also such functions.

        On a value nothing else than its methods is called, unless the value is a module.
        """
        values = {
            "methods": listed(methods_called(self._conn, name)),
            "ending": f"*.{name}",
            "function": name if of_module else "",
        }
        row = self._conn.execute(self._sql["functions_called"], values).fetchone()
        return int(row["functions"])

    def _is_of_module(self, node: Node) -> bool:
        """Whether it is a function that stands in no class."""
        if node.kind == BOUND:
            return False
        of = {"functions": listed((int(node.key),))}
        rows = self._conn.execute(self._sql["places_of_functions"], of)
        return all(row["class_id"] is None for row in rows)

    def _others(self, node: Node, name: str, bodies: Collection[int]) -> frozenset[int]:
        if node.kind == BOUND:
            return meaning_others(self._conn, name, bodies, native=node.name)
        return meaning_others(self._conn, name, bodies, (int(node.key),))


def by_given_names(conn: sqlite3.Connection, node: Node) -> Iterator[Edge]:
    """The tests, and the helpers of tests, that use a class by a name that its decorator gives it: `pipe.batch(2)`.

    Args:
        conn: an index.
        node: of a class of Python.
    """
    for given in given_names(conn, (int(node.key),)):
        rows = asking(conn, given)
        each = _GIVEN * spread(len(rows))
        for row in rows:
            of = _node(row)
            weight = each * (share(row["operators"] // 2) if of.kind == "test" else 1.0)
            shown = of if of.kind == "test" else of._replace(name=row["name"])
            yield Edge(shown, weight, f"has .{given.name}, as which it is registered")


def _words(path: str) -> frozenset[str]:
    """The words of a file's folders, without those that say nothing."""
    found = (word for folder in folders_of(path) for word in words_of(folder))
    return frozenset(word for word in found if not is_plain(word))


def _node(row: sqlite3.Row) -> Node:
    if row["test_id"] is not None:
        return Node("test", row["test_id"], "")
    return Node("python", row["function_id"], "")
