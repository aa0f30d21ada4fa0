"""Clients over HTTP while the index is replaced: ten seconds of what `benchmarks.load` does for two minutes."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.load import run


@pytest.mark.slow
def test_no_request_fails_while_the_index_is_replaced(fixture_db: Path) -> None:
    load = run(fixture_db, clients=6, seconds=8, every=0.5)
    assert load.failures == []
    assert load.replaced >= 5
    assert load.requests >= 50
    assert load.growth() < 1.5, load.memory
