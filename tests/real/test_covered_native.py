"""What `affected` chooses for a change in a function of C++, against what PyTorch's own tests ran of it."""

from __future__ import annotations

import pytest

from benchmarks.covered_native import drawn, measure
from tests.real.conftest import Real

pytestmark = pytest.mark.real


def test_the_more_a_test_weighs_the_sooner_it_runs_what_changed(new: Real) -> None:
    found = measure(new.conn, drawn(new.conn, 60, "aten/"), 50)
    assert (found.functions, found.hit, found.of_file) == (60, 44, 54)
    # Of those that were recorded: how many ran it, and how many did not.
    ran = {how: (found.right[how], found.wrong[how]) for how in found.right | found.wrong}
    assert ran == {
        "reached, 0.6 and more": (25, 10),
        "reached, 0.3 and more": (34, 39),
        "reached, 0.1 and more": (79, 98),
        "reached, 0.0 and more": (20, 36),
        "by name": (10, 9),
        "beside the change": (0, 1),
    }
