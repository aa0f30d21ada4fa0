"""Which link steps take how long, of one build of the fast layers: the one that a change made slow stands out.

    python -m benchmarks.link_steps --pytorch-source DIR

What workers resolve beside them is in the time of the build alone. Shares can be compared between runs, seconds only
where the machine was as busy.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from indexer import linking
from indexer.build import build
from indexer.scan.tree import open_tree
from indexer.worker_steps import Begun

_LINE = "{:24} {:>8} {:>8} {:>7}"


class Spent(NamedTuple):
    """What a link step took.

    Args:
        step: its name, with its number.
        wall: seconds.
        cpu: seconds of this process.
    """

    step: str
    wall: float
    cpu: float


class TimedLinking(linking.Linking):
    """The link steps of a build, each with the time that it takes.

    Attributes:
        spent: by all that ran, of every build in this process.
    """

    spent: list[Spent] = []  # noqa: RUF012 - the build makes the object, and tells nobody of it

    def _run(self, numbers: Iterable[int], begun: Begun | None = None) -> None:
        for number in numbers:
            if number in self._left:
                wall, cpu = time.perf_counter(), time.process_time()
                super()._run([number], begun)
                took = time.perf_counter() - wall, time.process_time() - cpu
                self.spent.append(Spent(self._steps[number][0], *took))


def timed(source: Path) -> tuple[list[Spent], float]:
    """The time of each link step of a build, and that of the whole build, in seconds.

    Args:
        source: a PyTorch tree.
    """
    TimedLinking.spent.clear()
    begun = time.perf_counter()
    with (
        tempfile.TemporaryDirectory() as folder,
        mock.patch.object(linking, "Linking", TimedLinking),
    ):
        build(open_tree(source), Path(folder) / "timed.db", full=True)
    return list(TimedLinking.spent), time.perf_counter() - begun


def lines(spent: list[Spent], whole: float) -> list[str]:
    """The table: the longest step first, with its share of what all steps take of this process.

    Args:
        spent: by each step.
        whole: seconds of the build.
    """
    cpu = sum(one.cpu for one in spent) or 1.0
    table = [_LINE.format("link step", "s", "CPU s", "share")]
    for one in sorted(spent, key=lambda one: (-one.cpu, one.step)):
        row = f"{one.wall:.2f}", f"{one.cpu:.2f}", f"{100 * one.cpu / cpu:.1f} %"
        table.append(_LINE.format(one.step, *row))
    wall = sum(one.wall for one in spent)
    table.append(_LINE.format("all steps", f"{wall:.2f}", f"{cpu:.2f}", "100 %"))
    table.append(_LINE.format("the build", f"{whole:.2f}", "", ""))
    return table


def main() -> None:
    """Build once and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pytorch-source", type=Path, required=True)
    print("\n".join(lines(*timed(parser.parse_args().pytorch_source))))


if __name__ == "__main__":
    main()
