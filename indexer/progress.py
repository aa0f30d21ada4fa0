"""How a build tells what it is doing."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Receives a build's progress; the CLI draws a bar, CI gets lines, tests get nothing."""

    def stage(self, name: str, total: int) -> None:
        """A stage begins; `total` is its number of steps, 0 where that is not known."""

    def advance(self, steps: int) -> None:
        """So many steps of the stage are done."""


class Silent:
    """Says nothing."""

    def stage(self, name: str, total: int) -> None:
        """Ignore it."""

    def advance(self, steps: int) -> None:
        """Ignore it."""
