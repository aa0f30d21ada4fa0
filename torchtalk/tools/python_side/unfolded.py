"""The calls below a Python function as lines of a tree, each function unfolded where it stands nearest."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace

from torchtalk.answers.base import Place
from torchtalk.answers.steps import StepLine
from torchtalk.tools.python_side.calls_below import DEPTH, Call, CallGraph

_HANDED = 4  # as `python_calls` has it


@dataclass
class _Node:
    """A line, and those below it."""

    step: StepLine
    callee: int | None
    below: list[_Node] = field(default_factory=list)


def unfolded(graph: CallGraph) -> list[StepLine]:
    """What a function calls, and what that calls, as far as operators are behind it.

    A function is unfolded once, the nearest to the first one, and named only where it is called besides: the deeper a
    step stands, the less it tells, and the sooner it is left out.

    Args:
        graph: what was fetched.
    """
    top: list[_Node] = []
    seen = {graph.top}
    pending = deque([(graph.top, 0, top)])
    while pending:
        caller, depth, found = pending.popleft()
        found += _called(graph, caller, depth)
        for node in found:
            callee = node.callee
            if callee is None:
                continue
            if callee in seen:
                node.step = replace(node.step, repeated=True)
            elif depth + 1 < DEPTH:
                seen.add(callee)
                pending.append((callee, depth + 1, node.below))
    steps: list[StepLine] = []
    _lay_out(top, {graph.top}, steps)
    return steps


def _lay_out(nodes: list[_Node], above: set[int], steps: list[StepLine]) -> None:
    """Append lines and what is below them; `above` are the nodes that were unfolded by then."""
    for node in nodes:
        step, callee = node.step, node.callee
        is_below = step.repeated and callee is not None and callee not in above
        steps.append(replace(step, is_below=True) if is_below else step)
        if callee is not None and not step.repeated:
            above.add(callee)
            _lay_out(node.below, above, steps)


def _called(graph: CallGraph, caller: int, depth: int) -> list[_Node]:
    """The calls of one function as lines, each callee once."""
    file = graph.functions[graph.ids[caller]]["path"]
    here: set[tuple[int | None, int | None]] = set()
    nodes: list[_Node] = []
    rows = graph.calls.get(caller, ())
    run = {(row.native_id, row.callee) for row in rows if row.kind != _HANDED}
    for row in rows:
        native, callee = row.native_id, row.callee
        key = (native, callee)
        if key in here:
            continue
        handed = key not in run
        place = Place(file, row.line)
        if callee is None:
            if native in graph.operators:
                here.add(key)
                operators = graph.operators[native]
                step = StepLine(depth, _written(row), "native", place, operators, handed=handed)
                nodes.append(_Node(step, None))
        elif callee in graph.reaching and callee != caller:
            here.add(key)
            name = graph.functions[graph.ids[callee]]["name"]
            kind = "module" if name.endswith(".forward") else "function"
            nodes.append(_Node(StepLine(depth, name, kind, place, handed=handed), callee))
    return nodes


def _written(row: Call) -> str:
    """What C++ binds, behind the Python name that it is called by where that is another."""
    target, native = row.target, str(row.native)
    if native.startswith("torch._C.TensorBase."):
        return "Tensor." + native.rpartition(".")[2]
    if native == target.replace("torch.", "torch._C._VariableFunctions.", 1):
        return target  # torch/__init__.py copies it
    return native if "(" in target or target == native else f"{target} → {native}"
