"""Classes that no class statement of their own makes: `Adam = partialclass(optim.Adam, foreach=True)`, named tuples.

A function of the module holds a class statement whose base is one of its parameters, and returns that class. Python
calls what it makes by the statement's name; here it has the name that users import, and stands where the statement
stands. What collections.namedtuple, typing.NamedTuple and enum.Enum make stands where it is assigned.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from indexer.extract.python.definitions import Definitions, FunctionNode
from indexer.extract.python.scope import Scope, dotted
from indexer.extract.python.unit import PyUnit
from indexer.facts.python import PythonClass

# What makes classes in Python's library, and of what: Lib/collections/__init__.py, Lib/typing.py, Lib/enum.py.
_MAKERS = {
    "collections.namedtuple": "tuple", "typing.NamedTuple": "tuple", "enum.Enum": "enum.Enum",
    "enum.IntEnum": "enum.IntEnum",
}  # fmt: skip


def made_classes(unit: PyUnit, definitions: Definitions, scope: Scope) -> Iterator[PythonClass]:
    """The classes that assignments of a module make, through functions of the same module or of Python's library.

    Args:
        unit: the file.
        definitions: its statements.
        scope: the module's names.
    """
    functions = {found.name: found for found in definitions.functions if not found.scope}
    makers: dict[str, tuple[int, ast.ClassDef, int] | None] = {}
    for assignment in definitions.assignments:
        call = assignment.value
        if assignment.scope or not isinstance(call, ast.Call):
            continue
        made = _MAKERS.get(scope.full(dotted(call.func))) if dotted(call.func) else None
        if made is not None:
            end = call.end_lineno or assignment.line
            yield PythonClass(
                assignment.name, (made,), (made,), (), "", assignment.line, end, assignment.guarded
            )  # fmt: skip
        if not isinstance(call.func, ast.Name):
            continue
        name = call.func.id
        if name not in functions:
            continue
        if name not in makers:
            makers[name] = _maker(unit, functions[name])
        maker = makers[name]
        if maker is None or maker[0] >= len(call.args):
            continue
        position, node, offset = maker
        base = dotted(call.args[position])
        if base:
            yield PythonClass(
                assignment.name, (base,), (scope.full(base),), (), "", node.lineno + offset,
                (node.end_lineno or node.lineno) + offset, assignment.guarded,
            )  # fmt: skip


def _maker(unit: PyUnit, found: FunctionNode) -> tuple[int, ast.ClassDef, int] | None:
    """Which argument is the base, the class statement, and what to add to its lines; None if it makes no class."""
    span = unit.spans.get(found.node.lineno)
    if span is None or unit.text.find("class ", span.body, span.end) < 0:
        return None
    node = unit.function(span)
    if node is None:
        return None
    parameters = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
    returned = {
        statement.value.id
        for statement in node.body
        if isinstance(statement, ast.Return) and isinstance(statement.value, ast.Name)
    }
    for statement in node.body:
        if isinstance(statement, ast.ClassDef) and statement.name in returned:
            for base in statement.bases:
                if isinstance(base, ast.Name) and base.id in parameters:
                    return parameters.index(base.id), statement, unit.line(span.start) - 2
    return None
