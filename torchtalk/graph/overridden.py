"""Callers that name a method of `super()` or of a class: they run that one, and none that overrides it.

Each interpreter of torch.fx has a `run_node` of its own that ends with `super().run_node(n)`: none runs another's.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping

from torchtalk.graph import nodes
from torchtalk.graph.devices import Foreign
from torchtalk.sqlfile import beside

_queries = beside(__file__)
_SUPER = "super("


def foreign(conn: sqlite3.Connection, reached: Mapping[int, int], seeds: Iterable[int]) -> Foreign:
    """By which calls none of the methods is run for which one that they override was reached.

    Args:
        conn: an index.
        reached: nodes of a walk upwards, with how many calls away each is.
        seeds: what it began with; who asks for the overridden method means itself.
    """
    methods = [node for node in reached if node & 15 in (nodes.PYTHON, nodes.FUNCTION)]
    if not methods:
        return frozenset()
    rows = conn.execute(
        _queries("overridden")["overridden"], {"nodes": json.dumps(methods)}
    ).fetchall()
    bases = {row["node"] for row in rows if row["node"] in reached}.difference(seeds)
    if not bases:
        return frozenset()
    wanted = {"nodes": json.dumps(sorted(bases))}
    # Its own body leads to what was reached as well.
    bases -= {
        row["node"]
        for row in conn.execute(_queries("overridden")["used_besides"], wanted)
        if row["target"] in reached
    }
    return _in_python(conn, bases) | _in_cpp(conn, bases)


def _in_python(conn: sqlite3.Connection, bases: Iterable[int]) -> Foreign:
    methods = [node for node in bases if node & 15 == nodes.PYTHON]
    found = by_name(conn, sorted(node >> 4 for node in methods))
    wanted = {"nodes": json.dumps(sorted(methods))}
    return frozenset(
        (row["source"], row["node"])
        for row in conn.execute(_queries("overridden")["users_in_python"], wanted)
        if row["source"] >> 4 in found.get(row["node"] >> 4, ())
    )


def _in_cpp(conn: sqlite3.Connection, bases: Iterable[int]) -> Foreign:
    """Who names the class of a method, `Base::f()`: that is no virtual call ([class.virtual], 16)."""
    wanted = {"nodes": json.dumps(sorted(node for node in bases if node & 15 == nodes.FUNCTION))}
    return frozenset(
        (row["source"], row["node"])
        for row in conn.execute(_queries("overridden")["users_in_cpp"], wanted)
    )


def by_name(conn: sqlite3.Connection, methods: Iterable[int]) -> dict[int, frozenset[int]]:
    """Which functions call some methods in no other way than by a name that means it and no other.

    Args:
        conn: an index.
        methods: ids of functions of Python.
    """
    sure: dict[tuple[int, int], bool] = {}
    rows = conn.execute(
        _queries("overridden")["method_calls"], {"ids": json.dumps(list(methods))}
    ).fetchall()
    classes = _classes(conn, {_owner(row["target"]) for row in rows if row["is_of_objects"]})
    for row in rows:
        edge = row["method"], row["caller"]
        target = row["target"]
        # A variable of a class, or `cls`, may be one that is derived from it; no object's method is called of that,
        # but for a metaclass's.
        owner = _owner(target)
        of_class = row["is_of_objects"] and owner in classes and owner != _owner(row["name"])
        is_name = target.startswith(_SUPER) or of_class
        sure[edge] = sure.get(edge, True) and is_name
    found: dict[int, set[int]] = {}
    for (method, caller), is_sure in sure.items():
        if is_sure:
            found.setdefault(method, set()).add(caller)
    return {method: frozenset(callers) for method, callers in found.items()}


def _owner(target: str) -> str:
    """`torch.fx.Interpreter` of `torch.fx.Interpreter.run_node`."""
    return target.rpartition(".")[0]


def _classes(conn: sqlite3.Connection, names: set[str]) -> frozenset[str]:
    """Which of some names are of classes: `ops.add` is called of an object."""
    rows = conn.execute(
        _queries("overridden")["classes_called"], {"names": json.dumps(sorted(names))}
    )
    return frozenset(row["name"] for row in rows)
