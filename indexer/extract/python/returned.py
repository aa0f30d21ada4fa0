"""What functions give that say nothing of it and give one thing alone: `def graph(self): return self._graph`.

Getters are written so: the properties of ExportedProgram (torch/export/exported_program.py), of Inductor's nodes
(torch/_inductor/ir.py) and of distributions; until PyTorch 2.0 `_get_default_group` of
torch/distributed/distributed_c10d.py, which first asks whether there is one.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from indexer.extract.python.definitions import FunctionNode
from indexer.extract.python.lexical import INSIDE, Span
from indexer.extract.python.local_names import Locals
from indexer.extract.python.scope import Scope
from indexer.extract.python.unit import PyUnit

# The whole of a body, of whose docstring nothing but quotes is left.
_RETURN = re.compile(
    rf"""["'\s{INSIDE}]*\breturn ([^\W\d]\w*(?:\.\w+)*)(\([^()]*\))?\Z"""
)  # fmt: skip
# Behind others, what no statement before it can have changed the meaning of: something that a class or module holds.
_LAST = re.compile(r"return ([^\W\d]\w*(?:\.\w+)+)\Z")
_RETURNS = re.compile(r"\b(?:return|yield)\b")


def returned(unit: PyUnit, functions: Sequence[FunctionNode], scope: Scope) -> dict[int, str]:
    """What the functions of a file give that have one `return`: of what a class or module holds.

    Those of methods that consist of it may as well be of an attribute of `self`, or a call without brackets in it.

    Args:
        unit: the file.
        functions: its functions.
        scope: what its names stand for.

    Returns:
        the target by the line of the `def`; those with an annotation say it themselves.
    """
    found = {}
    for function in functions:
        node = function.node
        span = unit.spans.get(node.lineno)
        if span is None or node.returns is not None or isinstance(node, ast.AsyncFunctionDef):
            continue
        match = _RETURN.match(unit.code, span.body, span.end) if function.scope else None
        if match is None or not (match[2] or "." in match[1]):
            target = _held(unit, span, scope)
            if target:
                found[node.lineno] = target
            continue
        target = Locals(scope, function).target(match[1])
        if target:
            found[node.lineno] = f"{target}()" if match[2] else target
    return found


def _held(unit: PyUnit, span: Span, scope: Scope) -> str:
    """Target of what a class or module holds, which is all that a function gives; an empty string where it is other."""
    start = unit.code.rfind("return ", span.body, span.end)
    match = _LAST.match(unit.code, start, span.end) if start >= 0 else None
    if match is None or len(_RETURNS.findall(unit.code, span.body, span.end)) != 1:
        return ""
    head = match[1].partition(".")[0]
    is_global = head in scope.names and not re.search(
        rf"\b{head}\b(?!\.)", unit.code[span.name_end : start]
    )
    return scope.target(match[1]) if is_global else ""
