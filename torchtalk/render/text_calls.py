"""The text of calls and bindings."""

from __future__ import annotations

from collections.abc import Iterator

from torchtalk.answers.calls import BindingsAnswer, CallsAnswer
from torchtalk.render.text import lines_of, page_line

_MOST_DEFINITIONS = 8


@lines_of.register
def _(answer: CallsAnswer) -> Iterator[str]:
    for name, place in answer.functions[:_MOST_DEFINITIONS]:
        yield f"{name}  {place}"
    if len(answer.functions) > _MOST_DEFINITIONS:
        yield f"… {_MOST_DEFINITIONS} of {len(answer.functions)} definitions shown"
    for call in answer.calls:
        at = "" if call.place.file is None else f"  {call.place}"
        yield f"  {call.function}{at}  called at {call.call}  [{call.kind}, {call.origin}]"
    yield from page_line(answer.page, answer.direction)


@lines_of.register
def _bindings(answer: BindingsAnswer) -> Iterator[str]:
    for found in answer.bindings:
        yield f"{found.python_name} -> {found.cpp_name or 'unknown'}  {found.place}  [{found.kind}]"
    yield from page_line(answer.page, "bindings")
