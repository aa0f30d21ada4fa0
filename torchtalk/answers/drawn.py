"""What an answer has that can be given as a picture."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

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

    def shorter(self) -> DrawnAnswer:
        """The same with half of the list that takes most room, for a form that cannot be cut anywhere; totals stay."""
        lists = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        lists = {name: value for name, value in lists.items() if isinstance(value, tuple) and value}
        changed: dict[str, Any] = {"finding": self.finding[:500], "query": self.query[:500]}
        if lists:
            longest = max(lists, key=lambda name: len(repr(lists[name])))
            changed = {longest: lists[longest][: len(lists[longest]) // 2]}
        return replace(self, **changed)
