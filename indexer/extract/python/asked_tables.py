"""Methods that are asked for by names out of a table: `getattr(analysis, handlers()[expr.func])`.

torch/utils/_sympy/interp.py is handed a class, and runs of it what its tables of texts name. Which class that is stands
where the function is called: the link step looks there for one that has such methods.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from indexer.extract.python.definitions import FunctionNode
from indexer.extract.python.lexical import Span
from indexer.extract.python.unit import PyUnit
from indexer.facts.python import ASKS, TABLE, PythonCalls

# What a mapping gives, and what else is put into it: `HANDLERS[getattr(sympy, name)] = name` in a loop over texts.
_VALUE = re.compile(r":\s*[\"']([^\W\d]\w*)[\"']\s*[,}]")
_LOOP = re.compile(r"\bfor \w+ in [\[(]((?:\s*[\"']\w+[\"'],?)+\s*)[\])]:")
_TEXT = re.compile(r"[\"']([^\W\d]\w*)[\"']")
_TABLE_OF = re.compile(r"(?<![\w.])(\w+)\(\)\[")


def read(
    unit: PyUnit,
    functions: Sequence[FunctionNode],
    spans: Sequence[Span],
    asking: Sequence[tuple[int, re.Match[str]]],
    calls: PythonCalls,
) -> None:
    """Add which functions of a file ask one of their arguments for names that stand in tables.

    Args:
        unit: the file.
        functions: those of the module and of classes.
        spans: where each stands.
        asking: by function, where something is asked for a name that a variable holds.
        calls: where it is added.
    """
    asked: dict[int, tuple[str, set[str]]] = {}  # the parameter, and the names
    for position, match in asking:
        if _is_untold(functions[position], match["owner"]):
            names = {*_names(unit, functions, spans, position)}
            if names:
                asked[position] = match["owner"], names
    waiting = list(asked)
    while waiting:
        # Who only hands the argument on has it asked as well.
        position = waiting.pop()
        _, names = asked[position]
        handed = re.compile(rf"(?<![\w.]){functions[position].name}\(\s*(\w+),")
        for other, span in enumerate(spans):
            given = None if other in asked else handed.search(unit.code, span.body, span.end)
            if given and not functions[position].scope and _is_untold(functions[other], given[1]):
                asked[other] = given[1], names
                waiting.append(other)
    for position, (_, names) in sorted(asked.items()):
        asked_of = f"{'|'.join(sorted(names))}{TABLE}"
        calls.add(position, asked_of, ASKS, functions[position].node.lineno)


def _is_untold(found: FunctionNode, name: str) -> bool:
    """Whether a name is a parameter of which nothing says what it is."""
    return any(
        each.arg == name and each.annotation is None
        for each in found.node.args.args[bool(found.scope) :]
    )


def _names(
    unit: PyUnit, functions: Sequence[FunctionNode], spans: Sequence[Span], position: int
) -> Iterator[str]:
    """The texts in tables of a function, and of those functions of its file whose tables it looks up."""
    span = spans[position]
    makers = {*_TABLE_OF.findall(unit.code, span.body, span.end)}
    for found, each in zip(functions, spans, strict=True):
        if each is span or (found.name in makers and not found.scope):
            yield from _VALUE.findall(unit.text, each.body, each.end)
            for loop in _LOOP.findall(unit.text, each.body, each.end):
                yield from _TEXT.findall(loop)
