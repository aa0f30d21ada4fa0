"""Variables of the environment without which a file of tests ends when it is imported.

test/distributed/test_distributed_spawn.py raises unless BACKEND, WORLD_SIZE and TEMP_DIR are set, as test/run_test.py
(`test_distributed`) sets them; others take `os.environ["BACKEND"]` at module level.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from indexer.extract.python.scope import dotted
from indexer.facts.tests import TestImport

WORTH_READING = b"environ"
_ENVIRONMENT = ("os.environ", "environ")
_GETTERS = ("os.environ.get", "environ.get", "os.getenv", "getenv")
_ENDS = ("sys.exit", "exit", "os._exit")
# What stands in such an expression may not be reached.
_PERHAPS = (
    ast.IfExp,
    ast.BoolOp,
    ast.Lambda,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)
_PLAIN = (ast.Assign, ast.AnnAssign, ast.Expr, ast.Assert)


def read_environment(body: Iterable[ast.stmt]) -> Iterator[TestImport]:
    """The variables that a module cannot do without, each as `os.environ=NAME`.

    Args:
        body: of the module. What stands below `if` or `try`, or behind a value that the module sets itself, may do
            without.
    """
    known: set[str] = set()
    for node in body:
        if isinstance(node, ast.If):
            names = [*_missing(node.test)] if _ends(node.body) else []
            names += _taken(node.test)
        elif isinstance(node, _PLAIN):
            known.update(_set(node))
            names = [*_taken(node)]
        else:
            continue
        for name in names:
            if name not in known:
                known.add(name)
                yield TestImport(f"os.environ={name}", node.lineno)


def _missing(test: ast.expr) -> Iterator[str]:
    """The variables of which a condition asks whether one is missing."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
        for value in test.values:
            yield from _missing(value)
    elif isinstance(test, ast.Compare) and len(test.ops) == 1:
        if isinstance(test.ops[0], ast.NotIn) and dotted(test.comparators[0]) in _ENVIRONMENT:
            yield from _text(test.left)
        elif isinstance(test.ops[0], ast.Is) and _is_none(test.comparators[0]):
            yield from _asked(test.left)
    elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _asked(test.operand)
        inner = test.operand
        if isinstance(inner, ast.Compare) and isinstance(inner.ops[0], ast.In):
            yield from _text(inner.left) if dotted(inner.comparators[0]) in _ENVIRONMENT else ()


def _asked(node: ast.expr) -> Iterator[str]:
    """The variable of `os.environ.get("X")`, where it has no default."""
    if isinstance(node, ast.Call) and len(node.args) == 1 and dotted(node.func) in _GETTERS:
        yield from _text(node.args[0])


def _ends(body: list[ast.stmt]) -> bool:
    """Whether a block raises, or leaves the program."""
    last = body[-1]
    if isinstance(last, ast.Raise):
        return True
    is_call = isinstance(last, ast.Expr) and isinstance(last.value, ast.Call)
    return is_call and dotted(last.value.func) in _ENDS  # type: ignore[attr-defined]


def _taken(node: ast.AST) -> Iterator[str]:
    """The variables that an expression or a statement takes, whatever happens."""
    is_taken = isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load)
    if is_taken and dotted(node.value) in _ENVIRONMENT:  # type: ignore[attr-defined]
        yield from _text(node.slice)  # type: ignore[attr-defined]
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, _PERHAPS):
            yield from _taken(child)


def _set(node: ast.stmt) -> Iterator[str]:
    """The variables that a statement sets."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Subscript) and dotted(target.value) in _ENVIRONMENT:
                yield from _text(target.slice)
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        called = dotted(node.value.func)
        if called in [f"{one}.setdefault" for one in _ENVIRONMENT] and node.value.args:
            yield from _text(node.value.args[0])


def _text(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
