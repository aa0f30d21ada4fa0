"""Fifty kills -9 at random moments of a build that takes seconds."""

from __future__ import annotations

import os
import random
import shutil
import time
from pathlib import Path

from indexer.build import build
from indexer.scan.tree import open_tree
from tests.survive.report import figure
from tests.unit.killing import Tally, kill_once

KILLS = int(os.environ.get("TORCHTALK_KILLS", "50"))


def test_fifty_kills(fixture_tree: Path, tmp_path: Path) -> None:
    tree = Path(shutil.copytree(fixture_tree, tmp_path / "tree"))
    copies = 40
    for number in range(copies):
        shutil.copytree(fixture_tree / "torch", tree / "torch" / f"more_{number}")
    database = tmp_path / "out" / "x.db"
    start = time.monotonic()
    build(open_tree(tree), database, workers=2)
    whole = time.monotonic() - start
    rng, tally = random.Random(os.environ.get("TORCHTALK_SEED", "8")), Tally()
    for _ in range(KILLS):
        # To the end of the build and a little beyond: the swap is among the moments.
        kill_once(rng, tree, database, 1.4 * whole + 0.5, tally)
    build(open_tree(tree), database, workers=2)
    assert sorted(path.name for path in database.parent.iterdir()) == [
        "x.db",
        "x.db.lock",
        "x.db.stat",
    ]
    assert tally.old > KILLS // 10
    figure(
        f"kill -9, {KILLS} times at random moments of a build of {whole:.1f} s",
        f"{tally.parents} of the indexer, {tally.workers} of a worker; old index {tally.old}, "
        f"new index {tally.new}, damaged 0, orphans 0, locks left 0",
    )
