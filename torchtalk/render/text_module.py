"""The text of trace_module and list_modules."""

from __future__ import annotations

from collections.abc import Iterator

from torchtalk.answers.dispatch import DispatchLine
from torchtalk.answers.module import MethodLine, ModuleAnswer, ModuleListAnswer
from torchtalk.answers.steps import KernelLine, StepLine
from torchtalk.render.called import also_line, called_line
from torchtalk.render.pages import page_line, row
from torchtalk.render.steps import more_steps, step_line
from torchtalk.render.text import lines_of

_MOST_DOC = 200
_MOST_METHODS = 40
_MOST_SIGNATURE = 400


@lines_of.register
def _(answer: ModuleAnswer) -> Iterator[str]:
    for candidate in answer.candidates:
        yield f"  {candidate}"
    if not answer.found:
        return
    if answer.name != answer.public_name:
        yield f"defined as {answer.name}"
    if answer.doc:
        yield answer.doc if len(answer.doc) <= _MOST_DOC else f"{answer.doc[: _MOST_DOC - 1]}…"
    if answer.section:
        yield f"documented under: {answer.section}"
    for decorator in answer.decorators:
        yield f"@{decorator}"
    bases = [f"{base.name} {base.place or '(not in this tree)'}" for base in answer.bases]
    if bases:
        yield f"bases: {' → '.join(bases)}"
    own = [method for method in answer.methods if method.owner is None]
    yield f"methods ({len(own)}):"
    for method in own[:_MOST_METHODS]:
        yield f"  {_method(method)}"
    if own[_MOST_METHODS:]:
        yield f"  also {_names(own[_MOST_METHODS:])}"
    yield from _inherited(answer)
    if answer.steps:
        yield f"{answer.entry} calls:"
        for step in answer.steps:
            yield from _step(step)
        if answer.steps_left_out:
            yield more_steps(answer.steps_left_out, answer.operators_left_out)


def _inherited(answer: ModuleAnswer) -> Iterator[str]:
    """What runs in full, the rest by name: whoever wants more of a base asks for it."""
    places = {base.name: base.place for base in answer.bases}
    by_owner: dict[str, list[MethodLine]] = {}
    for method in answer.methods:
        if method.owner is not None:
            by_owner.setdefault(method.owner, []).append(method)
    for owner, methods in by_owner.items():
        yield f"inherited from {owner} ({len(methods)}):"
        for method in methods:
            if method.name in ("__init__", answer.entry):
                yield f"  {_method(method)}"
        others = [m for m in methods if m.name not in ("__init__", answer.entry)]
        if others:
            yield f"  {_names(others)}  {places.get(owner) or ''}".rstrip()


def _names(methods: list[MethodLine]) -> str:
    public = list(dict.fromkeys(m.name for m in methods if not m.name.startswith("_")))
    private = len(dict.fromkeys(m.name for m in methods)) - len(public)
    parts = [", ".join(public), f"{private} private ones" if private else ""]
    return " and ".join(part for part in parts if part)


def _method(method: MethodLine) -> str:
    kind = "" if method.kind == "method" else f"  [{method.kind}]"
    return f"{method.name}{_bounded(method.signature)}{kind}  {method.place}"


def _bounded(signature: str) -> str:
    if len(signature) <= _MOST_SIGNATURE:
        return signature
    return f"{signature[: _MOST_SIGNATURE - 1]}…"


def _step(step: StepLine) -> Iterator[str]:
    indent = "  " * (step.depth + 1)
    kernels = [operator for operator in step.operators if operator.kernels]
    yield step_line(step)
    for operator in kernels:
        yield f"{indent}  {operator.name}  {operator.place}"
        for kernel in operator.kernels:
            place = f"  {kernel.place}" if kernel.place else ""
            yield f"{indent}    {kernel.key}: {kernel.kernel}{place}"
            yield from _below(kernel, f"{indent}      ")


def _below(kernel: KernelLine | DispatchLine, indent: str) -> Iterator[str]:
    """What a composite kernel calls."""
    for called in kernel.calls:
        yield indent + called_line(called)
        for line in called.dispatch:
            places = " or ".join(map(str, line.definitions))
            yield f"{indent}  {', '.join(line.keys)}: {line.kernel}  {places}".rstrip()
            yield from _below(line, f"{indent}    ")
    for text in also_line(kernel.also_calls, are_all=not kernel.calls):
        yield indent + text


@lines_of.register
def _(answer: ModuleListAnswer) -> Iterator[str]:
    for group in answer.groups:
        heading = ["", f"{group.title} ({group.total})"]
        for module in group.modules:
            yield from row(*heading, f"  {module.name}  {module.place}")
            heading = []
    yield from page_line(answer.page, "classes")
