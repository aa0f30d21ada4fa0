"""The text of search."""

from __future__ import annotations

from collections.abc import Iterator

from torchtalk.answers.search import SearchAnswer
from torchtalk.render.text import lines_of, page_line


@lines_of.register
def _(answer: SearchAnswer) -> Iterator[str]:
    for hit in answer.hits:
        overloads = "" if hit.overloads == 1 else f" ({hit.overloads} overloads)"
        leads = ", ".join(hit.kernels) if hit.kernels else ", ".join(hit.keys) or "no kernel"
        yield f"{hit.name}{overloads}  {hit.place}  {leads}  [{hit.why}]"
    yield from page_line(answer.page, "operators")
