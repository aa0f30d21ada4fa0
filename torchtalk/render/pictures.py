"""The graph as a picture: Mermaid and Graphviz."""

from __future__ import annotations

import re
from collections.abc import Iterator

from torchtalk.answers.drawn import DrawnAnswer
from torchtalk.answers.graph import GraphAnswer, NeighboursAnswer

_PLAIN = re.compile(r"[\w ,;.?/+-]+")
"""What may stand between the bars of an arrow without quotes."""


def picture(answer: DrawnAnswer) -> str:
    """Lay out the arrows of an answer.

    Args:
        answer: whose form is mermaid or dot; its finding and notes become comments.
    """
    comment = "%% " if answer.form == "mermaid" else "// "
    remarks = [answer.finding, *_cut(answer), *answer.notes]
    lines = [comment + " ".join(remark.split()) for remark in remarks]
    lines += _mermaid(answer) if answer.form == "mermaid" else _dot(answer)
    return "\n".join(lines)


def _cut(answer: DrawnAnswer) -> Iterator[str]:
    """What the picture leaves out: one of a hub looks as whole as any other."""
    if isinstance(answer, GraphAnswer) and answer.page.cut:
        page = answer.page
        yield f"a part: {page.offset + 1} to {page.offset + page.shown} of {page.total}; more with limit and offset"
    if isinstance(answer, NeighboursAnswer) and answer.folded:
        counts = ", ".join(f"{number} {what}" for what, number in answer.folded.items())
        yield f"folded: {counts}; exclude=none shows them"


def _numbers(answer: DrawnAnswer) -> dict[str, int]:
    names: dict[str, int] = {}
    if not answer.picture:
        # What there is to say: an empty picture says nothing, not even that there is none.
        names[answer.alone or answer.finding] = 0
    for arrow in answer.picture:
        for name in (arrow.source, arrow.target):
            names.setdefault(name, len(names))
    return names


def _mermaid(answer: DrawnAnswer) -> Iterator[str]:
    yield "flowchart LR"
    names = _numbers(answer)
    for name, number in names.items():
        yield f'  n{number}["{_escaped(name)}"]'
    for arrow in answer.picture:
        relation = arrow.relation
        if not _PLAIN.fullmatch(relation):
            relation = f'"{_escaped(relation)}"'  # brackets would end it
        yield f"  n{names[arrow.source]} -->|{relation}| n{names[arrow.target]}"


def _escaped(text: str) -> str:
    """Mermaid's own escape for what stands in quotes."""
    for character, name in (("#", "35"), ('"', "quot"), ("<", "lt"), (">", "gt")):
        text = text.replace(character, f"#{name};")
    return " ".join(text.split())


def _dot(answer: DrawnAnswer) -> Iterator[str]:
    yield "digraph torchtalk {"
    yield "  rankdir=LR; node [shape=box];"
    names = _numbers(answer)
    for name, number in names.items():
        yield f'  n{number} [label="{_quoted(name)}"];'
    for arrow in answer.picture:
        relation = _quoted(arrow.relation)
        yield f'  n{names[arrow.source]} -> n{names[arrow.target]} [label="{relation}"];'
    yield "}"


def _quoted(text: str) -> str:
    """What stands in quotes in Graphviz' language."""
    return " ".join(text.split()).replace("\\", "\\\\").replace('"', '\\"')
