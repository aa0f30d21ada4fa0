"""A test with how much it is about what was asked for, and the reasons."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Scored:
    """A test and what it has to do with what was asked for.

    Args:
        score: the more, the more it is about that.
        why: the reasons.
    """

    score: float = 0.0
    why: list[str] = field(default_factory=list)

    @property
    def uses(self) -> bool:
        """Whether it calls or has in hand what was asked for, as far as is said."""
        return any(why.startswith("uses ") for why in self.why)

    def add(self, score: float, why: str) -> None:
        """Take in one more reason, `why`, which counts `score`."""
        self.score += score
        self.why.append(why)
