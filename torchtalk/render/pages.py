"""The rows of a page, and a page of fewer rows where a text has no room for all of them.

A row that is cut off at the end of a text is lost to who goes on with the next page. So the lines say where rows begin
and what the page is, and a text that is too long ends with a whole row and the offset to go on with.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from torchtalk.answers.base import Page

_ROOM = 120  # for the line that says which rows are shown


class RowLine(str):
    """The first line of a row: it may be a heading that stands above it."""

    __slots__ = ()


class PageLine(str):
    """The line behind the rows, which says which of them they are; empty where they are all."""

    page: Page
    what: str


def row(*lines: str) -> Iterator[str]:
    """The lines of one row of the page."""
    for at, line in enumerate(lines):
        yield line if at else RowLine(line)


def page_line(page: Page, what: str) -> Iterator[str]:
    """The line that says what was cut, if anything was; it follows the rows.

    Args:
        page: of the answer.
        what: its rows are.
    """
    line = PageLine(_text(page, what))
    line.page, line.what = page, what
    yield line


def _text(page: Page, what: str) -> str:
    if not page.cut:
        return ""
    if page.shown == 0:
        there = f"there are {page.total:,} {what}" if page.total > 1 else "there is but one"
        return f"none at offset {page.offset}: {there}"
    end = page.offset + page.shown
    more = f"; more with offset={end}" if end < page.total else ""
    return f"{page.offset + 1:,} to {end:,} of {page.total:,} {what}{more}"


def written(lines: Iterable[str]) -> list[str]:
    """The lines without those that say nothing."""
    return [line for line in lines if line or not isinstance(line, PageLine)]


def with_room(lines: Sequence[str], limit: int) -> list[str]:
    """The lines with as many rows of the page as there is room for, and all that stands before and after these.

    Args:
        lines: of an answer.
        limit: most characters.

    Returns:
        The lines; as they are where they have room, or no row has any.
    """
    ends = (at for at, line in enumerate(lines) if isinstance(line, PageLine) and line.page.shown)
    end = next(ends, None)
    if end is None or len("\n".join(written(lines))) <= limit:
        return list(lines)
    line = lines[end]
    starts = [at for at, text in enumerate(lines[:end]) if isinstance(text, RowLine)]
    if not starts or not isinstance(line, PageLine) or len(starts) != line.page.shown:
        return list(lines)
    kept = len(starts)
    size = sum(len(text) + 1 for text in lines)
    bounds = [*starts, end]
    room = limit - _ROOM
    while kept and size > room:
        kept -= 1
        size -= sum(len(text) + 1 for text in lines[bounds[kept] : bounds[kept + 1]])
    if not kept or size > room:
        return list(lines)
    shorter = _text(replace(line.page, shown=kept), line.what)
    no_room = f" (there is no room for all {len(starts)})"
    return [*lines[: bounds[kept]], shorter + no_room, *lines[end + 1 :]]
