"""The text of calls, called_by and impact."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from torchtalk.answers.graph import Dependent, ImpactAnswer, Neighbour, NeighboursAnswer, Subject
from torchtalk.render.pages import page_line, row
from torchtalk.render.text import lines_of, places_built

_MOST_SUBJECTS = 8
_MOST_BEHIND = 6
_MOST_OTHERS = 3
_MOST_STEPS = 12
_MOST_NAMES = 40
_LONGEST_SIGNATURE = 160
_REACHED = {
    "operator": ("overload of operators", "overloads of operators"), "stub": ("stub", "stubs"),
    "GPU kernel": ("GPU kernel", "GPU kernels"), "class": ("Python class", "Python classes"),
    "bound name": ("bound name", "bound names"),
}  # fmt: skip
"""What is reached besides what the finding counts."""


@lines_of.register
def _(answer: NeighboursAnswer) -> Iterator[str]:
    before: tuple[int, str] | None = None
    listed = {line.subject for line in answer.neighbours}
    if not listed:
        yield from _subjects(answer)
    # Those that a macro makes on one line differ in their signatures alone.
    alike = Counter(
        looks for looks, _ in {(_looks(line), line.detail) for line in answer.neighbours}
    )
    for line in answer.neighbours:
        heading = []
        if before is None or before[0] != line.subject:
            if line.subject < 0:
                heading = [f"one of the {answer.subject_total} definitions, as far as is known:"]
            else:
                heading = [_subject(answer.subjects[line.subject], len(answer.subjects) > 1)]
        relation = f"{line.relation}, ambiguous" if line.ambiguous else line.relation
        if before != (line.subject, relation):
            before = line.subject, relation
            heading.append(f"  {relation}:")
        yield from row(*heading, f"    {_neighbour(line, alike[_looks(line)] > 1)}")
        for kernel in line.behind[:_MOST_BEHIND]:
            yield f"      {kernel}"
        if len(line.behind) > _MOST_BEHIND:
            yield f"      … {_MOST_BEHIND} of {len(line.behind)} kernels shown"
    yield from page_line(answer.page, "neighbours")
    if answer.folded:
        counts = ", ".join(f"{number} {what}" for what, number in answer.folded.items())
        yield f"folded: {counts}; exclude=none shows them"


@lines_of.register
def _impact(answer: ImpactAnswer) -> Iterator[str]:
    yield from _subjects(answer)
    reached = [
        f"{number:,} {_REACHED[kind][number != 1]}"
        for kind, number in answer.totals.items()
        if kind in _REACHED
    ]
    if reached:
        yield f"reached on the way: {', '.join(reached)}"
    yield from _named("operators", answer.operators, "::", answer.operator_total)
    yield from _named("public Python functions", answer.apis, ".", answer.api_total)
    if answer.modules:
        more = (
            "" if len(answer.modules) == answer.module_total else f", {len(answer.modules)} shown"
        )
        yield f"modules ({answer.module_total:,}{more}):"
        for module in answer.modules:
            yield f"  {_dependent(module)}"
    others = answer.module_total - len(answer.modules)
    yield from _named("other modules", answer.other_modules, ".", others)
    if answer.dependents:
        yield "nearest first, with the number of calls and a shortest path:"
    for dependent in answer.dependents:
        yield from row(f"{dependent.depth}  {_dependent(dependent)}")
    yield from page_line(answer.page, "dependents")


def _named(what: str, names: Sequence[str], between: str, total: int) -> Iterator[str]:
    """A list of names, by what stands before the last part of each: most of them have that in common."""
    if not names:
        return
    shown = names[:_MOST_NAMES]
    cut = "" if len(shown) == total else f", {len(shown)} shown; format=json has more"
    yield f"{what} ({total:,}{cut}):"
    by_scope: dict[str, list[str]] = {}
    for name in shown:
        scope, _, last = name.rpartition(between)
        by_scope.setdefault(scope, []).append(last)
    for scope, lasts in by_scope.items():
        yield f"  {f'{scope}: ' if scope else ''}{', '.join(lasts)}"


def _subjects(answer: NeighboursAnswer | ImpactAnswer) -> Iterator[str]:
    shown = answer.subjects[:_MOST_SUBJECTS]
    places = Counter((subject.name, subject.place) for subject in shown)
    for subject in shown:
        yield _subject(subject, places[subject.name, subject.place] > 1)
    if answer.subject_total > len(shown):
        yield f"… {len(shown)} of {answer.subject_total} definitions shown"


def _subject(subject: Subject, with_signature: bool) -> str:
    place = subject.place if subject.place.file is not None else "(no file of the tree has it)"
    return f"{subject.name}  {place}{_signature(subject) if with_signature else ''}"


def _signature(one: Subject | Neighbour) -> str:
    """What stands behind a place where others of its name stand there, too."""
    if not one.detail or one.kind not in ("C++", "operator"):
        return ""
    text = " ".join(one.detail.split())
    return f"  {text if len(text) <= _LONGEST_SIGNATURE else text[:_LONGEST_SIGNATURE] + ' …'}"


def _looks(line: Neighbour) -> tuple[object, ...]:
    """What a line says of a neighbour without its signature and where it is used."""
    return line.subject, line.relation, line.kind, line.name, line.place


def _neighbour(line: Neighbour, with_signature: bool) -> str:
    at = "" if line.place.file is None else f"  {line.place}"
    if line.others:
        left = len(line.others) - _MOST_OTHERS
        more = f" and {left} more" if left > 0 else ""
        at += f" or {', '.join(str(place) for place in line.others[:_MOST_OTHERS])}{more}"
    kind = "" if line.kind == "C++" else f" ({line.kind})"
    signature = _signature(line) if with_signature else ""
    return f"{line.name}{kind}{at}{signature}  at {_places(line)}  [{line.origin}]"


def _places(line: Neighbour) -> str:
    """`file:1, 2, 3`."""
    if not line.uses:
        return "?"
    file, lines = line.uses[0].file, [str(place.line) for place in line.uses]
    if file is None or line.uses[0].line is None:
        return str(line.uses[0])
    left = line.use_total - len(lines)
    more = f" and {left} more" if left > 0 else ""
    return f"{file}:{places_built(lines, line.conditions or [''] * len(lines))}{more}"


def _dependent(dependent: Dependent) -> str:
    """Name and place, then each step down with how and where."""
    steps = dependent.path
    text = f"{dependent.name}  {dependent.place}"
    if not steps:
        return text
    first = steps[0].place
    text += f"  {first}" if first.file != dependent.place.file else f"  :{first.line}"
    shown = steps[:_MOST_STEPS]
    ways = " ".join(f"-{step.relation}-> {_short(step.name, step.relation)}" for step in shown)
    return f"{text} {ways}{' …' if len(steps) > len(shown) else ''}"


def _short(name: str, relation: str) -> str:
    """A name on a path: most of the tree is at::native, and a method's class stands before it."""
    if relation == "method":
        return name.rpartition(".")[2]
    return name.removeprefix("at::native::").replace("torch._C._VariableFunctions.", "torch.")
