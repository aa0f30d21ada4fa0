"""The text of compile_path."""

from __future__ import annotations

from collections.abc import Iterator

from torchtalk.answers.compile_path import CompilePathAnswer, OperatorPath, Step
from torchtalk.render.text import lines_of


@lines_of.register
def _(answer: CompilePathAnswer) -> Iterator[str]:
    if answer.dynamo:
        yield ""
        yield "Dynamo"
        for line in answer.dynamo:
            yield f"  {line.name} -> {line.target} [{line.kind}]  {line.place}"
    for path in answer.paths:
        yield ""
        yield from _path(path)
    if answer.behind:
        yield ""
        yield "what it is decomposed into, and what becomes of that"
        for path in answer.behind:
            then = f" -> {', '.join(path.becomes)}" if path.becomes else ""
            yield f"  {path.operators[0]} [{path.level.partition(':')[0]}] {path.outcome}{_at(path)}{then}"
    if answer.patterns:
        yield ""
        shown = len(answer.patterns)
        cut = f"; {shown} of {answer.pattern_total} shown" if shown < answer.pattern_total else ""
        yield f"Inductor patterns that look for it{cut}"
        for pattern in answer.patterns:
            stage = f"{pattern.stage}: " if pattern.stage else ""
            becomes = f" -> {pattern.replacement}" if pattern.replacement else ""
            yield f"  {stage}{pattern.function}{becomes}  {pattern.place}"
    if answer.logs and answer.paths:
        yield ""
        for stage, artifacts in answer.logs:
            yield f"see {stage}: TORCH_LOGS={artifacts}"


def _path(path: OperatorPath) -> Iterator[str]:
    names = ", ".join(path.operators[:6]) + (" …" if len(path.operators) > 6 else "")
    yield f"{names}  {path.place}"
    yield f"  level: {path.level}"
    if path.aot:
        yield "  AOT"
        for step in path.aot:
            yield f"    {_step(step)}"
    if path.inductor:
        yield "  Inductor"
        for step in path.inductor:
            yield f"    {_step(step)}"
    yield f"  => {path.outcome}"
    if path.becomes:
        yield f"  calls: {', '.join(path.becomes)}"
    if path.lists:
        yield f"  lists: {'; '.join(path.lists)}"


def _step(step: Step) -> str:
    text = step.what if step.function is None else f"{step.what}: {step.function}"
    if step.place.file is not None:
        text += f"  {step.place}"
    if step.detail:
        text += f"  [{step.detail}]"
    if step.registered.file is not None and step.registered != step.place:
        text += f"  (registered {step.registered})"
    return text


def _at(path: OperatorPath) -> str:
    """Where what decides the outcome stands."""
    steps = [
        step
        for step in (*path.inductor, *path.aot)
        if step.function and step.function in path.outcome
    ]
    if steps:
        return f"  {steps[0].place}" if steps[0].place.file else ""
    # One function is the handler of all fallbacks; which of them this is stands where it is registered.
    falls = [step for step in path.inductor if step.what == "fallback"]
    return f"  {falls[0].registered}" if falls and falls[0].registered.file else ""
