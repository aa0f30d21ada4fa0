"""Walking the joined graph backwards: who depends on some nodes, each with how many calls it is away."""

from __future__ import annotations

import functools
import itertools
import json
import sqlite3
from collections.abc import Callable, Iterable

from torchtalk.graph import devices, nodes, overridden
from torchtalk.graph.exclusions import Exclusions
from torchtalk.graph.mending import TooMany, mend
from torchtalk.graph.reached import Edge, Reached

_IN_PYTHON = 3
"""How many calls in Python are looked through from what was reached to a module's `forward`."""

_DEEP = 2
"""Up to so many calls one recursive statement is as fast as one for each depth. At 3 a hub takes it twice as long, at
20 eight times."""

_FOREIGN = "AND (e.target || ' ' || e.source) NOT IN (SELECT value FROM json_each(:foreign))"
_FOREIGN_CALLERS = _FOREIGN.replace("e.target", "c.callee_id * 16").replace(
    "e.source", "c.caller_id * 16"
)


def upwards(
    conn: sqlite3.Connection, seeds: list[int], depth: int, excluded: Exclusions
) -> Reached:
    """Find what depends on some nodes.

    Args:
        conn: an index.
        seeds: the nodes.
        depth: how many calls away at most.
        excluded: edges that are not followed.
    """
    walk = _by_levels if depth > _DEEP else _at_once
    depths = walk(conn, seeds, depth, excluded)
    # What was reached is at least what the kernels of a device are reached by.
    foreign = devices.foreign(conn, depths, seeds) | overridden.foreign(conn, depths, seeds)
    reached = _reached(conn, depths, excluded, foreign, seeds)
    # Who is as near by another way stays where it is.
    alone = [
        caller
        for caller in sorted({caller for caller, _ in foreign})
        if caller in depths and caller not in seeds and reached.step(caller) is None
    ]
    if alone:
        try:
            depths = _mended(reached, alone, seeds, depth)
        except TooMany:
            depths = walk(conn, seeds, depth, excluded, foreign)
        reached = _reached(conn, depths, excluded, foreign, seeds)
    return reached


def without(reached: Reached, seeds: list[int], depth: int, edges: frozenset[Edge]) -> Reached:
    """What is reached as well where some edges are not followed.

    Args:
        reached: with them, by `upwards`.
        seeds: what the walk began with.
        depth: how many calls away at most.
        edges: that are not followed.
    """
    conn, excluded, foreign = reached.conn, reached.excluded, reached.foreign | edges
    walk = _by_levels if depth > _DEEP else _at_once
    return _reached(conn, walk(conn, seeds, depth, excluded, foreign), excluded, foreign, seeds)


def _mended(reached: Reached, alone: list[int], seeds: list[int], depth: int) -> dict[int, int]:
    """How far away all is without the edges that lead to other kernels or overrides.

    Args:
        reached: with them.
        alone: the callers that are reached by nothing else, or not as soon.
        seeds: what the walk began with.
        depth: how many calls away at most.
    """
    conn, excluded = reached.conn, reached.excluded
    values = {**excluded.parameters(), "foreign": "[]"}
    statements = nodes.sql()

    @functools.cache
    def users(node: int) -> list[tuple[int, int]]:
        wanted = {**values, "nodes": json.dumps([node])}
        called_by = nodes.tuples(conn).execute(statements["next_callers"], wanted)
        found = [(caller, 1) for (caller,) in called_by]
        found += nodes.tuples(conn).execute(statements["next_sources"], wanted)
        return [edge for edge in found if edge[0] not in seeds]

    @functools.cache
    def uses(node: int) -> list[tuple[int, int]]:
        found = nodes.tuples(conn).execute(statements["followed"], {**values, "node": node})
        return [edge for edge in found if (node, edge[0]) not in reached.foreign]

    return mend(reached.depths, alone, users, uses, depth)


def _reached(
    conn: sqlite3.Connection,
    depths: dict[int, int],
    excluded: Exclusions,
    foreign: devices.Foreign,
    seeds: list[int],
) -> Reached:
    reached = Reached(conn, depths, excluded, foreign=foreign)
    for seed in seeds:
        reached.begins_at(seed)
    return reached


def _statement(name: str, foreign: devices.Foreign) -> str:
    statement = nodes.sql()[name]
    if not foreign:
        return statement
    statement = statement.replace("/* foreign callers */", _FOREIGN_CALLERS)
    return statement.replace("/* foreign */", _FOREIGN)


def _listed(foreign: devices.Foreign) -> str:
    return json.dumps([f"{target} {source}" for source, target in sorted(foreign)])


def _at_once(
    conn: sqlite3.Connection,
    seeds: list[int],
    depth: int,
    excluded: Exclusions,
    foreign: devices.Foreign = frozenset(),
) -> dict[int, int]:
    """By one recursive statement, which sees a node again at every depth it can be reached at."""
    values = {
        "seeds": json.dumps(seeds),
        "depth": depth,
        "foreign": _listed(foreign),
        **excluded.parameters(),
    }
    return dict(conn.execute(_statement("upwards", foreign), values).fetchall())


def _by_levels(
    conn: sqlite3.Connection,
    seeds: list[int],
    depth: int,
    excluded: Exclusions,
    foreign: devices.Foreign = frozenset(),
) -> dict[int, int]:
    """By a few statements for each depth, each node once."""
    values = {**excluded.parameters(), "foreign": _listed(foreign)}
    sources, callers = (_statement(name, foreign) for name in ("next_sources", "next_callers"))
    depths = dict.fromkeys(seeds, 0)

    def called_by(level: list[int]) -> set[int]:
        cursor = nodes.tuples(conn).execute(callers, {**values, "nodes": json.dumps(level)})
        found = set(itertools.chain.from_iterable(cursor)).difference(depths)
        if excluded.boilerplate and found:
            # Here and not for each call: a hub has five calls for each function that makes one.
            wanted = {"nodes": json.dumps(sorted(found))}
            cursor = nodes.tuples(conn).execute(nodes.sql()["boilerplate"], wanted)
            found.difference_update(itertools.chain.from_iterable(cursor))
        return found

    _spread(conn, sources, values, set(seeds), depth, depths, called_by)
    return depths


def _spread(
    conn: sqlite3.Connection,
    statement: str,
    values: dict[str, object],
    level: set[int],
    depth: int,
    depths: dict[int, int],
    called_by: Callable[[list[int]], Iterable[int]] = lambda _: (),
) -> None:
    """Add what is reached from some nodes to those whose depth is known.

    Args:
        conn: an index.
        statement: the nodes that are one edge on from `:nodes`, each with how many calls that is.
        values: what else it asks for.
        level: what is begun with, which is no call away.
        depth: how many calls on at most.
        depths: of what is known already; grows.
        called_by: what else is one call on from some nodes, in the order in which they stand in the file.
    """
    for at in range(depth + 1):
        further: set[int] = set()
        while level:
            wanted = sorted(level)
            rows = (
                nodes.tuples(conn)
                .execute(statement, {**values, "nodes": json.dumps(wanted)})
                .fetchall()
            )
            if at < depth:
                further.update(called_by(wanted))
                further.update([node for node, steps in rows if steps])
            level = {node for node, steps in rows if not steps and node not in depths}
            depths.update(dict.fromkeys(level, at))
        level = further.difference(depths)
        depths.update(dict.fromkeys(level, at + 1))


def into_python(reached: Reached) -> None:
    """Add the Python functions and classes that use what was reached, a few calls on."""
    kinds = (nodes.PYTHON, nodes.NATIVE, nodes.CLASS)
    begin = {node for node in reached.depths if node & 15 in kinds}
    depths = dict(reached.depths)
    _spread(reached.conn, nodes.sql()["next_in_python"], {}, begin, _IN_PYTHON, depths)
    first = len(reached.depths)
    reached.beyond = dict(itertools.islice(depths.items(), first, None))
