"""What texts are that a module makes of others: `f"_sym_{name}"`, `"torch." + name`."""

from __future__ import annotations

import ast

Values = dict[str, ast.expr]
"""What names stand for, as far as that is told."""


def told_text(node: ast.expr, known: Values) -> str | None:
    """What a text is, with what is known of names in it; a number as it is written in one.

    Args:
        node: the expression.
        known: what names stand for.

    Returns:
        None where it is no text, or not all of it is known.
    """
    if isinstance(node, ast.Constant):
        return str(node.value) if isinstance(node.value, (str, int)) else None
    if isinstance(node, ast.Name):
        value = known.get(node.id)
        return told_text(value, {}) if isinstance(value, ast.Constant) else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        parts = [told_text(node.left, known), told_text(node.right, known)]
    elif isinstance(node, ast.JoinedStr):
        parts = [
            told_text(part.value if isinstance(part, ast.FormattedValue) else part, known)
            for part in node.values
        ]
    else:
        return None
    texts = [part for part in parts if part is not None]
    return "".join(texts) if len(texts) == len(parts) else None
