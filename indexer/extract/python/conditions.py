"""What a condition says of names: that they are tensors, or that they are none."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from indexer.extract.python.scope import dotted

_TENSORS = frozenset(("Tensor", "torch.Tensor"))
_SCALARS = frozenset(("int", "float", "bool", "complex", "str", "Number", "numbers.Number"))


def tensors(test: ast.expr) -> Iterator[str]:
    """The names that are tensors where a condition holds: `isinstance(name, torch.Tensor)`, alone or in an `and`."""
    for part in _parts(test):
        name, kinds = _asked(part)
        if len(kinds) == 1 and kinds <= _TENSORS:
            yield name


def others(test: ast.expr) -> Iterator[str]:
    """The names that are no tensors: `isinstance(name, float)`, `not isinstance(name, Tensor)`."""
    for part in _parts(test):
        if isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.Not):
            name, kinds = _asked(part.operand)
            if kinds and kinds & _TENSORS:
                yield name
        else:
            name, kinds = _asked(part)
            if kinds and kinds <= _SCALARS:
                yield name


def _parts(test: ast.expr) -> list[ast.expr]:
    return test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]


def _asked(test: ast.expr) -> tuple[str, set[str]]:
    """The name and classes of `isinstance(name, (int, float))`; nothing for other conditions."""
    if isinstance(test, ast.Call) and dotted(test.func) == "isinstance" and len(test.args) == 2:
        asked, kind = test.args
        kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
        if isinstance(asked, ast.Name):
            return asked.id, set(map(dotted, kinds))
    return "", set()
