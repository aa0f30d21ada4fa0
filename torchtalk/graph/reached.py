"""What was reached on a walk through the joined graph, and one shortest path of each such node."""

from __future__ import annotations

import functools
import itertools
import json
import math
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field

from torchtalk.graph import around, devices, nodes
from torchtalk.graph.exclusions import Exclusions

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
        foreign: calls of stubs for other devices, and of overridden methods as their class's own, which were not
            followed.
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

    def begins_at(self, node: int) -> None:
        """Say of a node that the walk began with it: no path leads on from there."""
        self._steps[node] = None

    def step(self, node: int) -> Step | None:
        """The first edge of a shortest path from `node`; None for what the walk began with."""
        if node not in self._steps:
            self._steps[node] = self._find_step(node)
        return self._steps[node]

    def path(self, node: int) -> list[Step]:
        """A shortest path from `node` down to what the walk began with; empty for that itself."""
        found: list[Step] = []
        seen = {node}
        step = self.step(node)
        while step is not None and step.target not in seen:
            found.append(step)
            seen.add(step.target)
            step = self.step(step.target)
        return found

    def common_path(self, node: int) -> list[Step]:
        """A path from `node` by what most devices and tensors run, if there is one, though it be some calls longer."""
        path = self.path(node)
        first = self._rare_step(path)
        if first is None or around.rare(self.conn, [node, path[-1].target]):
            return path
        start = path[first].source
        way = self._around.way(start, self.depths, self._is_common)
        steps = [self._best(source, [target]) for source, target in itertools.pairwise(way)]
        known = [step for step in steps if step is not None]
        if not way or len(known) < len(steps):
            return path
        return [*path[:first], *known, *self.path(way[-1])]

    @functools.cached_property
    def _around(self) -> around.Around:
        return around.Around(
            self.conn,
            self.excluded.parameters(),
            lambda source, target: (source, target) not in self.foreign,
        )

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
                for target, steps in nodes.tuples(self.conn).execute(
                    nodes.sql()["used"], {"node": node}
                )
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
