"""Answers as compact text: the finding first, one fact a line, never more than a budget."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence

from torchtalk.answers.base import Answer, Page
from torchtalk.answers.graph import DrawnAnswer
from torchtalk.render.json import to_json
from torchtalk.render.pictures import picture

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
    lines = [answer.finding, *lines_of(answer)]
    lines += [f"note: {note}" for note in answer.notes]
    if answer.closest:
        lines.append(f"closest names: {', '.join(answer.closest)}")
    return _bounded(lines, limit)


_LONGEST_CONDITION = 120


@functools.singledispatch
def lines_of(answer: Answer) -> Iterable[str]:
    """The lines between an answer's finding and its notes; each tool's answer registers its own."""
    return ()


def page_line(page: Page, what: str) -> Iterator[str]:
    """The line that says what was cut, if anything was."""
    if page.cut:
        if page.shown == 0:
            there = f"there are {page.total} {what}" if page.total > 1 else "there is but one"
            yield f"none at offset {page.offset}: {there}"
        else:
            end = page.offset + page.shown
            more = f"; more with offset={end}" if end < page.total else ""
            yield f"{page.offset + 1} to {end} of {page.total} {what}{more}"


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
        between.join(_files_once(which)) + _if(condition) for condition, which in under.items()
    )


def _files_once(places: Sequence[str]) -> Iterator[str]:
    """Places in a row, the file of those that follow each other in it said with the first: `a.cu:3, 9, b.cu:4`."""
    last = ""
    for place in places:
        file, mark, line = place.rpartition(":")
        yield line if mark and file == last else place
        last = file


def _if(condition: str) -> str:
    if len(condition) > _LONGEST_CONDITION:
        condition = f"{condition[:_LONGEST_CONDITION]} …"
    return f" if {condition}" if condition else ""


def _other_form(answer: DrawnAnswer, limit: int) -> str:
    """JSON or a picture, with fewer entries where it would be too long: half of it is no use."""
    text = to_json(answer) if answer.form == "json" else picture(answer)
    while len(text) > limit:
        answer = answer.shorter()
        text = to_json(answer) if answer.form == "json" else picture(answer)
    return text


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
