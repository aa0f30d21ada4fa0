"""Taking edges out of a walk that is done: who was reached by them alone is further away, or not reached.

A walk from a hub takes a third of a second, and what some edges bring with them is a handful of nodes.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Mapping

Edge = tuple[int, int]
"""The node at the other end, and how many calls that is (0: a registration)."""

_MOST = 500
"""Looking at so many nodes one by one takes as long as to walk anew."""


class TooMany(Exception):
    """To walk anew is no slower."""


def mend(
    depths: Mapping[int, int],
    suspects: Iterable[int],
    users: Callable[[int], Iterable[Edge]],
    uses: Callable[[int], Iterable[Edge]],
    most: int,
) -> dict[int, int]:
    """Tell how far away nodes are once some edges are gone.

    Args:
        depths: the nodes that were reached with the edges, each with the number of calls it is away.
        suspects: those that the edges start at, but for what the walk began with.
        users: what depends on a node; by edges that are gone, too.
        uses: what a node depends on, without these.
        most: how many calls away a node may be.

    Returns:
        The same for those that are reached without them.

    Raises:
        TooMany: more nodes hang on the edges than it is worth to look at.
    """
    lost = _lost(depths, suspects, users, uses)
    if not lost:
        return dict(depths)
    mended = {node: depth for node, depth in depths.items() if node not in lost}
    further = [
        (mended[target] + steps, node)
        for node in lost
        for target, steps in uses(node)
        if target in mended
    ]
    heapq.heapify(further)
    while further:
        depth, node = heapq.heappop(further)
        if depth > most or node in mended:
            continue
        mended[node] = depth
        for user, steps in users(node):
            if user in lost and user not in mended and (node, steps) in uses(user):
                heapq.heappush(further, (depth + steps, user))
    return mended


def _lost(
    depths: Mapping[int, int],
    suspects: Iterable[int],
    users: Callable[[int], Iterable[Edge]],
    uses: Callable[[int], Iterable[Edge]],
) -> set[int]:
    """The nodes that nothing they use explains the depth of any longer."""
    lost: set[int] = set()
    asked = 0
    waiting = [(depths[node], node) for node in suspects]
    heapq.heapify(waiting)
    while waiting:
        depth, node = heapq.heappop(waiting)
        if node in lost:
            continue
        asked += 1
        if asked > _MOST:
            raise TooMany
        if any(
            target in depths and target not in lost and depths[target] + steps == depth
            for target, steps in uses(node)
            if target != node
        ):
            continue
        lost.add(node)
        for user, steps in users(node):
            if depths.get(user) == depth + steps and user not in lost:
                heapq.heappush(waiting, (depths[user], user))
    return lost
