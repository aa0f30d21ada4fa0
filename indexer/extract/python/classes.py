"""Classes and functions: the facts of each from its statement."""

from __future__ import annotations

import ast

from indexer.extract.python import lexical
from indexer.extract.python.definitions import ClassNode, FunctionNode
from indexer.extract.python.scope import Scope, dotted
from indexer.extract.python.unit import PyUnit
from indexer.facts.python import PythonClass, PythonFunction

# What marks a definition as one of several signatures of the function that follows.
_OVERLOADS = frozenset(("overload", "_overload", "_overload_method"))
_PROPERTIES = frozenset(
    ("property", "cached_property", "abstractproperty", "lazy_property", "classproperty")
)


def read_class(unit: PyUnit, found: ClassNode, scope: Scope) -> PythonClass:
    """The facts of one class statement."""
    node = found.node
    written = []
    targets = []
    for base in node.bases:
        written.append(_source(unit, base))
        # `Generic[T]` and `Base[int]` derive from what is subscripted.
        value = base.value if isinstance(base, ast.Subscript) else base
        name = dotted(value)
        targets.append(scope.full(name) if name else "")
    return PythonClass(
        found.name,
        tuple(written),
        tuple(targets),
        tuple(_source(unit, decorator) for decorator in node.decorator_list),
        _doc(node),
        node.lineno,
        node.end_lineno or node.lineno,
        found.guarded,
    )


def _doc(node: ast.ClassDef) -> str:
    """First paragraph of the docstring, or of the string that `__doc__` begins with."""
    for statement in node.body:
        value: ast.expr | None = None
        if isinstance(statement, ast.Expr) and statement is node.body[0]:
            value = statement.value
            return _text(value) if isinstance(value, ast.Constant) else ""
        if isinstance(statement, ast.Assign) and dotted(statement.targets[0]) == "__doc__":
            constants = (n for n in ast.walk(statement.value) if isinstance(n, ast.Constant))
            return next((text for text in map(_text, constants) if text), "")
    return ""


def _text(node: ast.Constant) -> str:
    return lexical.first_paragraph(node.value) if isinstance(node.value, str) else ""


def read_function(unit: PyUnit, found: FunctionNode, scope: Scope) -> PythonFunction:
    """The facts of one function statement."""
    node = found.node
    span = unit.spans[node.lineno]
    written = unit.text[span.name_end : span.body - 1].strip()
    signature = lexical.without_comments(written, is_signature=True)
    return PythonFunction(
        found.name,
        found.scope,
        _kind(found),
        signature,
        scope.annotation(node.returns),
        tuple(_source(unit, decorator) for decorator in node.decorator_list),
        lexical.docstring(unit.text, unit.code, span.body, span.end),
        node.lineno,
        unit.line(span.end - 1),
        found.guarded,
    )


def _kind(found: FunctionNode) -> str:
    kind = "method" if found.scope else "function"
    for decorator in found.node.decorator_list:
        name = dotted(decorator.func if isinstance(decorator, ast.Call) else decorator)
        last = name.rpartition(".")[2]
        if last in _OVERLOADS:
            return "overload"
        if last in _PROPERTIES:
            kind = "property"
        elif last in ("setter", "deleter", "getter") and "." in name:
            kind = "setter"
        elif last in ("staticmethod", "classmethod"):
            kind = last
    return kind


def _source(unit: PyUnit, node: ast.expr) -> str:
    """An expression as it is written, on one line."""
    name = dotted(node)
    if name:
        return name
    start = unit.line_starts[node.lineno - 1]
    # Columns count bytes of UTF-8, but text before a base or decorator is seldom anything else.
    end = unit.line_starts[(node.end_lineno or node.lineno) - 1]
    first = start + _characters(unit.text, start, node.col_offset)
    last = end + _characters(unit.text, end, node.end_col_offset or 0)
    return lexical.without_comments(unit.text[first:last])


def _characters(text: str, start: int, columns: int) -> int:
    piece = text[start : start + columns]
    if piece.isascii():
        return columns
    return len(piece.encode("utf-8")[:columns].decode("utf-8", "ignore"))
