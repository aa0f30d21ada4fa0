"""The text of trace_module and list_modules."""

from __future__ import annotations

from collections.abc import Iterator

from torchtalk.answers.module import MethodLine, ModuleAnswer, ModuleListAnswer, StepLine
from torchtalk.render.text import lines_of, page_line

_MOST_DOC = 100


@lines_of.register
def _(answer: ModuleAnswer) -> Iterator[str]:
    for candidate in answer.candidates:
        yield f"  {candidate}"
    if not answer.found:
        return
    if answer.name != answer.public_name:
        yield f"defined as {answer.name}"
    if answer.doc:
        yield f"{answer.doc[: _MOST_DOC * 2]}"
    if answer.section:
        yield f"documented under: {answer.section}"
    for decorator in answer.decorators:
        yield f"@{decorator}"
    bases = [f"{base.name} {base.place or '(not in this tree)'}" for base in answer.bases]
    if bases:
        yield f"bases: {' → '.join(bases)}"
    own = [method for method in answer.methods if method.owner is None]
    yield f"methods ({len(own)}):"
    for method in own:
        yield f"  {_method(method)}"
    owner = None
    for method in answer.methods:
        if method.owner is not None:
            if method.owner != owner:
                owner = method.owner
                yield f"inherited from {owner}:"
            yield f"  {_method(method)}"
    if answer.steps:
        yield f"{answer.entry} calls:"
        for step in answer.steps:
            yield from _step(step)


def _method(method: MethodLine) -> str:
    kind = "" if method.kind == "method" else f"  [{method.kind}]"
    return f"{method.name}{method.signature}{kind}  {method.place}"


def _step(step: StepLine) -> Iterator[str]:
    indent = "  " * (step.depth + 1)
    again = " (see above)" if step.repeated else ""
    kernels = any(operator.kernels for operator in step.operators)
    if step.operators and not kernels:
        first = step.operators[0].name.partition(".")[0]
        bases = dict.fromkeys(operator.name.partition(".")[0] for operator in step.operators)
        if len(bases) == 1:
            number = len(step.operators)
            count = f" ({number} overloads)" if number > 1 else ""
            ends = f"{step.operators[0].name if number == 1 else first}{count}"
        else:
            ends = ", ".join(bases)
        yield f"{indent}{step.name} → {ends}  {step.place}"
        return
    yield f"{indent}{step.name}{again}  {step.place}"
    for operator in step.operators:
        yield f"{indent}  → {operator.name}  {operator.place}"
        for kernel in operator.kernels:
            place = f"  {kernel.place}" if kernel.place else ""
            yield f"{indent}      {kernel.key}: {kernel.kernel}{place}"


@lines_of.register
def _(answer: ModuleListAnswer) -> Iterator[str]:
    for group in answer.groups:
        yield ""
        yield f"{group.title} ({group.total})"
        for module in group.modules:
            yield f"  {module.name}  {module.place}"
    yield from page_line(answer.page, "classes")
