"""Walking the joined graph backwards, and one shortest path of each node that was reached."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass, field

from torchtalk.graph import devices, nodes
from torchtalk.graph.exclusions import Exclusions

_IN_PYTHON = 3
"""How many calls in Python are looked through from what was reached to a module's `forward`."""

_DEEP = 3
"""Up to so many calls one recursive statement is as fast as one for each depth; at 20 it takes eight times as long."""

_FOREIGN = "AND (e.target || ' ' || e.source) NOT IN (SELECT value FROM json_each(:foreign))"
_ORIGINS = "AND c.origin NOT IN (SELECT value FROM json_each(:origins))"

# Among edges that are as short, what is sure comes first.
_LATER = {"candidate": 2, "template": 2, "reference": 1, "virtual": 1}
# What the YAML names is what usually runs; registrations elsewhere are for other backends.
_LATER_ORIGINS = {"impl": 1, "macro": 1, "python": 1}


@dataclass(frozen=True)
class Step:
    """One edge of a path: what uses, what is used, and how.

    Args:
        source: the node that depends.
        target: the node that it depends on.
        kind: of the edge.
        origin: how it is known.
        file_id: where it stands.
        line: where it stands.
        ambiguous: it may be another function that is called.
    """

    source: int
    target: int
    kind: str
    origin: str
    file_id: int
    line: int
    ambiguous: bool


@dataclass
class Reached:
    """What depends on some nodes.

    Args:
        conn: the index.
        depths: each node, the first ones too, with the number of calls it is away.
        excluded: what was not followed.
        beyond: Python functions and classes that use what was reached, further away than was
            asked for, with how many calls they are away from it.
        foreign: calls of stubs for other devices, which were not followed.
    """

    conn: sqlite3.Connection
    depths: dict[int, int]
    excluded: Exclusions
    beyond: dict[int, int] = field(default_factory=dict)
    foreign: devices.Foreign = frozenset()
    _steps: dict[int, Step | None] = field(default_factory=dict)

    def step(self, node: int) -> Step | None:
        """The first edge of a shortest path; None for what the walk began with."""
        if node not in self._steps:
            self._steps[node] = self._find_step(node)
        return self._steps[node]

    def path(self, node: int) -> list[Step]:
        """A shortest path down to what the walk began with."""
        found: list[Step] = []
        seen = {node}
        step = self.step(node)
        while step is not None and step.target not in seen:
            found.append(step)
            seen.add(step.target)
            step = self.step(step.target)
        return found

    def _find_step(self, node: int) -> Step | None:
        in_beyond = node not in self.depths
        depth = self.beyond[node] if in_beyond else self.depths[node]
        best: tuple[tuple[int, ...], Step] | None = None
        for row in self.conn.execute(nodes.sql()["uses"], {"node": node}):
            target = row["node"]
            if in_beyond and row["kind"] not in ("python", "method"):
                continue
            known = self.depths.get(target)
            if in_beyond:
                known = self.beyond.get(target) if known is None else 0
            if known is None or known + row["steps"] != depth or target == node:
                continue
            if not in_beyond and self.excluded.leaves_out(row):
                continue
            if (node, target) in self.foreign:
                continue
            rank = (
                _LATER.get(row["kind"], 0) + row["ambiguous"],
                _LATER_ORIGINS.get(row["origin"], 0), -row["steps"], target, row["line"],
            )  # fmt: skip
            if best is None or rank < best[0]:
                best = rank, Step(
                    node, target, row["kind"], row["origin"], row["file_id"], row["line"], bool(row["ambiguous"])
                )  # fmt: skip
        return best[1] if best else None


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
    foreign = devices.foreign(conn, depths, seeds)
    reached = _reached(conn, depths, excluded, foreign, seeds)
    # Who is as near by another way stays where it is; else once more without these calls.
    if any(
        caller in depths and caller not in seeds and reached.step(caller) is None
        for caller, _ in foreign
    ):
        depths = walk(conn, seeds, depth, excluded, foreign)
        reached = _reached(conn, depths, excluded, foreign, seeds)
    return reached


def _reached(
    conn: sqlite3.Connection,
    depths: dict[int, int],
    excluded: Exclusions,
    foreign: devices.Foreign,
    seeds: list[int],
) -> Reached:
    reached = Reached(conn, depths, excluded, foreign=foreign)
    for seed in seeds:
        reached._steps[seed] = None
    return reached


def _statement(name: str, excluded: Exclusions, foreign: devices.Foreign = frozenset()) -> str:
    statement = nodes.sql()[name]
    if foreign:
        statement = statement.replace("/* foreign */", _FOREIGN)
    # The index of calls has no origin in it, so that it is only looked up where it is needed.
    return statement.replace("/* origins */", _ORIGINS) if excluded.by_origin else statement


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
    return dict(conn.execute(_statement("upwards", excluded, foreign), values).fetchall())


def _by_levels(
    conn: sqlite3.Connection,
    seeds: list[int],
    depth: int,
    excluded: Exclusions,
    foreign: devices.Foreign = frozenset(),
) -> dict[int, int]:
    """By a statement for each depth, each node once."""
    values = {**excluded.parameters(), "foreign": _listed(foreign)}
    depths = dict.fromkeys(seeds, 0)
    level = list(depths)
    for at in range(depth + 1):
        found = level
        while found:
            rows = conn.execute(
                _statement("registered_up", excluded), {**values, "nodes": json.dumps(found)}
            )
            found = [node for (node,) in rows if node not in depths]
            depths.update(dict.fromkeys(found, at))
            level += found
        if at == depth or not level:
            break
        rows = conn.execute(
            _statement("one_call_up", excluded, foreign), {**values, "nodes": json.dumps(level)}
        )
        level = [node for (node,) in rows if node not in depths]
        depths.update(dict.fromkeys(level, at + 1))
    return depths


def into_python(reached: Reached) -> None:
    """Add the Python functions and classes that use what was reached, a few calls on."""
    begin = [
        node for node in reached.depths if node & 15 in (nodes.PYTHON, nodes.NATIVE, nodes.CLASS)
    ]
    values = {"seeds": json.dumps(begin), "depth": _IN_PYTHON}
    rows = reached.conn.execute(nodes.sql()["upwards_in_python"], values)
    reached.beyond = {node: depth for node, depth in rows if node not in reached.depths}
