"""What is asked for of something that holds others, as far as the syntax tells: a position, a slice, `.items()`."""

from __future__ import annotations

import ast

from indexer.extract.python.scope import dotted


def has_starred(nodes: list[ast.expr]) -> bool:
    """Whether one of `nodes`, expressions in a row, is unpacked: then nobody knows which stands where."""
    return any(isinstance(node, ast.Starred) for node in nodes)


def is_params(node: ast.Subscript) -> bool:
    """Whether `node` is `group["params"]`, an optimizer's tensors (torch/optim/optimizer.py, add_param_group)."""
    key = node.slice.value if isinstance(node.slice, ast.Constant) else None
    if isinstance(node.value, ast.Subscript):
        return key == "params" and dotted(node.value.value) == "self.param_groups"
    return key == "params" and dotted(node.value) in ("group", "param_group")


def limit(node: ast.expr | None) -> int | str | None:
    """Where a slice begins or ends: a number, None where it says nothing, and something else where nobody knows.

    Args:
        node: what stands there.
    """
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        counted = limit(node.operand)
        return -counted if isinstance(counted, int) else "?"
    value = node.value if isinstance(node, ast.Constant) else "?"
    return None if node is None else value if type(value) is int else "?"


def position(node: ast.expr) -> int | None:
    """The 0-based position that `node`, between square brackets, asks for.

    Returns:
        None where it is not written as a number, or counted from the end.
    """
    value = node.value if isinstance(node, ast.Constant) else None
    return value if type(value) is int and value >= 0 else None


def mapping_of(node: ast.expr, method: str) -> ast.expr | None:
    """What `mapping.items()` or such a method is called on; None for another expression.

    Args:
        node: the expression.
        method: the method's name.
    """
    function = node.func if isinstance(node, ast.Call) and not node.args else None
    is_it = isinstance(function, ast.Attribute) and function.attr == method
    return function.value if is_it else None  # type: ignore[union-attr]
