"""The text of compile_options."""

from __future__ import annotations

from collections.abc import Iterator

from torchtalk.answers.compile_options import CompileOptionsAnswer, OptionHit
from torchtalk.render.pages import page_line, row
from torchtalk.render.text import lines_of

_MOST = 400


@lines_of.register
def _(answer: CompileOptionsAnswer) -> Iterator[str]:
    for hit in answer.hits:
        yield from row(_line(hit))
        if hit.description:
            yield f"    {_cut(hit.description)}"
        for hint in hit.hints:
            yield f"    hint: {_cut(hint)}"
        if hit.used:
            yield f"    written by {', '.join(map(str, hit.used))}"
    yield from page_line(answer.page, "entries")


def _line(hit: OptionHit) -> str:
    places = ", ".join(map(str, hit.places)) + (
        f" and {hit.more_places} more" if hit.more_places else ""
    )
    name = f"TORCH_LOGS={hit.name}" if hit.kind in ("log", "artifact") else _cut(hit.name)
    default = f" = {_cut(hit.default)}" if hit.default and hit.kind in ("config", "env") else ""
    if hit.default and not default:
        default = f" ({hit.default})"
    environment = f"  set by {hit.environment}" if hit.environment else ""
    return f"[{hit.kind}] {name}{default}{environment}  {places}"


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _MOST else text[: _MOST - 1] + "…"
