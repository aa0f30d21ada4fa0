"""Tables that a decorator fills without naming them, or whose place an object or a function takes.

`register_jagged_func = functools.partial(register_func, JAGGED_OPS_TABLE)` (torch/nested/_internal/ops.py) hands the
table over; `registry.register(name, opset, func)` (torch/onnx/_internal/registration.py) leaves it to an object, whose
methods give what it holds; and of a function under `@functools.singledispatch` nobody sees the table that it has.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence

from indexer.extract.python.definitions import Definitions, FunctionNode
from indexer.extract.python.lexical import Span
from indexer.extract.python.scope import absolute, dotted
from indexer.extract.python.unit import PyUnit
from indexer.facts.python import FILLS, LOOKS_UP, TABLE

Function = tuple[FunctionNode, Span]
_PUT = r"\[[^\n=]{0,200}\] = ([^\n]{0,200})"
_LOOPS = re.compile(r"\bfor (\w+) in (\w+):")
_TAKEN = re.compile(r"def \w+\(\s*(\w+)")
_SAME = re.compile(r"\n[ \t]+(\w+) = (\w+)(?=\n)")
_WORD = re.compile(r"[^\W\d]\w*")
# What an object of the same file is handed: `registry.register(name, opset_version, decorated, custom=custom)`.
_HANDED = re.compile(r"\w+\(([^()]{1,200})\)")
_GIVES = re.compile(r"\n[ \t]+return self\.\w+(?:\[|\.get\()")
_IMPORT_WITHIN = re.compile(r"\n[ \t]+from (\.*)([\w.]*) import (\w+(?:, \w+)*)(?=\n)")


def taken(code: str, found: FunctionNode, span: Span) -> set[str]:
    """What is decorated, by its names inside the decorator: of one that takes arguments, a function inside takes it.

    Args:
        code: text of the file.
        found: the decorator.
        span: where it stands.
    """
    inside = set(_TAKEN.findall(code, span.body, span.end))
    names = inside or {argument.arg for argument in found.node.args.args[:1]}
    return names | {
        name for name, same in _SAME.findall(code, span.body, span.end) if same in names
    }


def handed(
    unit: PyUnit,
    definitions: Definitions,
    functions: Sequence[Function],
    tables: Mapping[str, str],
) -> Iterator[tuple[int, str, int, int]]:
    """Each function of a file that has to do with such a table.

    Args:
        unit: the file.
        definitions: its assignments.
        functions: its functions, and where they stand.
        tables: by name, the targets of the module's own.

    Yields:
        position of the function, target of the table, `FILLS` or `LOOKS_UP`, and 1-based line.
    """
    dispatching = functions if "singledispatch" in unit.code else ()
    for position, (found, _) in enumerate(dispatching):
        if any(_is_single_dispatch(each) for each in found.node.decorator_list):
            # Of what its `register` decorates: itself it may stand over others (`impl` of torch/library.py).
            table = f"{definitions.module}.{found.name}.register{TABLE}"
            yield position, table, FILLS, found.node.lineno
            yield position, table, LOOKS_UP, found.node.lineno
    positions: dict[str, int] = {}
    if "partial(" in unit.code:
        positions = {found.name: at for at, (found, _) in enumerate(functions) if not found.scope}
    classes = {found.name for found in definitions.classes}
    for assigned in definitions.assignments if classes or positions else ():
        value = assigned.value
        if assigned.scope or not isinstance(value, ast.Call):
            continue
        name = dotted(value.func)
        if name.rpartition(".")[2] == "partial" and value.args:
            at = positions.get(dotted(value.args[0]))
            if at is not None:
                for table in _put_into(unit, *functions[at], value.args[1:], tables):
                    yield at, table, FILLS, assigned.line
        elif name in classes:
            yield from _held(unit, definitions.module, functions, assigned.name, name)


def imported_within(unit: PyUnit, definitions: Definitions) -> Iterator[tuple[str, str]]:
    """The names in capitals that functions of a file import, and what they stand for.

    Args:
        unit: the file.
        definitions: of the file.
    """
    for dots, module, names in _IMPORT_WITHIN.findall(unit.code):
        path = absolute(definitions.module, definitions.is_package, len(dots), module or None)
        for name in names.split(", "):
            if name.isupper():
                yield name, f"{path}.{name}"


def _put_into(
    unit: PyUnit,
    found: FunctionNode,
    span: Span,
    arguments: Sequence[ast.expr],
    tables: Mapping[str, str],
) -> Iterator[str]:
    """The tables among what a decorator is handed first into which it puts what it decorates."""
    takes = taken(unit.code, found, span)
    loops = _LOOPS.findall(unit.code, span.body, span.end)
    for parameter, argument in zip(found.node.args.args, arguments, strict=False):
        table = tables.get(dotted(argument))
        if table is None:
            continue
        names = {parameter.arg, *(name for name, of in loops if of == parameter.arg)}
        put = re.compile(rf"(?<![\w.])(?:{'|'.join(sorted(names))}){_PUT}")
        if any(
            takes & {*_WORD.findall(each)} for each in put.findall(unit.code, span.body, span.end)
        ):
            yield table


def _held(
    unit: PyUnit, module: str, functions: Sequence[Function], name: str, kind: str
) -> Iterator[tuple[int, str, int, int]]:
    """Who hands what it decorates to an object of a module, and the methods that give what this holds."""
    table = f"{module}.{name}{TABLE}"
    is_filled = False
    for at, words in _handing(unit.code, name):
        for position, (found, span) in enumerate(functions):
            is_within = span.body <= at < span.end and not found.scope
            if is_within and taken(unit.code, found, span) & words:
                is_filled = True
                yield position, table, FILLS, unit.line(at)
    for position, (found, span) in enumerate(functions) if is_filled else ():
        gives = _GIVES.search(unit.code, span.body, span.end) if found.scope == kind else None
        if gives:
            yield position, table, LOOKS_UP, unit.line(gives.start() + 1)


def _handing(code: str, name: str) -> Iterator[tuple[int, set[str]]]:
    """Where methods of an object are called, and the words that these are handed; looked for as plain text first."""
    start = code.find(f"{name}.")
    while start >= 0:
        end = start + len(name) + 1
        before = code[start - 1 : start]
        match = None if before.isalnum() or before in ("_", ".") else _HANDED.match(code, end)
        if match:
            yield start, {*_WORD.findall(match[1])}
        start = code.find(f"{name}.", end)


def _is_single_dispatch(node: ast.expr) -> bool:
    return dotted(node).rpartition(".")[2] == "singledispatch"
