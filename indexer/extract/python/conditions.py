"""What a condition says of names: that they are tensors, or that they are none.

`mask = kwargs.get("mask")` says nothing of what torch/masked/_ops.py calls a mask; `if mask.layout == torch.strided`
does: nothing but a tensor has a layout that is one of torch's.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from indexer.extract.python.scope import dotted

_TENSORS = frozenset(("Tensor", "torch.Tensor"))
# torch/csrc/utils/tensor_layouts.cpp
_LAYOUTS = frozenset(
    f"torch.{name}"
    for name in "strided sparse_coo sparse_csr sparse_csc sparse_bsr sparse_bsc _mkldnn jagged".split()
)
_SCALARS = frozenset(("int", "float", "bool", "complex", "str", "Number", "numbers.Number"))


def tensors(test: ast.expr) -> Iterator[str]:
    """The names that are tensors where a condition holds: `isinstance(name, torch.Tensor)`, alone or in an `and`."""
    for part in _parts(test):
        name, kinds = _asked(part)
        if len(kinds) == 1 and kinds <= _TENSORS:
            yield name
        elif isinstance(part, ast.Compare):
            yield from _laid_out(part)


def classes(test: ast.expr) -> Iterator[tuple[str, list[str]]]:
    """The names whose class a condition asks for, alone or in an `and`, and what it asks for, as it is written."""
    for part in _parts(test):
        name, kinds = _asked(part)
        if kinds and not kinds & _TENSORS:
            yield name, sorted(kinds - _SCALARS)


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


def _laid_out(test: ast.Compare) -> Iterator[str]:
    """The name of `name.layout == torch.strided`, or of such a comparison with another layout."""
    asked = dotted(test.left)
    name, _, attribute = asked.partition(".")
    is_equal = isinstance(test.ops[0], ast.Eq) and dotted(test.comparators[0]) in _LAYOUTS
    if is_equal and attribute == "layout":
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
