"""The docstring of a class: the string its body begins with, or what is assigned to its `__doc__`."""

from __future__ import annotations

import ast

from indexer.extract.python.lexical import first_paragraph
from indexer.extract.python.scope import dotted


def class_doc(node: ast.ClassDef, assigned: ast.expr | None) -> str:
    """The first paragraph of what `inspect` would show of a class.

    Args:
        node: the class statement.
        assigned: what the module gives to its `__doc__` afterwards, as torch/optim/adam.py does
            to say in one place what all optimizers have in common.
    """
    if assigned is not None and (text := _text(assigned)):
        return first_paragraph(text)
    for position, statement in enumerate(node.body):
        if position == 0 and isinstance(statement, ast.Expr):
            value = statement.value
            return first_paragraph(_text(value)) if isinstance(value, ast.Constant) else ""
        if isinstance(statement, ast.Assign) and dotted(statement.targets[0]) == "__doc__":
            return first_paragraph(_text(statement.value))
    return ""


def _text(node: ast.expr) -> str:
    """A string as far as it is written out: `"a" + b`, `f"a{b}"`, `"a{}".format(b)`; `{b}` stays so."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(map(_text, node.values))
    if isinstance(node, ast.FormattedValue):
        return "{" + ast.unparse(node.value) + "}"
    if isinstance(node, ast.BinOp):
        if isinstance(node.op, ast.Add):
            return _text(node.left) + _text(node.right)
        return _text(node.left) if isinstance(node.op, ast.Mod) else ""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return _text(node.func.value)
    return ""
