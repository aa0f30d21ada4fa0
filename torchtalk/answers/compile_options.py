"""Switches of torch.compile, and the messages of its graph breaks."""

from __future__ import annotations

from dataclasses import dataclass, field

from torchtalk.answers.base import Answer, Page, Place


@dataclass(frozen=True)
class OptionHit:
    """One option, variable or message.

    Args:
        kind: log, artifact, config, env or graph_break.
        name: in full; of a graph break its message.
        default: the expression of its default; of an artifact when it is on.
        description: the comment or text beside it; of a graph break its explanation.
        environment: variables that set it.
        hints: what a graph break advises.
        places: where it stands, the first ones.
        more_places: how many others there are.
        used: where a log artifact is written to.
    """

    kind: str
    name: str
    default: str = ""
    description: str = ""
    environment: str = ""
    hints: tuple[str, ...] = ()
    places: tuple[Place, ...] = ()
    more_places: int = 0
    used: tuple[Place, ...] = ()


@dataclass(frozen=True)
class CompileOptionsAnswer(Answer):
    """What fits a text, the best first.

    Args:
        kind: the one that was asked for; empty for all.
        hits: on this page.
        page: which part of all.
    """

    kind: str = ""
    hits: tuple[OptionHit, ...] = ()
    page: Page = field(default_factory=lambda: Page(0, 0, 0))

    @property
    def found(self) -> bool:
        """Whether anything fits, on this page or another."""
        return self.page.total > 0
