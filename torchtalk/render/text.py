"""Answers as compact text: the finding first, one fact a line, never more than a budget."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Iterable, Sequence
from dataclasses import replace

from torchtalk.answers.base import Answer
from torchtalk.answers.drawn import DrawnAnswer
from torchtalk.render.json import to_json
from torchtalk.render.pages import with_room, written

MAX_CHARACTERS = 24_000
"""Cap of one answer. Source names come to some 3.2 characters a token: under 8,000 tokens."""


def to_text(answer: Answer, limit: int = MAX_CHARACTERS) -> str:
    """Lay out an answer.

    Args:
        answer: of any tool.
        limit: most characters; what is cut is said in the last line.
    """
    if isinstance(answer, DrawnAnswer) and answer.form != "text":
        return _other_form(answer, limit)
    package, _, name = type(answer).__module__.rpartition(".")
    if package == "torchtalk.answers" and name != "base":
        # At the top all of them would be loaded by a server that starts.
        importlib.import_module(f"torchtalk.render.text_{name}")
    lines = [answer.finding, *lines_of(answer)]
    lines += [f"note: {note}" for note in answer.notes]
    if answer.closest:
        lines.append(f"closest names: {', '.join(answer.closest)}")
    return _bounded(written(with_room(lines, limit)), limit)


_LONGEST_RUN = 3  # of lines that are listed each
_LONGEST_CONDITION = 120


@functools.singledispatch
def lines_of(answer: Answer) -> Iterable[str]:
    """The lines between an answer's finding and its notes; each tool's answer registers its own."""
    return ()


def places_built(places: Sequence[str], conditions: Sequence[str], between: str = ", ") -> str:
    """Places, those apart that are built under a condition of the preprocessor alone: `1, 2; 5 if X; 7 if !X`.

    A file is said once where several of its lines follow each other.

    Args:
        places: as they are shown.
        conditions: of each, as written; empty for none.
        between: what parts them.
    """
    under: dict[str, list[str]] = {}
    if any(conditions) and not all(conditions):
        under[""] = []  # first
    for place, condition in zip(places, conditions, strict=True):
        under.setdefault(condition, []).append(place)
    return "; ".join(
        between.join(_in_files(which)) + _if(condition) for condition, which in under.items()
    )


def _in_files(places: Sequence[str]) -> list[str]:
    """Places with each file named once, and lines that follow one another as one: `a.cu:3-7`, `12`, `b.cu:1`."""
    shown: list[str] = []
    runs: list[tuple[str, int, int]] = []
    for place in places:
        path, _, line = place.rpartition(":")
        if not path or not line.isdecimal():
            return list(places)
        at = int(line)
        if runs and runs[-1][0] == path and runs[-1][2] + 1 == at:
            runs[-1] = (path, runs[-1][1], at)
        else:
            runs.append((path, at, at))
    file = ""
    for path, first, last in runs:
        few = last - first < _LONGEST_RUN
        lines = [str(at) for at in range(first, last + 1)] if few else [f"{first}-{last}"]
        shown += lines if path == file else [f"{path}:{lines[0]}", *lines[1:]]
        file = path
    return shown


def _if(condition: str) -> str:
    if len(condition) > _LONGEST_CONDITION:
        condition = f"{condition[:_LONGEST_CONDITION]} …"
    return f" if {condition}" if condition else ""


def _other_form(answer: DrawnAnswer, limit: int) -> str:
    """JSON or a picture, with fewer entries where it would be too long: half of it is no use."""
    if answer.form == "json":
        text = to_json(answer)
        return text if len(text) <= limit else to_json(answer.with_room(), limit)
    from torchtalk.render.pictures import picture

    text = picture(answer)
    while len(text) > limit and answer.picture:
        answer = replace(answer, picture=answer.picture[: len(answer.picture) // 2])
        text = picture(answer)
    return (
        text
        if len(text) <= limit
        else picture(replace(answer, finding=answer.finding[:500], notes=()))
    )


def _bounded(lines: list[str], limit: int) -> str:
    text = "\n".join(lines)
    if len(text) <= limit:
        return text
    kept: list[str] = []
    size = 0
    room = limit - 200
    for line in lines:
        line = line if len(line) <= 2_000 else line[:2_000] + " …"
        if size + len(line) + 1 > room:
            break
        kept.append(line)
        size += len(line) + 1
    kept.append(
        f"cut here: {len(lines) - len(kept)} of {len(lines)} lines left out; "
        "ask for less: one overload (name.overload), another focus, or a smaller limit"
    )
    return "\n".join(kept)
