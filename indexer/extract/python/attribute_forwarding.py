"""What objects pass on to others: attributes that their class lacks, and classes that are said to stand for others.

torch/_inductor/virtualized.py: `ops.sqrt(x)` asks `OpsWrapper.__getattr__`, that `getattr(_ops, name)`, and that the
handler that is set: one of the classes that torch/_inductor/codegen says to be an `OpsHandler`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from indexer.extract.python.definitions import FunctionNode
from indexer.extract.python.scope import Scope, dotted
from indexer.extract.python.unit import PyUnit
from indexer.facts.python import PythonBinding

_GETATTR = "__getattr__"


def forwarded(
    unit: PyUnit, functions: Iterable[FunctionNode], scope: Scope
) -> Iterator[PythonBinding]:
    """What the classes of a file hand attributes on to that they have not themselves.

    Args:
        unit: the file.
        functions: of it.
        scope: its module-level names.

    Returns:
        For each class with a `__getattr__` that asks other objects for the name a binding to these.
    """
    for function in functions:
        if not function.scope or function.node.name != _GETATTR:
            continue
        span = unit.spans.get(function.node.lineno)
        node = unit.function(span) if span is not None else None
        if node is None or len(node.args.args) < 2:
            continue
        own, name = (argument.arg for argument in node.args.args[:2])
        this = f"{scope.module}.{function.scope}()"
        asked = [
            target
            for call in ast.walk(node)
            if isinstance(call, ast.Call) and dotted(call.func) == "getattr" and len(call.args) > 1
            if dotted(call.args[1]) == name and (target := _target(call.args[0], own, this, scope))
        ]
        if asked:
            targets = "|".join(dict.fromkeys(asked))
            yield PythonBinding(function.scope, "*", "forwarded", targets, function.node.lineno)


def _target(node: ast.expr, own: str, this: str, scope: Scope) -> str:
    """Target of what is asked: something that the object holds or gives, or that the module does."""
    called = isinstance(node, ast.Call) and not node.args and not node.keywords
    name = dotted(node.func if called else node)  # type: ignore[attr-defined]
    head, _, rest = name.partition(".")
    if not rest and head in (own, ""):
        return ""
    target = f"{this}.{rest}" if head == own else scope.target(name)
    return f"{target}()" if target and called else target


def conforming(
    unit: PyUnit, functions: Iterable[FunctionNode], scope: Scope
) -> Iterator[PythonBinding]:
    """Which classes a file says to stand for others that they do not derive from, as type checkers are told.

    `def _typecheck_TritonOverrides(h: TritonOverrides) -> OpsHandler[str]: return h` of
    torch/_inductor/codegen/triton.py has it checked that the class has all that the protocol asks for (PEP 544).

    Args:
        unit: the file.
        functions: of it.
        scope: its module-level names.

    Returns:
        For each such function a binding to both classes.
    """
    for function in functions:
        arguments = function.node.args.args
        if function.scope or len(arguments) != 1 or function.node.returns is None:
            continue
        span = unit.spans.get(function.node.lineno)
        body = unit.code[span.body : span.end].strip() if span is not None else ""
        if body != f"return {arguments[0].arg}":
            continue
        given = scope.annotation(arguments[0].annotation)
        said = scope.annotation(function.node.returns)
        if given != said and _is_class(given) and _is_class(said):
            classes = f"{given[:-2]}|{said[:-2]}"
            yield PythonBinding("", "*", "conforms", classes, function.node.lineno)


def _is_class(target: str) -> bool:
    return target.endswith("()") and "(" not in target[:-2]
