"""The time of each link step, as `python -m benchmarks.link_steps` tells it."""

from __future__ import annotations

from pathlib import Path

from benchmarks.link_steps import Spent, lines, timed
from indexer import link
from indexer.layers import FAST_LAYERS, step_numbers


def test_each_step_of_a_build_is_timed_once(fixture_tree: Path) -> None:
    spent, whole = timed(fixture_tree)
    assert sorted(one.step for one in spent) == [
        n for n, _ in link.steps(step_numbers(FAST_LAYERS))
    ]
    assert sum(one.wall for one in spent) < whole


def test_the_longest_comes_first() -> None:
    table = lines([Spent("20_kernels", 1.0, 1.0), Spent("80_edges", 4.0, 3.0)], 9.0)
    assert [" ".join(line.split()) for line in table] == [
        "link step s CPU s share",
        "80_edges 4.00 3.00 75.0 %",
        "20_kernels 1.00 1.00 25.0 %",
        "all steps 5.00 4.00 100 %",
        "the build 9.00",
    ]
