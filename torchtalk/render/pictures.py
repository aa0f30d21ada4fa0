"""The graph as a picture: Mermaid and Graphviz."""

from __future__ import annotations

from collections.abc import Iterator

from torchtalk.answers.graph import DrawnAnswer, GraphAnswer, NeighboursAnswer


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
    if not answer.picture and answer.alone is not None:
        names[answer.alone] = 0
    for arrow in answer.picture:
        for name in (arrow.source, arrow.target):
            names.setdefault(name, len(names))
    return names


def _mermaid(answer: DrawnAnswer) -> Iterator[str]:
    yield "flowchart LR"
    names = _numbers(answer)
    for name, number in names.items():
        # Mermaid's own escape for what stands in quotes.
        text = (
            name.replace("#", "#35;")
            .replace('"', "#quot;")
            .replace("<", "#lt;")
            .replace(">", "#gt;")
        )
        yield f'  n{number}["{text}"]'
    for arrow in answer.picture:
        yield f"  n{names[arrow.source]} -->|{arrow.relation}| n{names[arrow.target]}"


def _dot(answer: DrawnAnswer) -> Iterator[str]:
    yield "digraph torchtalk {"
    yield "  rankdir=LR; node [shape=box];"
    names = _numbers(answer)
    for name, number in names.items():
        text = name.replace("\\", "\\\\").replace('"', '\\"')
        yield f'  n{number} [label="{text}"];'
    for arrow in answer.picture:
        yield f'  n{names[arrow.source]} -> n{names[arrow.target]} [label="{arrow.relation}"];'
    yield "}"
