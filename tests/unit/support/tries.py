"""How many inputs a property is tried with."""

from __future__ import annotations

import os

_SHARE = 1 if os.environ.get("TORCHTALK_ALL_EXAMPLES") else 3


def tries(number: int = 100) -> int:
    """All of them where time does not count (`make survive`), a third in the fast tests.

    Args:
        number: how many are thorough.
    """
    return max(1, number // _SHARE)
