"""Rules of the tree's own generator of Python bindings: which operators get none."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from indexer.extract.python.unit import PyUnit
from indexer.facts.python import BindingRule

# tools/autograd/gen_python_functions.py and torch/__init__.py.
_RULES = {
    "_SKIP_PYTHON_BINDINGS": "skip_name",
    "SKIP_PYTHON_BINDINGS_SIGNATURES": "skip_signature",
    "PRIVATE_OPS": "private",
}


_FILES = (
    "tools/autograd/gen_python_functions.py",
    "torchgen/packaged/autograd/gen_python_functions.py",  # of an installed package
    "torch/__init__.py",
)


def wants(path: str) -> bool:
    """Whether the file at `path`, relative to the tree, holds such rules."""
    return path in _FILES


def read(unit: PyUnit) -> Iterator[BindingRule]:
    """The lists of names and signatures that are left out.

    Args:
        unit: a file that could be parsed.
    """
    for node in unit.module.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            kind = _RULES.get(node.targets[0].id)
            if kind is not None:
                yield from _strings(kind, node.value)


def _strings(kind: str, node: ast.expr) -> Iterator[BindingRule]:
    for element in ast.walk(node):
        if isinstance(element, ast.Constant) and isinstance(element.value, str):
            yield BindingRule(kind, element.value, element.lineno)
