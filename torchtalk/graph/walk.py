"""Walking the joined graph backwards, and one shortest path of each node that was reached."""

from __future__ import annotations

import functools
import itertools
import json
import math
import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from torchtalk.graph import around, devices, nodes
from torchtalk.graph.exclusions import Exclusions
from torchtalk.graph.mending import TooMany, mend

_IN_PYTHON = 3
"""How many calls in Python are looked through from what was reached to a module's `forward`."""

_DEEP = 2
"""Up to so many calls one recursive statement is as fast as one for each depth. At 3 a hub takes it twice as long, at
20 eight times."""

_FOREIGN = "AND (e.target || ' ' || e.source) NOT IN (SELECT value FROM json_each(:foreign))"

Edge = tuple[int, int]
"""What uses and what is used."""

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

    @functools.cached_property
    def rows(self) -> dict[int, list[int]]:
        """The rows of all nodes, the first ones too, by their kind; a hub reaches too many to look through for each."""
        found: dict[int, list[int]] = {kind: [] for kind in range(len(nodes.KINDS))}
        for node in self.depths:
            found[node & 15].append(node >> 4)
        return found

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

    def common_path(self, node: int) -> list[Step]:
        """A path by what most devices and tensors run where there is one, though it be some calls longer."""
        path = self.path(node)
        first = self._rare_step(path)
        if first is None or around.rare(self.conn, [node, path[-1].target]):
            return path
        start = path[first].source
        way = around.around(
            self.conn,
            start,
            self.depths,
            self.excluded.parameters(),
            lambda source, target: (source, target) not in self.foreign,
            self._is_common,
        )
        steps = [self._best(source, [target]) for source, target in itertools.pairwise(way)]
        known = [step for step in steps if step is not None]
        if not way or len(known) < len(steps):
            return path
        return [*path[:first], *known, *self.path(way[-1])]

    def _is_common(self, node: int) -> bool:
        """Whether most devices and tensors run what the path of a node shows, and run that."""
        path = self.path(node)
        return self._rare_step(path) is None and not around.hubs(
            self.conn, [node, *(step.target for step in path)]
        )

    def _rare_step(self, path: list[Step]) -> int | None:
        """Which step of a path is the first that leads to what few devices or tensors run."""
        left_out = around.rare(self.conn, [step.target for step in path])
        return next((at for at, step in enumerate(path) if step.target in left_out), None)

    def _find_step(self, node: int) -> Step | None:
        in_beyond = node not in self.depths

        def fits(row: sqlite3.Row) -> bool:
            if in_beyond and row["kind"] not in ("python", "method"):
                return False
            further = self._depth(node, in_beyond) - self._depth(row["node"], in_beyond)
            return bool(row["steps"] == further)

        return self._best(node, self._nearer(node, in_beyond), fits, in_beyond)

    def _best(
        self,
        node: int,
        targets: list[int],
        fits: Callable[[sqlite3.Row], bool] = bool,
        in_beyond: bool = False,
    ) -> Step | None:
        """The edge from a node to one of some others that tells most."""
        best: tuple[tuple[int, ...], Step] | None = None
        wanted = {"node": node, "targets": json.dumps(targets)}
        left_out = around.rare(self.conn, targets) if len(targets) > 1 else ()
        for row in self.conn.execute(nodes.sql()["uses_of"], wanted):
            target = row["node"]
            if not fits(row) or (not in_beyond and self.excluded.leaves_out(row)):
                continue
            rank = (
                _LATER.get(row["kind"], 0) + row["ambiguous"], target in left_out,
                _LATER_ORIGINS.get(row["origin"], 0), -row["steps"], target, row["line"],
            )  # fmt: skip
            if best is None or rank < best[0]:
                best = rank, Step(
                    node, target, row["kind"], row["origin"], row["file_id"], row["line"], bool(row["ambiguous"])
                )  # fmt: skip
        return best[1] if best else None

    def _nearer(self, node: int, in_beyond: bool) -> list[int]:
        """What a node uses that was reached and lies on a shortest path to the start."""
        depth = self._depth(node, in_beyond)
        return sorted(
            {
                target
                # A hub uses a thousand, and one or two are wanted.
                for target, steps in _tuples(self.conn).execute(nodes.sql()["used"], {"node": node})
                if target != node
                and self._depth(target, in_beyond) + steps == depth
                and (node, target) not in self.foreign
            }
        )

    def _depth(self, node: int, in_beyond: bool) -> float:
        """How many calls a node is away from the start, or from what was reached; infinitely many if it is not."""
        if not in_beyond:
            return self.depths.get(node, math.inf)
        return 0 if node in self.depths else self.beyond.get(node, math.inf)


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
    """How far away all is without the calls of stubs for other devices.

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
        called_by = _tuples(conn).execute(statements["next_callers"], wanted)
        found = [(caller, 1) for (caller,) in called_by]
        found += _tuples(conn).execute(statements["next_sources"], wanted)
        return [edge for edge in found if edge[0] not in seeds]

    @functools.cache
    def uses(node: int) -> list[tuple[int, int]]:
        found = _tuples(conn).execute(statements["followed"], {**values, "node": node})
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
        reached._steps[seed] = None
    return reached


def _statement(name: str, foreign: devices.Foreign) -> str:
    statement = nodes.sql()[name]
    return statement.replace("/* foreign */", _FOREIGN) if foreign else statement


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
    sources, callers = _statement("next_sources", foreign), nodes.sql()["next_callers"]
    depths = dict.fromkeys(seeds, 0)

    def called_by(level: list[int]) -> set[int]:
        cursor = _tuples(conn).execute(callers, {**values, "nodes": json.dumps(level)})
        found = set(itertools.chain.from_iterable(cursor)).difference(depths)
        if excluded.boilerplate and found:
            # Here and not for each call: a hub has five calls for each function that makes one.
            wanted = {"nodes": json.dumps(sorted(found))}
            cursor = _tuples(conn).execute(nodes.sql()["boilerplate"], wanted)
            found.difference_update(itertools.chain.from_iterable(cursor))
        return found

    _spread(conn, sources, values, set(seeds), depth, depths, called_by)
    return depths


def _tuples(conn: sqlite3.Connection) -> sqlite3.Cursor:
    """For rows without names: a hub's are hundreds of thousands."""
    cursor = conn.cursor()
    cursor.row_factory = None
    return cursor


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
                _tuples(conn).execute(statement, {**values, "nodes": json.dumps(wanted)}).fetchall()
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
