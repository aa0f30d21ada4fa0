"""Classes and functions: the facts of each from its statement."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from indexer.extract.python import lexical
from indexer.extract.python.class_docs import class_doc
from indexer.extract.python.definitions import PROPERTIES, ClassNode, FunctionNode
from indexer.extract.python.scope import Scope, dotted
from indexer.extract.python.unit import PyUnit
from indexer.facts.python import METACLASS, PythonBinding, PythonClass, PythonFunction

# What marks a definition as one of several signatures of the function that follows.
_OVERLOADS = frozenset(("overload", "_overload", "_overload_method"))


def read_class(
    unit: PyUnit,
    found: ClassNode,
    scope: Scope,
    doc: ast.expr | None = None,
    classes: Collection[str] = (),
) -> PythonClass:
    """The facts of one class statement.

    Args:
        unit: the file.
        found: the statement.
        scope: what the file's names stand for.
        doc: what the module assigns to the class's `__doc__`.
        classes: names of the file's classes; one in a class derives from its neighbours by their bare names.
    """
    node = found.node
    around = found.name.rpartition(".")[0]
    written = []
    targets = []
    for base in _bases(node):
        written.append(_source(unit, base))
        # `Generic[T]` and `Base[int]` derive from what is subscripted.
        value = base.value if isinstance(base, ast.Subscript) else base
        name = dotted(value)
        if around and name and f"{around}.{name}" in classes:
            targets.append(f"{scope.module}.{around}.{name}")
        else:
            targets.append(scope.full(name) if name else "")
    return PythonClass(
        found.name,
        tuple(written),
        tuple(targets),
        tuple(_source(unit, decorator) for decorator in node.decorator_list),
        class_doc(node, doc),
        node.lineno,
        node.end_lineno or node.lineno,
        found.guarded,
    )


def _bases(node: ast.ClassDef) -> Iterator[ast.expr]:
    """What a class derives from, `with_metaclass(Meta, A, B)` taken apart.

    torch/_six.py until 1.13, and the package six: that makes a class which puts A and B in its own place.
    """
    for base in node.bases:
        if isinstance(base, ast.Call) and dotted(base.func).rpartition(".")[2] == "with_metaclass":
            yield from base.args[1:]
        else:
            yield base


def metaclasses(found: Collection[ClassNode], scope: Scope) -> Iterator[PythonBinding]:
    """What makes the classes of a file, where that is a class of the tree.

    Args:
        found: the class statements.
        scope: what the file's names stand for.
    """
    for each in found:
        for keyword in each.node.keywords:
            name = dotted(keyword.value) if keyword.arg == "metaclass" else ""
            if target := scope.target(name) if name else "":
                line = keyword.value.lineno
                yield PythonBinding(each.name, METACLASS, "alias", target, line, each.guarded)


def read_function(unit: PyUnit, found: FunctionNode, scope: Scope) -> PythonFunction:
    """The facts of one function.

    Args:
        unit: the file.
        found: the statement; its line has to be one of the unit's spans.
        scope: the file's module-level names, for what it is annotated to return.

    Raises:
        KeyError: the unit has no span for the line.
    """
    node = found.node
    span = unit.spans[node.lineno]
    written = unit.text[span.name_end : span.body - 1].strip()
    signature = lexical.without_comments(written, is_signature=True)
    return PythonFunction(
        found.name,
        found.scope,
        _kind(found),
        signature,
        _returned(found, scope),
        tuple(_source(unit, decorator) for decorator in node.decorator_list),
        lexical.docstring(unit.text, unit.code, span.body, span.end),
        node.lineno,
        unit.line(span.end - 1),
        found.guarded,
    )


def _returned(found: FunctionNode, scope: Scope) -> str:
    """Target of what a function says that it gives."""
    target = scope.annotation(found.node.returns, found.scope)
    if target.startswith("list(") and _is_entered(found):
        return target[5:-1]
    return target


def _is_entered(found: FunctionNode) -> bool:
    """Whether `with` enters what a function gives, and binds what it yields: Lib/contextlib.py, contextmanager."""
    decorators = (dotted(decorator).rpartition(".")[2] for decorator in found.node.decorator_list)
    return any(name in ("contextmanager", "asynccontextmanager") for name in decorators)


def _kind(found: FunctionNode) -> str:
    kind = "method" if found.scope else "function"
    for decorator in found.node.decorator_list:
        name = dotted(decorator.func if isinstance(decorator, ast.Call) else decorator)
        last = name.rpartition(".")[2]
        if last in _OVERLOADS:
            return "overload"
        if last in PROPERTIES:
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
