"""Sixteen clients for two minutes, the index replaced every ten seconds."""

from __future__ import annotations

import os
from pathlib import Path

from benchmarks.load import run
from tests.survive.report import figure

SECONDS = float(os.environ.get("TORCHTALK_LOAD_SECONDS", "120"))


def test_sixteen_clients(fixture_db: Path) -> None:
    database = Path(os.environ.get("TORCHTALK_TEST_DB") or fixture_db)
    load = run(database, 16, SECONDS, SECONDS / 12)
    print(load.table())
    figure(
        f"16 clients over HTTP, {SECONDS:.0f} s, index replaced {load.replaced} times",
        f"{load.requests:,} answers, {len(load.failures)} failures; memory at most "
        f"{max(load.memory) / 1e6:.0f} MB, growth {load.growth():.2f}",
    )
    assert load.failures == []
    assert load.replaced >= 10
    assert load.growth() < 1.2
