"""Fifty kills -9 at random moments of an update."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

from indexer.build import build
from indexer.scan.tree import open_tree
from tests.survive.report import figure
from tests.unit.support.killing import Tally, kill_once, seconds_alive

KILLS = int(os.environ.get("TORCHTALK_KILLS", "50"))
_EACH = 10


def test_fifty_kills(fixture_tree: Path, tmp_path: Path) -> None:
    tree = Path(shutil.copytree(fixture_tree, tmp_path / "tree"))
    copies = 40
    for number in range(copies):
        shutil.copytree(fixture_tree / "torch", tree / "torch" / f"more_{number}")
    database = tmp_path / "out" / "x.db"
    build(open_tree(tree), database, workers=2)
    rng, tally = random.Random(os.environ.get("TORCHTALK_SEED", "8")), Tally()
    whole = 0.0
    for number in range(KILLS):
        if number % _EACH == 0:
            # What else the machine does makes it twice as long or half.
            whole = seconds_alive(tree, database)
        # To the end of the build and a little beyond: the swap is among the moments.
        kill_once(rng, tree, database, 1.2 * whole + 0.3, tally)
    build(open_tree(tree), database, workers=2)
    assert sorted(path.name for path in database.parent.iterdir()) == [
        "x.db",
        "x.db.lock",
        "x.db.stat",
    ]
    assert tally.old > KILLS // 10
    figure(
        f"kill -9, {KILLS} times at random moments of an update of {whole:.1f} s",
        f"{tally.parents} of the indexer, {tally.workers} of a worker; old index {tally.old}, "
        f"new index {tally.new}, damaged 0, orphans 0, locks left 0",
    )
