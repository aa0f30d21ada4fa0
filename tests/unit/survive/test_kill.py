"""kill -9 of the indexer or a worker at any moment: the old index or the new one, and no process."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from indexer.build import build
from indexer.scan.tree import open_tree
from tests.unit.support.killing import Tally, kill_once
from torchtalk.db import connect


@pytest.mark.slow
def test_a_killed_indexer_leaves_the_old_index_or_the_new_one(
    fixture_tree: Path, tmp_path: Path
) -> None:
    tree = Path(shutil.copytree(fixture_tree, tmp_path / "tree"))
    database = tmp_path / "out" / "x.db"
    build(open_tree(tree), database, workers=0)
    rng, tally = random.Random(8), Tally()
    for _ in range(4):
        kill_once(rng, tree, database, 1.5, tally)
    assert tally.old + tally.new == 4
    assert tally.old > 0, "no kill came before the end"
    # What was killed is swept up by the next build, which nothing holds up.
    build(open_tree(tree), database, workers=0)
    assert sorted(path.name for path in database.parent.iterdir()) == [
        "x.db",
        "x.db.lock",
        "x.db.stat",
    ]
    connect(database).close()
