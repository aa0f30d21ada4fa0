"""A walk that edges are taken out of is the walk without them."""

from __future__ import annotations

import heapq

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchtalk.graph import mending
from torchtalk.graph.mending import TooMany, mend

Edges = set[tuple[int, int, int]]
"""User, what it uses, and how many calls that is."""


def walked(edges: Edges, seeds: set[int], most: int) -> dict[int, int]:
    depths: dict[int, int] = {}
    waiting = [(0, seed) for seed in seeds]
    while waiting:
        depth, node = heapq.heappop(waiting)
        if depth <= most and node not in depths:
            depths[node] = depth
            for user, used, steps in edges:
                if used == node:
                    heapq.heappush(waiting, (depth + steps, user))
    return depths


def mended(edges: Edges, gone: Edges, seeds: set[int], most: int) -> dict[int, int]:
    return mend(
        walked(edges, seeds, most),
        {user for user, _, _ in gone if user in walked(edges, seeds, most)} - seeds,
        lambda node: [(u, s) for u, used, s in edges if used == node and u not in seeds],
        lambda node: [(used, s) for u, used, s in edges - gone if u == node],
        most,
    )


# Registrations go one way, from what is above to what is below, as operators do to their kernels.
_edges = st.sets(
    st.tuples(st.integers(0, 12), st.integers(0, 12), st.integers(0, 1)).filter(
        lambda e: e[2] or e[0] > e[1]
    ),
    max_size=50,
)


@given(_edges, st.data(), st.sets(st.integers(0, 12), min_size=1, max_size=3), st.integers(0, 7))
def test_it_is_what_a_walk_without_them_finds(
    edges: Edges, data: st.DataObject, seeds: set[int], most: int
) -> None:
    gone = data.draw(
        st.sets(st.sampled_from(sorted(edges)), max_size=6) if edges else st.just(set())
    )
    assert mended(edges, gone, seeds, most) == walked(edges - gone, seeds, most)


def test_who_has_another_way_is_further_away() -> None:
    edges = {(1, 0, 1), (2, 1, 1), (3, 2, 1), (3, 0, 1), (4, 3, 1), (5, 3, 0)}
    assert walked(edges, {0}, 3) == {0: 0, 1: 1, 2: 2, 3: 1, 4: 2, 5: 1}
    assert mended(edges, {(3, 0, 1)}, {0}, 3) == {0: 0, 1: 1, 2: 2, 3: 3, 5: 3}


def test_many_are_left_to_another_walk(monkeypatch: pytest.MonkeyPatch) -> None:
    edges = {(1, 0, 1), *((node, 1, 1) for node in range(2, 10))}
    assert mended(edges, {(1, 0, 1)}, {0}, 3) == {0: 0}
    monkeypatch.setattr(mending, "_MOST", 8)
    with pytest.raises(TooMany):
        mended(edges, {(1, 0, 1)}, {0}, 3)
