"""Attributes that no statement of a class names, and `__getattr__` and `__setattr__` answer by their text.

torch/backends/cuda/__init__.py: `if name == "allow_tf32": return torch._C._get_cublas_allow_tf32()`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from indexer.extract.python.definitions import FunctionNode
from indexer.extract.python.scope import Scope, dotted
from indexer.extract.python.unit import PyUnit
from indexer.facts.python import PythonBinding

ANSWERS = ("__getattr__", "__getattribute__", "__setattr__")
"""The methods that Python asks for a name as text (Doc/reference/datamodel.rst, Customizing attribute access)."""


def answered(unit: PyUnit, functions: list[FunctionNode], scope: Scope) -> Iterator[PythonBinding]:
    """What the classes of a file answer by a name's text.

    Args:
        unit: the file.
        functions: of it.
        scope: its module-level names.

    Returns:
        For each name of each class a binding to what is called for it: by who reads it first.
    """
    found: dict[tuple[str, str], tuple[int, list[str]]] = {}
    asked = [function for function in functions if function.scope and function.node.name in ANSWERS]
    for function in sorted(asked, key=lambda one: ANSWERS.index(one.node.name)):
        span = unit.spans.get(function.node.lineno)
        node = unit.function(span) if span is not None else None
        if span is None or node is None or len(node.args.args) < 2:
            continue
        offset = unit.line(span.start) - 2
        asked_for = node.args.args[1].arg
        for branch in ast.walk(node):
            if not isinstance(branch, ast.If):
                continue
            for name in _names(branch.test, asked_for):
                line, targets = found.setdefault(
                    (function.scope, name), (branch.lineno + offset, [])
                )
                own = f"{scope.module}.{function.scope}."
                for call in _calls(branch.body):
                    is_own = call.startswith("self.")
                    target = own + call[5:] if is_own else scope.target(call)
                    targets += [target] if target else []
    for (owner, name), (line, targets) in found.items():
        if targets:
            yield PythonBinding(owner, name, "answered", "|".join(dict.fromkeys(targets)), line)


def _names(test: ast.expr, asked_for: str) -> list[str]:
    """The texts that a condition compares the name with: `name == "size"`, `name in ("size", "max_size")`."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or dotted(test.left) != asked_for:
        return []
    other = test.comparators[0]
    texts: list[ast.expr] = []
    if isinstance(test.ops[0], ast.Eq):
        texts = [other]
    elif isinstance(test.ops[0], ast.In) and isinstance(other, (ast.Tuple, ast.List, ast.Set)):
        texts = other.elts
    return [t.value for t in texts if isinstance(t, ast.Constant) and isinstance(t.value, str)]


def _calls(body: list[ast.stmt]) -> Iterator[str]:
    """What statements call by names that the file knows; those of conditions within are asked for by others."""
    for statement in body:
        if not isinstance(statement, ast.If):
            calls = (node.func for node in ast.walk(statement) if isinstance(node, ast.Call))
            yield from filter(None, map(dotted, calls))
