"""What methods give that say nothing of it and do nothing but return: `def graph(self): return self._graph`.

Getters are written so: the properties of ExportedProgram (torch/export/exported_program.py), of Inductor's nodes
(torch/_inductor/ir.py) and of distributions.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from indexer.extract.python.definitions import FunctionNode
from indexer.extract.python.lexical import INSIDE
from indexer.extract.python.local_names import Locals
from indexer.extract.python.scope import Scope
from indexer.extract.python.unit import PyUnit

# The whole of a body, of whose docstring nothing but quotes is left.
_RETURN = re.compile(
    rf"""["'\s{INSIDE}]*\breturn ([^\W\d]\w*(?:\.\w+)*)(\([^()]*\))?\Z"""
)  # fmt: skip


def returned(unit: PyUnit, functions: Sequence[FunctionNode], scope: Scope) -> dict[int, str]:
    """What the methods of a file give that consist of one `return` of an attribute or of a call without brackets in it.

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
        if (
            span is None
            or not function.scope
            or node.returns is not None
            or isinstance(node, ast.AsyncFunctionDef)
        ):
            continue
        match = _RETURN.match(unit.code, span.body, span.end)
        if match is None or not (match[2] or "." in match[1]):
            continue
        target = Locals(scope, function).target(match[1])
        if target:
            found[node.lineno] = f"{target}()" if match[2] else target
    return found
