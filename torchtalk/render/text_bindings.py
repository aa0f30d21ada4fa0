"""The text of bindings."""

from __future__ import annotations

from collections.abc import Iterator

from torchtalk.answers.bindings import BindingsAnswer
from torchtalk.render.pages import page_line, row
from torchtalk.render.text import lines_of


@lines_of.register
def _(answer: BindingsAnswer) -> Iterator[str]:
    for found in answer.bindings:
        names = f"{found.python_name or 'unknown'} -> {found.cpp_name or 'unknown'}"
        yield from row(f"{names}  {found.place}  [{found.kind}]")
    yield from page_line(answer.page, "bindings")
