"""Of definitions of one name in several branches, which one an ordinary import runs.

`if torch._C._has_x: class A: … else: class A: …` has two classes A, and so has `try:` with its handlers. The one is
what the file is there for, the other stands in for it where something is missing or switched off.
"""

from __future__ import annotations

import ast
import sys
from dataclasses import dataclass
from typing import Any

from indexer.extract.python.beside import PACKAGES
from indexer.extract.python.scope import dotted

Lists = tuple[list[Any], ...]
"""What the statements of a file define, by sort: imports, classes, functions, assignments."""

_OTHER_SYSTEMS = frozenset(("win32", "darwin", "cygwin", "nt"))
_OTHER_BUILDS = frozenset(("IS_WINDOWS", "IS_MACOS", "is_fbcode", "_running_with_deploy"))
# What Python brings with it is there on every system, but for these.
_OF_SYSTEMS = frozenset(("_winapi", "msvcrt", "nt", "winreg", "winsound", "_scproxy"))
_THERE = PACKAGES | (sys.stdlib_module_names - _OF_SYSTEMS)
_SWITCHES = ("TEST_WITH_",)  # torch/testing/_internal/common_utils.py: set by the environment


@dataclass(frozen=True)
class Branch:
    """The statements of one branch, as positions in each list of definitions.

    Args:
        first: where they begin in each.
        last: behind them.
    """

    first: tuple[int, ...]
    last: tuple[int, ...]


def position(lists: Lists) -> tuple[int, ...]:
    """How many statements of each sort there are by now, in the order of `lists`."""
    return tuple(map(len, lists))


def set_aside(lists: Lists, main: Branch, other: Branch) -> None:
    """Mark what one of two branches defines for the case only that the other was not taken.

    Of two classes the one with more methods is what the file is there for.

    Args:
        lists: what was read, both branches last.
        main: the branch that is taken as a rule.
        other: the other one.
    """
    ours, theirs = _bound(lists, main), _bound(lists, other)
    for name in ours.keys() & theirs.keys():
        is_larger = theirs[name] > ours[name] > 0
        _mark(lists, main if is_larger else other, name)


def is_unlikely(test: ast.expr) -> bool:
    """Whether a condition holds only where something is missing, old, switched on for a test, or another system's."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return not is_unlikely(test.operand)
    if isinstance(test, ast.BoolOp):
        quantified = any if isinstance(test.op, ast.And) else all
        return quantified(map(is_unlikely, test.values))
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        return _compares_unlikely(test.left, test.ops[0], test.comparators[0])
    name = dotted(test.func if isinstance(test, ast.Call) else test)
    return name.startswith(_SWITCHES) or name.rpartition(".")[2] in _OTHER_BUILDS


def _compares_unlikely(left: ast.expr, operator: ast.cmpop, right: ast.expr) -> bool:
    value = dotted(left)
    if value == "sys.version_info":
        return isinstance(operator, (ast.Lt, ast.LtE))
    if isinstance(left, ast.Call) and dotted(left.func) in ("os.environ.get", "os.getenv"):
        return isinstance(operator, ast.Eq)
    if not isinstance(right, ast.Constant):
        return False
    if right.value in _OTHER_SYSTEMS and (value.endswith("platform") or value == "os.name"):
        return isinstance(operator, ast.Eq)
    return isinstance(operator, ast.Is) and right.value is None


def _bound(lists: Lists, branch: Branch) -> dict[tuple[str, str], int]:
    """The names that a branch binds, by scope, and how many definitions stand in each of the classes among them."""
    imports, classes, functions, assignments = (
        found[first:last]
        for found, first, last in zip(lists, branch.first, branch.last, strict=True)
    )
    names = dict.fromkeys(((node.scope, node.name) for node in assignments if node.value), 0)
    for binding in imports:
        # Another package may be missing, and what stands in for it is in the tree. Python's own modules are there, as
        # contextlib's ContextDecorator of torch/autograd/profiler.py.
        # A star imports more than a name.
        if binding.kind == "star" or binding.guarded:
            continue
        if binding.target.partition(".")[0].partition(":")[0] in _THERE:
            names[binding.scope, binding.name] = 0
    for function in functions:
        if not function.guarded:
            names[function.scope, function.node.name] = 0
    for found in classes:
        if not found.guarded:
            scope, _, name = found.name.rpartition(".")
            names[scope, name] = 1 + sum(function.scope == found.name for function in functions)
    return names


def _mark(lists: Lists, branch: Branch, name: tuple[str, str]) -> None:
    scope, last = name
    inside = f"{scope}.{last}" if scope else last
    for found, start, end in zip(lists, branch.first, branch.last, strict=True):
        for number in range(start, end):
            node = found[number]
            own = node.node.name if hasattr(node, "node") else node.name
            outer = node.scope if hasattr(node, "scope") else node.name.rpartition(".")[0]
            if (outer, own) == name or outer == inside or outer.startswith(f"{inside}."):
                if hasattr(node, "_replace"):
                    found[number] = node._replace(guarded=True)
                else:
                    node.guarded = True
