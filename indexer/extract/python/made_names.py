"""Names that a module makes of strings: `globals()[f"_sym_{name}"] = fn` in a loop, `@_export("max_pool2d")`.

torch/__init__.py makes its functions of symbolic numbers so, and torch/onnx/symbolic_opset9.py exports one function
under several names by a decorator that stores what it is given in `globals()`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from indexer.extract.python.definitions import AssignmentNode, Definitions, FunctionNode
from indexer.extract.python.scope import dotted
from indexer.extract.python.told_texts import Values, told_text
from indexer.extract.python.unit import PyUnit

_MOST = 1_000  # names of one loop


def add_made_names(unit: PyUnit, definitions: Definitions) -> None:
    """Add to the assignments of a file what stores something in `globals()` under a name that can be told.

    Args:
        unit: the file.
        definitions: its statements.
    """
    if "globals()[" not in unit.code:
        return
    for assignment in definitions.assignments:
        assignment.value = _fetched(assignment.value)
    for statement in unit.module.body:
        definitions.assignments += _stored(statement, {})
    definitions.assignments += _exported(unit, definitions)


def _stored(node: ast.stmt, known: Values) -> Iterator[AssignmentNode]:
    if isinstance(node, ast.For):
        for element in _elements(node.iter):
            values = {**known, **dict(_bound(node.target, element))}
            for statement in node.body:
                yield from _stored(statement, values)
    elif isinstance(node, ast.Assign):
        value = _filled(node.value, known)
        for target in node.targets:
            if isinstance(target, ast.Name):
                text = told_text(value, known)
                known[target.id] = value if text is None else ast.Constant(text)
            elif (key := _key(target)) is not None and (name := told_text(key, known)) is not None:
                if isinstance(value, ast.Name):
                    value = known.get(value.id, value)
                yield AssignmentNode("", name, value, None, node.lineno, False)


def _exported(unit: PyUnit, definitions: Definitions) -> Iterator[AssignmentNode]:
    """What functions are called besides, by decorators that store them under a name they are given."""
    functions = {found.name: found for found in definitions.functions if not found.scope}
    exporters: dict[str, int | None] = {}
    for found in functions.values():
        for decorator in found.node.decorator_list:
            for call in ast.walk(decorator):
                name = dotted(call.func) if isinstance(call, ast.Call) else ""
                if name not in functions or not isinstance(call, ast.Call):
                    continue
                if name not in exporters:
                    exporters[name] = _exporter(unit, functions[name])
                position = exporters[name]
                if position is not None and position < len(call.args):
                    text = told_text(call.args[position], {})
                    if text is not None:
                        value = ast.Name(found.name, ast.Load())
                        yield AssignmentNode("", text, value, None, call.lineno, found.guarded)


def _exporter(unit: PyUnit, found: FunctionNode) -> int | None:
    """Which parameter of a function is the name under which it stores something; None if it stores nothing."""
    span = unit.spans.get(found.node.lineno)
    if span is None or "globals()[" not in unit.code[span.body : span.end]:
        return None
    parameters = [argument.arg for argument in found.node.args.args]
    for node in ast.walk(unit.function(span) or found.node):
        for target in node.targets if isinstance(node, ast.Assign) else ():
            key = _key(target)
            if isinstance(key, ast.Name) and key.id in parameters:
                return parameters.index(key.id)
    return None


def _key(node: ast.expr | None) -> ast.expr | None:
    """The key of `globals()[key]`."""
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Call):
        return node.slice if dotted(node.value.func) == "globals" else None
    return None


def _fetched(node: ast.expr | None) -> ast.expr | None:
    """`globals()["name"]` as the name that it is."""
    key = _key(node)
    text = told_text(key, {}) if key is not None else None
    return node if text is None else ast.Name(text, ast.Load())


def _elements(node: ast.expr) -> Iterable[ast.expr]:
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return node.elts[:_MOST]
    if isinstance(node, ast.Call) and dotted(node.func) == "range":
        values = (a.value for a in node.args if isinstance(a, ast.Constant))
        numbers = [value for value in values if isinstance(value, int)]
        if 0 < len(numbers) == len(node.args) < 3:
            return [ast.Constant(number) for number in range(*numbers)[:_MOST]]
    return ()


def _bound(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for inner, element in zip(target.elts, value.elts, strict=False):
            yield from _bound(inner, element)


def _filled(node: ast.expr, known: Values) -> ast.expr:
    """A call without those arguments that are only texts, which name nothing."""
    if not isinstance(node, ast.Call):
        return node
    arguments = [argument for argument in node.args if told_text(argument, known) is None]
    return ast.Call(node.func, arguments, node.keywords)
