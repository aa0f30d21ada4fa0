"""The text of diff."""

from __future__ import annotations

from collections.abc import Iterator

from torchtalk.answers.diff import Change, DiffAnswer, Section
from torchtalk.render.pages import page_line, row
from torchtalk.render.text import lines_of

_MOST_MEMBERS = 6
_MOST_DETAILS = 8
_MOST_LINE = 420


@lines_of.register
def _(answer: DiffAnswer) -> Iterator[str]:
    several = len(answer.sections) > 1
    if several:
        for section in answer.sections:
            yield f"  {section.name}: {_counts(section)}"
    for section in answer.sections:
        if section.missing or (several and not section.total):
            continue
        if several:
            yield ""
        yield f"{section.title}: {_counts(section)}"
        yield from (f"  {fact}" for fact in section.facts)
        for change in section.changes:
            yield from row(_bounded(_change(change)))
        yield from _page(section, several)


def _counts(section: Section) -> str:
    if section.missing:
        return "not compared"
    counted = ", ".join(f"{number} {name}" for name, number in section.counts.items() if number)
    return counted or "no difference"


def _page(section: Section, several: bool) -> Iterator[str]:
    if several and section.page.cut and section.page.shown:
        yield f"… {section.page.shown} of {section.page.total}; all: section={section.name}"
    else:
        yield from page_line(section.page, "changes")


def _change(change: Change) -> str:
    text = f"{change.name}"
    members = change.members
    if change.kind in ("moved", "replaced"):
        text += f"  [{change.kind}; {_names(members)}]"
    elif members and members != ("default",):
        text += f"  [{change.kind}: {_names(members)}]"
    else:
        text += f"  [{change.kind}]"
    if change.details:
        more = len(change.details) - _MOST_DETAILS
        text += "  " + "; ".join(change.details[:_MOST_DETAILS])
        text += f"; {more} more" if more > 0 else ""
    if change.old and change.new and change.old.file != change.new.file:
        return f"{text}  {change.old} → {change.new}"
    at = change.new or change.old
    return f"{text}  {at}" if at and str(at) != change.name else text


def _names(members: tuple[str, ...]) -> str:
    more = len(members) - _MOST_MEMBERS
    return ", ".join(members[:_MOST_MEMBERS]) + (f" and {more} more" if more > 0 else "")


def _bounded(text: str) -> str:
    if len(text) <= _MOST_LINE:
        return text
    head, _, at = text.rpartition("  ")
    return f"{head[: _MOST_LINE - len(at) - 3]}…  {at}" if len(at) < 200 else text[:_MOST_LINE]
