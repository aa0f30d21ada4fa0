"""Walks that calls for other devices are taken out of, against the same walks done anew, on whole trees."""

from __future__ import annotations

import pytest

from tests.real.conftest import Real
from torchtalk.graph import exclusions, walk
from torchtalk.graph.mending import TooMany

pytestmark = pytest.mark.real

_HUBS = """
    SELECT u.name FROM calls AS c JOIN functions AS u ON u.id = c.callee_id
    GROUP BY u.name ORDER BY count(*) DESC LIMIT 12
"""
_KERNELS = """
    SELECT DISTINCT u.name FROM stub_registrations AS r JOIN functions AS u ON u.id = r.function_id
    WHERE u.id % 4 = 1 ORDER BY u.name
"""
_NAMED = "SELECT id * 16 FROM functions WHERE name = ?"


def test_it_reaches_what_a_walk_without_them_reaches(
    real: Real, monkeypatch: pytest.MonkeyPatch
) -> None:
    excluded = exclusions.parse(real.conn, exclusions.DEFAULT)
    names = [row[0] for statement in (_HUBS, _KERNELS) for row in real.conn.execute(statement)]

    def anew(*_: object) -> None:
        raise TooMany

    mended = 0
    for name in names:
        seeds = [row[0] for row in real.conn.execute(_NAMED, (name,))]
        found = walk.upwards(real.conn, seeds, 5, excluded)
        if not found.foreign:
            continue
        with monkeypatch.context() as patched:
            patched.setattr(walk, "mend", anew)
            assert walk.upwards(real.conn, seeds, 5, excluded).depths == found.depths, name
        mended += 1
    assert mended >= 10
