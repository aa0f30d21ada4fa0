"""The calls that PyTorch's C++ was seen to make, against the graph."""

from __future__ import annotations

from collections import Counter

import pytest

from benchmarks.native_calls import recorded, steps
from tests.real.conftest import Real

pytestmark = pytest.mark.real


def test_calls_that_were_seen_are_known(new: Real) -> None:
    # Between both may be what the compiler wrote into the caller. 0: no way of six steps leads there.
    assert Counter(steps(new.conn, recorded()).values()) == {
        1: 6590, 2: 2491, 3: 989, 4: 455, 5: 202, 6: 134, 0: 1475,
    }  # fmt: skip
