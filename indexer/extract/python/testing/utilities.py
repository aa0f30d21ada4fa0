"""What a file uses of torch.testing beside its functions' calls: assertions of `self`, and module-level calls."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from indexer.extract.python.scope import Scope, dotted
from indexer.extract.python.unit import PyUnit
from indexer.facts.tests import UtilityUses

_ASSERTION = re.compile(r"\.assert\w*(?=\()")
_PACKAGE = "torch.testing."


def read_uses(unit: PyUnit, scope: Scope) -> Iterator[UtilityUses]:
    """The uses in a file, if there are any."""
    uses = Counter(_ASSERTION.findall(unit.code))
    uses.update(_called(unit.module.body, scope))
    if uses:
        yield UtilityUses(" ".join(f"{name} {number}" for name, number in sorted(uses.items())))


def _called(body: Iterable[ast.stmt], scope: Scope) -> Iterator[str]:
    """What of torch.testing the statements of a module call, those in functions and classes excepted."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        blocks = [getattr(node, name, ()) for name in ("body", "orelse", "finalbody", "handlers")]
        if any(blocks):
            yield from _called((inner for block in blocks for inner in block), scope)
        elif isinstance(node, (ast.Expr, ast.Assign)):
            for inner in ast.walk(node.value):
                if isinstance(inner, ast.Call):
                    target = scope.full(dotted(inner.func))
                    if target.startswith(_PACKAGE):
                        yield target
