"""What an answer has that can be given as a picture."""

from __future__ import annotations

from dataclasses import dataclass

from torchtalk.answers.base import Answer


@dataclass(frozen=True)
class PictureEdge:
    """One arrow of a picture, from what uses to what is used."""

    source: str
    target: str
    relation: str


@dataclass(frozen=True)
class DrawnAnswer(Answer):
    """What can be drawn.

    Args:
        form: text, json, mermaid or dot.
        picture: of mermaid and dot: the arrows.
    """

    form: str = "text"
    picture: tuple[PictureEdge, ...] = ()

    @property
    def alone(self) -> str | None:
        """What is drawn where there is no arrow."""
        return None

    def with_room(self) -> DrawnAnswer:
        """The same for JSON that has no room for all: what is less than all of it and still makes sense."""
        return self
