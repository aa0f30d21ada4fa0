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


def around(
    conn: sqlite3.Connection,
    start: int,
    depths: Mapping[int, int],
    parameters: Mapping[str, object],
    follows: Callable[[int, int], bool],
    is_common: Callable[[int], bool],
) -> list[int]:
    """A shortest way down from a node to one that was reached, by functions that are neither rare nor hubs.

    Args:
        conn: an index.
        start: where the way begins.
        depths: what was reached from below, and how many calls it is away from the start there.
        parameters: what is not followed, as the statements take it.
        follows: whether an edge, by its ends, is followed.
        is_common: whether nothing on the path below a node that was reached is rare or a hub.

    Returns:
        The nodes of the way, `start` first and the one that was reached last; none where there is no such way.
    """
    before: dict[int, int] = {start: -1}
    level = [start]
    for _ in range(_FURTHER + 1):
        further: list[int] = []
        while level:
            wanted = {**parameters, "nodes": json.dumps(level)}
            here: list[int] = []
            rows = conn.execute(nodes.sql()["next_used"], wanted).fetchall()
            new = {row["target"] for row in rows}.difference(before)
            left_out = rare(conn, new) | hubs(conn, new)
            for row in rows:
                source, target = row["source"], row["target"]
                if target not in before and target not in left_out and follows(source, target):
                    before[target] = source
                    (further if row["steps"] else here).append(target)
            level = here
        found = [node for node in further if node in depths]
        for node in sorted(found, key=lambda n: (depths[n], n)):
            if is_common(node):
                return _way(before, node)
        if len(before) > _MOST:
            break
        level = further
    return []


def _way(before: Mapping[int, int], node: int) -> list[int]:
    found = []
    while node >= 0:
        found.append(node)
        node = before[node]
    return found[::-1]
