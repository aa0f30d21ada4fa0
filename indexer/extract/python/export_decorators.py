"""Decorators that put the function below them into the module's `__all__`: `@_apply_docstring_templates`.

torch/masked/_ops.py begins with an empty `__all__` and lists its functions so.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from indexer.extract.python.definitions import FunctionNode
from indexer.extract.python.scope import dotted
from indexer.extract.python.unit import PyUnit

_APPEND = "__all__.append"
_WRITTEN = _APPEND.encode()


def listed_by_decorators(unit: PyUnit, functions: Iterable[FunctionNode]) -> Iterator[str]:
    """The names that decorators of a module put into its `__all__`, in their order.

    Args:
        unit: the file.
        functions: those of the module and its classes, in their order.
    """
    if _WRITTEN not in unit.data:
        return
    decorators = set()
    for found in functions:
        if found.scope:
            continue
        for decorator in found.node.decorator_list:
            if isinstance(decorator, ast.Name) and decorator.id in decorators:
                yield found.node.name
        if _lists_what_it_is_given(_whole(unit, found)):
            decorators.add(found.node.name)


def _whole(unit: PyUnit, found: FunctionNode) -> ast.FunctionDef | ast.AsyncFunctionDef:
    """The function with its body, where that may list something."""
    span = unit.spans.get(found.node.lineno)
    if span is None or _APPEND not in unit.text[span.start : span.end]:
        return found.node
    return unit.function(span) or found.node


def _lists_what_it_is_given(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether each call appends the `__name__` of the first argument."""
    given = [parameter.arg for parameter in (*function.args.posonlyargs, *function.args.args)][:1]
    return any(
        isinstance(statement, ast.Expr)
        and isinstance(call := statement.value, ast.Call)
        and dotted(call.func) == _APPEND
        and [dotted(argument) for argument in call.args] == [f"{name}.__name__"]
        for name in given
        for statement in function.body
    )
