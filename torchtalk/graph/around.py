"""Ways around what few devices and tensors run: the reason that a person expects why something depends on a function.

`aten::lstm` has a kernel of Vulkan's that calls `at::addmm` itself, and one for all others that gets there through
templates. The way through Vulkan is the shorter one, and says nothing to who works on the CPU's `gemm`.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterable, Mapping

from torchtalk.graph import nodes

_RARE = re.compile(r"(?:^|/)(?:vulkan|metal|mps|xpu|hip|miopen|quantized|sparse|nested)/")
"""Folders whose functions run on such devices alone, or for tensors of such a layout or type."""

_FURTHER = 5
"""So many calls a way around is looked for: as many as a template's layers and cells take (`at::native::lstm`)."""

_MOST = 6000
"""So many nodes are looked at, which takes some milliseconds."""

_Uses = dict[int, list[tuple[int, int]]]

_MOST_OVERRIDES = 24
"""What more classes override (`torch::autograd::Node::apply`) may run anything: a way through it explains nothing."""


def rare(conn: sqlite3.Connection, found: Iterable[int]) -> frozenset[int]:
    """Which of some nodes are functions that few devices or tensors run.

    Args:
        conn: an index.
        found: the nodes.
    """
    functions = {node for node in found if node & 15 == nodes.FUNCTION}
    paths = nodes.paths(conn, sorted(functions))
    return frozenset(node for node, path in paths.items() if path and _RARE.search(path))


def hubs(conn: sqlite3.Connection, found: Iterable[int]) -> frozenset[int]:
    """Which of some nodes are methods that so many classes override that they may run anything.

    Args:
        conn: an index.
        found: the nodes.
    """
    functions = sorted({node for node in found if node & 15 == nodes.FUNCTION})
    wanted = {"nodes": json.dumps(functions), "most": _MOST_OVERRIDES}
    return frozenset(row["source"] for row in conn.execute(nodes.sql()["hubs"], wanted))


class Around:
    """Looks for the ways from several nodes, which come by the same functions.

    Args:
        conn: an index.
        parameters: what is not followed, as the statements take it.
        follows: whether an edge, by its ends, is followed.
    """

    def __init__(
        self,
        conn: sqlite3.Connection,
        parameters: Mapping[str, object],
        follows: Callable[[int, int], bool],
    ) -> None:
        self._conn = conn
        self._parameters = parameters
        self._follows = follows
        # By whether they are calls: these come first.
        self._uses: tuple[_Uses, _Uses] = ({}, {})
        self._is_left_out: dict[int, bool] = {}

    def way(
        self, start: int, depths: Mapping[int, int], is_common: Callable[[int], bool]
    ) -> list[int]:
        """A shortest way down from a node to one that was reached, by functions that are neither rare nor hubs.

        Args:
            start: where the way begins.
            depths: what was reached from below, and how many calls it is away from the start there.
            is_common: whether nothing on the path below a node that was reached is rare or a hub.

        Returns:
            The nodes of the way, `start` first and the one that was reached last; none where there is no such way.
        """
        before: dict[int, int] = {start: -1}
        level = [start]
        for _ in range(_FURTHER + 1):
            further: list[int] = []
            while level:
                here: list[int] = []
                self._look_at(level)
                for uses in self._uses:
                    for source in level:
                        for target, steps in uses[source]:
                            if target not in before and self._follows(source, target):
                                before[target] = source
                                (further if steps else here).append(target)
                level = here
            found = [node for node in further if node in depths]
            for node in sorted(found, key=lambda n: (depths[n], n)):
                if is_common(node):
                    return _way(before, node)
            if len(before) > _MOST:
                break
            level = further
        return []

    def _look_at(self, level: Iterable[int]) -> None:
        """Know what some nodes use that is neither rare nor a hub."""
        calls, edges = self._uses
        unknown = [node for node in level if node not in calls]
        if not unknown:
            return
        wanted = {**self._parameters, "nodes": json.dumps(unknown)}
        rows = nodes.tuples(self._conn).execute(nodes.sql()["next_used"], wanted).fetchall()
        new = {row[1] for row in rows}.difference(self._is_left_out)
        left_out = rare(self._conn, new) | hubs(self._conn, new)
        self._is_left_out.update((node, node in left_out) for node in new)
        for node in unknown:
            calls[node], edges[node] = [], []
        for source, target, steps, is_call in rows:
            if not self._is_left_out[target]:
                (calls if is_call else edges)[source].append((target, steps))


def _way(before: Mapping[int, int], node: int) -> list[int]:
    found = []
    while node >= 0:
        found.append(node)
        node = before[node]
    return found[::-1]
