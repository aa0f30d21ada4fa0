"""What decorators hand to objects that run it later: `GraphPatternEntry(pattern=pattern, handler=handler)`.

The object's class tells who runs it: torch/_inductor/pattern_matcher.py calls `self.handler(match, …)`. Another object
keeps it in a mapping of its own, as `register_op_strategy` of torch/distributed/tensor/_sharding_prop.py does, for a
method that calls `self.op_strategy_funcs[op](mesh, …)`; such a method may stand over a function itself
(`@transform_to.register(constraints.real)`). The ends are told as those of decorator_tables.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from indexer.extract.python.definitions import Definitions, FunctionNode
from indexer.extract.python.lexical import Span
from indexer.extract.python.scope import Scope
from indexer.extract.python.unit import PyUnit
from indexer.facts.python import FILLS, LOOKS_UP, TABLE

Function = tuple[FunctionNode, Span]
End = tuple[int, str, int, int]
"""Position of a function, target of a table, `FILLS` or `LOOKS_UP`, and 1-based line."""

# What registers a function gives it back as it is, whatever it does with it.
_INNER = re.compile(r"\n    def (\w+)\(\s*(\w+)[^\n]*\n")
_KEPT = re.compile(r"self\.(\w+)\[[^\n=]*\] = (\w+)(?=\n)")
_LONGEST = 400  # from the bracket of a call to what it is handed
_NAME = re.compile(r"[\w.]+")
_OPENING_OR_CLOSING = re.compile(r"[()]")


def held(
    unit: PyUnit, definitions: Definitions, scope: Scope, functions: Sequence[Function]
) -> Iterator[End]:
    """Each function of a file that has to do with functions which objects hold.

    Args:
        unit: the file.
        definitions: its classes.
        scope: its names.
        functions: its functions, and where they stand.
    """
    code = unit.code
    for position, (found, span) in enumerate(functions):
        if not found.scope and code.find("\n    def ", span.body, span.end) >= 0:
            yield from _handed(unit, definitions, scope, functions, position)
    for put in _KEPT.finditer(code):
        for position, (found, span) in enumerate(functions):
            if found.scope and span.body <= put.start() < span.end:
                yield from _kept(unit, definitions.module, functions, position, put)


def _handed(
    unit: PyUnit,
    definitions: Definitions,
    scope: Scope,
    functions: Sequence[Function],
    position: int,
) -> Iterator[End]:
    """What a decorator that takes arguments does with what it is put over, where it gives this back."""
    code, span = unit.code, functions[position][1]
    for inner, taken in _INNER.findall(code, span.body, span.end):
        if not (
            code.find(f"\n    return {inner}\n", span.body, span.end + 1) >= 0
            and code.find(f"        return {taken}\n", span.body, span.end) >= 0
        ):
            continue
        argument = re.compile(rf"(?:(?<![\w.])(\w+)=|(?<=[\s(])){taken}(?=\s*[,)])")
        for match in argument.finditer(code, span.body, span.end):
            callee = _callee(code, match.start())
            line = unit.line(match.start())
            if match[1] and any(each.name == callee for each in definitions.classes):
                table = f"{definitions.module}.{callee}.{match[1]}{TABLE}"
                yield position, table, FILLS, line
                runs = re.compile(rf"\bself\.{match[1]}\b(?! *[=.:])")
                for other, (found, each) in enumerate(functions):
                    run = found.scope == callee and runs.search(code, each.body, each.end)
                    if run:
                        yield other, table, LOOKS_UP, unit.line(run.start())
            elif "." in callee and (target := scope.target(callee)):
                yield position, f"{target}{TABLE}", FILLS, line


def _kept(
    unit: PyUnit, module: str, functions: Sequence[Function], position: int, put: re.Match[str]
) -> Iterator[End]:
    """A method that keeps what it is given, and the others of its class that call what is kept."""
    code = unit.code
    found = functions[position][0]
    name, given = put.groups()
    if all(each.arg != given for each in found.node.args.args):
        return
    called = re.compile(rf"(?:(\w+) = )?\bself\.{name}(?:\[|\.get\()[^\n]*?[\])](\()?")
    readers = []
    for other, (reading, span) in enumerate(functions):
        for match in (
            called.finditer(code, span.body, span.end) if reading.scope == found.scope else ()
        ):
            variable = match[1] and re.search(
                rf"(?<![\w.]){match[1]}\(", code[match.end() : span.end]
            )
            if match[2] or variable:
                readers.append((other, unit.line(match.start())))
                break
    if readers:
        table = f"{module}.{found.scope}.{found.name}.{name}{TABLE}"
        yield position, table, FILLS, unit.line(put.start())
        for other, line in readers:
            yield other, table, LOOKS_UP, line


def _callee(code: str, at: int) -> str:
    """The dotted name in front of the bracket that an argument stands in; an empty string where there is none."""
    depth = 0
    for bracket in reversed([*_OPENING_OR_CLOSING.finditer(code, max(0, at - _LONGEST), at)]):
        depth += 1 if bracket[0] == ")" else -1
        if depth < 0:
            name = _NAME.match(code[max(0, bracket.start() - _LONGEST) : bracket.start()][::-1])
            return name[0][::-1] if name else ""
    return ""
