"""What a file uses of torch.testing beside its functions' calls: assertions of `self`, and module-level calls.

And what torch.testing itself assigns for tests to use: `requires_cuda = unittest.skipUnless(…)`, `IS_WINDOWS = …`.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from indexer.extract.python.definitions import AssignmentNode
from indexer.extract.python.scope import Scope, dotted
from indexer.extract.python.unit import PyUnit
from indexer.facts.tests import ASSIGNED, UtilityUses

_ASSERTION = re.compile(r"\.assert\w*(?=\()")
_PACKAGE = "torch.testing."
_FOLDER = "torch/testing/"
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def read_uses(
    unit: PyUnit, scope: Scope, assignments: Iterable[AssignmentNode]
) -> Iterator[UtilityUses]:
    """The uses in a file, as one fact; none where there are none.

    Args:
        unit: the file.
        scope: its module-level names.
        assignments: of its module and classes.
    """
    uses = Counter(_ASSERTION.findall(unit.code))
    uses.update(_called(unit.module.body, scope))
    if unit.path.startswith(_FOLDER):
        for found in assignments:
            if not found.scope and found.value is not None and not found.name.startswith("_"):
                uses.setdefault(f"{ASSIGNED}{found.name}", found.line)
    if uses:
        yield UtilityUses(" ".join(f"{name} {number}" for name, number in sorted(uses.items())))


def _called(body: Iterable[ast.stmt], scope: Scope) -> Iterator[str]:
    """What of torch.testing the statements of a module call, those in functions and classes excepted."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        if isinstance(node, (ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign)):
            # `op_db: List[OpInfo] = [...]` has most of what is called at module level.
            for call in _calls(node.value) if node.value is not None else ():
                target = scope.full(dotted(call.func))
                if target.startswith(_PACKAGE):
                    yield target
            continue
        for name in _BLOCKS:
            yield from _called(getattr(node, name, ()), scope)


def _calls(value: ast.expr) -> Iterator[ast.Call]:
    """The calls in an expression, in what is handed to them and in lists; `ast.walk` takes three times as long."""
    left = [value]
    while left:
        node = left.pop()
        if isinstance(node, ast.Call):
            yield node
            left += node.args
            left += [keyword.value for keyword in node.keywords]
        elif isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            left += node.elts
        elif isinstance(node, ast.BinOp):
            left += (node.left, node.right)
        elif isinstance(node, ast.Starred):
            left.append(node.value)
