"""The text of search."""

from __future__ import annotations

from collections.abc import Iterator

from torchtalk.answers.search import Hit, OtherHit, SearchAnswer
from torchtalk.render.text import lines_of, page_line


@lines_of.register
def _(answer: SearchAnswer) -> Iterator[str]:
    if _is_exact(answer.others) and not _is_exact(answer.hits):
        yield from _others(answer)
        yield from _operators(answer)
    else:
        yield from _operators(answer)
        yield from _others(answer)


def _is_exact(hits: tuple[Hit, ...] | tuple[OtherHit, ...]) -> bool:
    return bool(hits) and hits[0].why == "exact name"


def _operators(answer: SearchAnswer) -> Iterator[str]:
    for hit in answer.hits:
        overloads = "" if hit.overloads == 1 else f" ({hit.overloads} overloads)"
        leads = ", ".join(hit.kernels) if hit.kernels else ", ".join(hit.keys) or "no kernel"
        yield f"{hit.name}{overloads}  {hit.place}  {leads}  [{hit.why}]"
    yield from page_line(answer.page, "operators")


def _others(answer: SearchAnswer) -> Iterator[str]:
    if not answer.others_page.total:
        return
    if not answer.kind:
        kinds = ", ".join(f"{number} {kind}" for kind, number in answer.kinds)
        yield f"other names ({kinds}; `kind` shows those alone):"
    for other in answer.others:
        several = "" if other.places <= 1 else f" ({other.places} places)"
        yield f"{other.kind} {other.name}{several}  {other.place}  [{other.why}]"
    if answer.kind or not answer.page.total:
        yield from page_line(answer.others_page, "names")
