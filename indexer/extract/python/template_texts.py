"""What templates of text call of the objects that they are rendered with: `{{kernel.def_kernel(inputs)}}`.

Inductor's C++ and CUDA kernels are templates of Jinja (torch/_inductor/codegen/cpp_gemm_template.py), and much of what
writes them is called in no other way. A template's name for an object is the one that a function of the file gives it
to be rendered: `dict(template=self, kernel=kernel)`, `{"kernel": kernel}`. Which template a function renders is not
looked into: it may call what any of its file calls.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable

from indexer.extract.python.definitions import Definitions, FunctionNode
from indexer.extract.python.lexical import Span
from indexer.extract.python.local_names import Locals
from indexer.extract.python.unit import PyUnit
from indexer.facts.python import REGISTERED, PythonCalls

# Jinja's documentation, template designer, synopsis: `{{ … }}` prints and `{% … %}` states something.
_FILLED = re.compile(r"\{\{[^{}](?:[^}]|\}(?!\}))*\}\}|\{%[^%]*%\}")
_CALL = re.compile(r"(?<![\w.])([^\W\d]\w*)\.([^\W\d]\w*)\(")
_GIVEN = re.compile(r"(?:\b(\w+)=|[\"'](\w+)[\"']: )(self|[^\W\d]\w*)(?=[,)}\n])")


def read(
    unit: PyUnit,
    definitions: Definitions,
    names_of: Callable[[FunctionNode, Span], Locals],
    calls: PythonCalls,
) -> None:
    """Add what functions of a file may call by the templates in it.

    Args:
        unit: the file.
        definitions: its functions.
        names_of: what the names inside a function stand for, which stands at a place of the text.
        calls: where it is added.
    """
    if ".render(" not in unit.code or "{{" not in unit.text:
        return
    called: dict[str, dict[str, int]] = {}
    for filled in _FILLED.finditer(unit.text):
        for match in _CALL.finditer(unit.text, *filled.span()):
            called.setdefault(match[1], {}).setdefault(match[2], unit.line(match.start()))
    if not called:
        return
    functions = [f for f in definitions.functions if f.node.lineno in unit.spans]
    spans = [unit.spans[found.node.lineno] for found in functions]
    order = sorted(range(len(functions)), key=lambda position: spans[position].body)
    bodies = [spans[position].body for position in order]
    known: dict[int, Locals] = {}
    said: set[tuple[int, str]] = set()
    for match in _GIVEN.finditer(unit.text):
        name = match[1] or match[2]
        last = bisect_right(bodies, match.start()) - 1
        if name not in called or last < 0 or match.start() >= spans[order[last]].end:
            continue
        position = order[last]
        if position not in known:
            known[position] = names_of(functions[position], spans[position])
        held = known[position].target(match[3])
        if not held.endswith("()"):
            continue
        for method, line in called[name].items():
            target = f"{held}.{method}"
            if (position, target) not in said:
                said.add((position, target))
                calls.add(position, target, REGISTERED, line)
