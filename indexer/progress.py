"""How a build tells what it is doing."""

from __future__ import annotations

import time
from typing import Protocol


class Progress(Protocol):
    """Receives a build's progress; the CLI draws a bar, CI gets lines, tests get nothing."""

    def stage(self, name: str, total: int) -> None:
        """The stage `name` begins; `total` is its number of steps, 0 where that is not known."""

    def advance(self, steps: int) -> None:
        """So many `steps` more of the stage are done."""


class Silent:
    """Says nothing."""

    def stage(self, name: str, total: int) -> None:
        """Ignore that the stage `name` begins, of `total` steps."""

    def advance(self, steps: int) -> None:
        """Ignore that `steps` more are done."""


class Clock:
    """Wall time of each stage.

    Args:
        seconds: where the stages' times go, by name.
    """

    def __init__(self, seconds: dict[str, float]) -> None:
        self._seconds = seconds
        self._last = time.perf_counter()

    def done(self, stage: str) -> None:
        """The stage called `stage` ends now, perhaps not for the first time; the next begins."""
        now = time.perf_counter()
        self._seconds[stage] = round(self._seconds.get(stage, 0.0) + now - self._last, 3)
        self._last = now

    def skip(self) -> None:
        """The next stage begins now; what was before is nobody's."""
        self._last = time.perf_counter()
