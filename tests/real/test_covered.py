"""What `affected` chooses for a change in a function of Python, against what PyTorch's own tests ran of it."""

from __future__ import annotations

import pytest

from benchmarks.covered import drawn, measure
from tests.real.conftest import Real

pytestmark = pytest.mark.real


def test_the_more_a_test_weighs_the_sooner_it_runs_what_changed(new: Real) -> None:
    found = measure(new.conn, drawn(120), 50)
    assert (found.functions, found.hit, found.of_file) == (111, 69, 96)
    # Of those that were recorded: how many ran it, and how many did not.
    ran = {how: (found.right[how], found.wrong[how]) for how in found.right | found.wrong}
    assert ran == {
        "reached, 0.6 and more": (62, 15),
        "reached, 0.3 and more": (126, 71),
        "reached, 0.1 and more": (135, 208),
        "reached, 0.0 and more": (16, 85),
        "beside the change": (1, 10),
        "by name": (0, 38),
    }
